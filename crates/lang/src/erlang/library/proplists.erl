%% The module proplists, for programs under check.
%%
%% A property is an atom, short for {Atom, true}, or a tuple with its key first. The functions do what
%% the reference manual of stdlib says of them; elements that are no properties are passed over.
%%
%% Left out: the rewriting of lists (expand, normalize, the substitutions).
-module(proplists).

-export([append_values/2, compact/1, delete/2, from_map/1, get_all_values/2, get_bool/2, get_keys/1]).
-export([get_value/2, get_value/3, is_defined/2, lookup/2, lookup_all/2, property/1, property/2]).
-export([split/2, to_map/1, unfold/1]).

property({Key, true}) when is_atom(Key) -> Key;
property(Property) -> Property.

property(Key, true) when is_atom(Key) -> Key;
property(Key, Value) -> {Key, Value}.

unfold([Key | Rest]) when is_atom(Key) -> [{Key, true} | unfold(Rest)];
unfold([Property | Rest]) -> [Property | unfold(Rest)];
unfold([]) -> [].

compact(List) -> [property(Property) || Property <- List].

%% Has the element this key?
has_key(Key, Key) when is_atom(Key) -> true;
has_key(Key, Property) when is_tuple(Property), tuple_size(Property) >= 1 -> element(1, Property) =:= Key;
has_key(_, _) -> false.

is_defined(Key, [Property | Rest]) -> has_key(Key, Property) orelse is_defined(Key, Rest);
is_defined(_, []) -> false.

lookup(Key, [Property | Rest]) ->
    case has_key(Key, Property) of
        true when is_atom(Property) -> {Property, true};
        true -> Property;
        false -> lookup(Key, Rest)
    end;
lookup(_, []) -> none.

lookup_all(Key, [Property | Rest]) ->
    case has_key(Key, Property) of
        true when is_atom(Property) -> [{Property, true} | lookup_all(Key, Rest)];
        true -> [Property | lookup_all(Key, Rest)];
        false -> lookup_all(Key, Rest)
    end;
lookup_all(_, []) -> [].

get_value(Key, List) -> get_value(Key, List, undefined).

%% The first element with the key decides, also where it is no pair.
get_value(Key, [Property | Rest], Default) ->
    case has_key(Key, Property) of
        true when is_atom(Property) -> true;
        true ->
            case Property of
                {_, Value} -> Value;
                _ -> Default
            end;
        false -> get_value(Key, Rest, Default)
    end;
get_value(_, [], Default) -> Default.

get_all_values(Key, [Property | Rest]) ->
    case Property of
        Key when is_atom(Key) -> [true | get_all_values(Key, Rest)];
        {Key, Value} -> [Value | get_all_values(Key, Rest)];
        _ -> get_all_values(Key, Rest)
    end;
get_all_values(_, []) -> [].

get_bool(Key, List) ->
    case lookup(Key, List) of
        {_, true} -> true;
        _ -> false
    end.

append_values(Key, [Property | Rest]) ->
    case Property of
        Key when is_atom(Key) -> [true | append_values(Key, Rest)];
        {Key, Value} when is_list(Value) -> Value ++ append_values(Key, Rest);
        {Key, Value} -> [Value | append_values(Key, Rest)];
        _ -> append_values(Key, Rest)
    end;
append_values(_, []) -> [].

get_keys(List) -> lists:uniq(keys(List)).

keys([Key | Rest]) when is_atom(Key) -> [Key | keys(Rest)];
keys([Property | Rest]) when is_tuple(Property), tuple_size(Property) >= 1 ->
    [element(1, Property) | keys(Rest)];
keys([_ | Rest]) -> keys(Rest);
keys([]) -> [].

delete(Key, [Property | Rest]) ->
    case has_key(Key, Property) of
        true -> delete(Key, Rest);
        false -> [Property | delete(Key, Rest)]
    end;
delete(_, []) -> [].

split(List, Keys) ->
    Chosen = [[Property || Property <- List, has_key(Key, Property)] || Key <- Keys],
    Others = [Property || Property <- List, not lists:any(fun(Key) -> has_key(Key, Property) end, Keys)],
    {Chosen, Others}.

%% The first element with a key decides, also where it is no pair.
to_map(List) -> maps:from_list([{Key, Value} || Key <- keys(List), {_, Value} <- [lookup(Key, List)]]).

from_map(Map) -> maps:to_list(Map).
