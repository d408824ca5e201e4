%% The module maps, for programs under check.
%%
%% The functions do what the reference manual of stdlib says of them, and fail as those of OTP 25
%% (with another reason at most where an argument has not the documented type). They are written over
%% functions that the evaluator has itself: maps:from_list/1, to_list/1, put/3, remove/2, get/2,
%% find/2, is_key/2 and size/1. Those are always called with the module's name, and are not defined
%% here.
%%
%% Promise: functions are applied to associations in the order of maps:to_list/1.
%% Left out: iterators.
-module(maps).

-export([filter/2, filtermap/2, fold/3, foreach/2, from_keys/2, get/3, groups_from_list/2]).
-export([groups_from_list/3, intersect/2, intersect_with/3, keys/1, map/2, merge/2, merge_with/3]).
-export([new/0, take/2, update/3, update_with/3, update_with/4, values/1, with/2, without/2]).

new() -> #{}.

get(Key, Map, Default) ->
    case maps:find(Key, Map) of
        {ok, Value} -> Value;
        error -> Default
    end.

take(Key, Map) ->
    case maps:find(Key, Map) of
        {ok, Value} -> {Value, maps:remove(Key, Map)};
        error -> error
    end.

keys(Map) -> [Key || {Key, _} <- maps:to_list(Map)].

values(Map) -> [Value || {_, Value} <- maps:to_list(Map)].

from_keys(Keys, Value) ->
    is_list(Keys) orelse error(badarg),
    maps:from_list([{Key, Value} || Key <- Keys]).

update(Key, Value, Map) ->
    _ = maps:get(Key, Map),
    maps:put(Key, Value, Map).

update_with(Key, F, Map) when is_function(F, 1), is_map(Map) -> maps:put(Key, F(maps:get(Key, Map)), Map);
update_with(_, F, Map) -> error(wrong(is_function(F, 1), Map)).

update_with(Key, F, Init, Map) when is_function(F, 1), is_map(Map) ->
    case maps:find(Key, Map) of
        {ok, Value} -> maps:put(Key, F(Value), Map);
        error -> maps:put(Key, Init, Map)
    end;
update_with(_, F, _, Map) -> error(wrong(is_function(F, 1), Map)).

%% Functions of all associations.

fold(F, Init, Map) when is_function(F, 3), is_map(Map) -> fold_list(F, Init, maps:to_list(Map));
fold(F, _, Map) -> error(wrong(is_function(F, 3), Map)).

fold_list(F, Acc, [{Key, Value} | Rest]) -> fold_list(F, F(Key, Value, Acc), Rest);
fold_list(_, Acc, []) -> Acc.

foreach(F, Map) when is_function(F, 2), is_map(Map) -> foreach_of(F, maps:to_list(Map));
foreach(F, Map) -> error(wrong(is_function(F, 2), Map)).

foreach_of(F, [{Key, Value} | Rest]) ->
    F(Key, Value),
    foreach_of(F, Rest);
foreach_of(_, []) -> ok.

map(F, Map) when is_function(F, 2), is_map(Map) ->
    maps:from_list([{Key, F(Key, Value)} || {Key, Value} <- maps:to_list(Map)]);
map(F, Map) -> error(wrong(is_function(F, 2), Map)).

filter(F, Map) when is_function(F, 2), is_map(Map) -> maps:from_list(filter_list(F, maps:to_list(Map)));
filter(F, Map) -> error(wrong(is_function(F, 2), Map)).

filter_list(F, [{Key, Value} = Association | Rest]) ->
    case F(Key, Value) of
        true -> [Association | filter_list(F, Rest)];
        false -> filter_list(F, Rest)
    end;
filter_list(_, []) -> [].

filtermap(F, Map) when is_function(F, 2), is_map(Map) -> maps:from_list(filtermap_list(F, maps:to_list(Map)));
filtermap(F, Map) -> error(wrong(is_function(F, 2), Map)).

filtermap_list(F, [{Key, Value} = Association | Rest]) ->
    case F(Key, Value) of
        true -> [Association | filtermap_list(F, Rest)];
        {true, New} -> [{Key, New} | filtermap_list(F, Rest)];
        false -> filtermap_list(F, Rest)
    end;
filtermap_list(_, []) -> [].

with(Keys, Map) when is_list(Keys), is_map(Map) -> with_keys(Keys, Map, #{});
with(Keys, Map) -> error(wrong(is_list(Keys), Map)).

with_keys([Key | Rest], Map, New) ->
    case maps:find(Key, Map) of
        {ok, Value} -> with_keys(Rest, Map, maps:put(Key, Value, New));
        error -> with_keys(Rest, Map, New)
    end;
with_keys([], _, New) -> New.

without(Keys, Map) when is_list(Keys), is_map(Map) -> without_keys(Keys, Map);
without(Keys, Map) -> error(wrong(is_list(Keys), Map)).

without_keys([Key | Rest], Map) -> without_keys(Rest, maps:remove(Key, Map));
without_keys([], Map) -> Map.

%% Functions of two maps.

merge(First, Second) when is_map(First), is_map(Second) -> put_all(maps:to_list(Second), First);
merge(First, Second) -> error(wrong_maps(true, First, Second)).

put_all([{Key, Value} | Rest], Map) -> put_all(Rest, maps:put(Key, Value, Map));
put_all([], Map) -> Map.

merge_with(F, First, Second) when is_function(F, 3), is_map(First), is_map(Second) ->
    merge_list(F, maps:to_list(Second), First);
merge_with(F, First, Second) -> error(wrong_maps(is_function(F, 3), First, Second)).

merge_list(F, [{Key, Value} | Rest], Map) ->
    case maps:find(Key, Map) of
        {ok, Old} -> merge_list(F, Rest, maps:put(Key, F(Key, Old, Value), Map));
        error -> merge_list(F, Rest, maps:put(Key, Value, Map))
    end;
merge_list(_, [], Map) -> Map.

intersect(First, Second) when is_map(First), is_map(Second) ->
    maps:from_list([{Key, Value} || {Key, Value} <- maps:to_list(Second), maps:is_key(Key, First)]);
intersect(First, Second) -> error(wrong_maps(true, First, Second)).

intersect_with(F, First, Second) when is_function(F, 3), is_map(First), is_map(Second) ->
    Common = maps:to_list(intersect(First, Second)),
    maps:from_list([{Key, F(Key, maps:get(Key, First), Value)} || {Key, Value} <- Common]);
intersect_with(F, First, Second) -> error(wrong_maps(is_function(F, 3), First, Second)).

%% Lists by the key that a function gives their elements.

groups_from_list(F, List) -> groups_from_list(F, fun(X) -> X end, List).

groups_from_list(F, Value, List) when is_function(F, 1), is_function(Value, 1), is_list(List) ->
    group([{F(X), Value(X)} || X <- List], #{});
groups_from_list(_, _, _) -> error(badarg).

group([{Key, Value} | Rest], Groups) ->
    Group = get(Key, Groups, []),
    group(Rest, maps:put(Key, Group ++ [Value], Groups));
group([], Groups) -> Groups.

%% Why a call fails.

wrong(false, _) -> badarg;
wrong(true, Map) -> {badmap, Map}.

wrong_maps(IsFunction, First, Second) when is_map(First) -> wrong(IsFunction, Second);
wrong_maps(IsFunction, First, _) -> wrong(IsFunction, First).
