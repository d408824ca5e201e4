%% The module lists, for programs under check.
%%
%% The functions do what the reference manual of stdlib says of them, and fail as those of OTP 25
%% (with another reason at most where an argument has not the documented type). They are written to
%% be evaluated, concretely or over abstract values, and not to be fast: almost all recurse on the
%% tail of a list, so that their termination is evident. Sorting is by insertion for the same
%% reason; it is stable.
%%
%% Left out: concat/1, which formats its arguments, and what OTP does not document.
-module(lists).

-export([all/2, any/2, append/1, append/2, delete/2, droplast/1, dropwhile/2, duplicate/2]).
-export([enumerate/1, enumerate/2, filter/2, filtermap/2, flatlength/1, flatmap/2, flatten/1]).
-export([flatten/2, foldl/3, foldr/3, foreach/2, join/2, keydelete/3, keyfind/3, keymap/3]).
-export([keymember/3, keymerge/3, keyreplace/4, keysearch/3, keysort/2, keystore/4, keytake/3]).
-export([last/1, map/2, mapfoldl/3, mapfoldr/3, max/1, member/2, merge/1, merge/2, merge/3]).
-export([merge3/3, min/1, nth/2, nthtail/2, partition/2, prefix/2, reverse/1, reverse/2]).
-export([search/2, seq/2, seq/3, sort/1, sort/2, split/2, splitwith/2, sublist/2, sublist/3]).
-export([subtract/2, suffix/2, sum/1, takewhile/2, ukeymerge/3, ukeysort/2, umerge/1, umerge/2]).
-export([umerge/3, umerge3/3, uniq/1, uniq/2, unzip/1, unzip3/1, usort/1, usort/2, zip/2, zip3/3]).
-export([zipwith/3, zipwith3/4]).

%% Functions of a list and a function.

all(F, List) when is_function(F, 1) -> all_of(F, List).

all_of(F, [X | Rest]) ->
    case F(X) of
        true -> all_of(F, Rest);
        false -> false
    end;
all_of(_, []) -> true.

any(F, List) when is_function(F, 1) -> any_of(F, List).

any_of(F, [X | Rest]) ->
    case F(X) of
        true -> true;
        false -> any_of(F, Rest)
    end;
any_of(_, []) -> false.

map(F, List) when is_function(F, 1) -> map_of(F, List).

map_of(F, [X | Rest]) ->
    Y = F(X),
    [Y | map_of(F, Rest)];
map_of(_, []) -> [].

flatmap(F, List) when is_function(F, 1) -> flatmap_of(F, List).

flatmap_of(F, [X | Rest]) ->
    Ys = F(X),
    Ys ++ flatmap_of(F, Rest);
flatmap_of(_, []) -> [].

foldl(F, Acc, List) when is_function(F, 2) -> foldl_of(F, Acc, List).

foldl_of(F, Acc, [X | Rest]) -> foldl_of(F, F(X, Acc), Rest);
foldl_of(_, Acc, []) -> Acc.

foldr(F, Acc, List) when is_function(F, 2) -> foldr_of(F, Acc, List).

foldr_of(F, Acc, [X | Rest]) -> F(X, foldr_of(F, Acc, Rest));
foldr_of(_, Acc, []) -> Acc.

foreach(F, List) when is_function(F, 1) -> foreach_of(F, List).

foreach_of(F, [X | Rest]) ->
    F(X),
    foreach_of(F, Rest);
foreach_of(_, []) -> ok.

mapfoldl(F, Acc, List) when is_function(F, 2) -> mapfoldl_of(F, Acc, List).

mapfoldl_of(F, Acc, [X | Rest]) ->
    {Y, Acc1} = F(X, Acc),
    {Ys, Acc2} = mapfoldl_of(F, Acc1, Rest),
    {[Y | Ys], Acc2};
mapfoldl_of(_, Acc, []) -> {[], Acc}.

mapfoldr(F, Acc, List) when is_function(F, 2) -> mapfoldr_of(F, Acc, List).

mapfoldr_of(F, Acc, [X | Rest]) ->
    {Ys, Acc1} = mapfoldr_of(F, Acc, Rest),
    {Y, Acc2} = F(X, Acc1),
    {[Y | Ys], Acc2};
mapfoldr_of(_, Acc, []) -> {[], Acc}.

filter(F, List) when is_function(F, 1) -> [X || X <- List, F(X)].

filtermap(F, List) when is_function(F, 1) -> filtermap_of(F, List).

filtermap_of(F, [X | Rest]) ->
    case F(X) of
        true -> [X | filtermap_of(F, Rest)];
        {true, Y} -> [Y | filtermap_of(F, Rest)];
        false -> filtermap_of(F, Rest)
    end;
filtermap_of(_, []) -> [].

partition(F, List) when is_function(F, 1) -> partition_of(F, List, [], []).

partition_of(F, [X | Rest], Yes, No) ->
    case F(X) of
        true -> partition_of(F, Rest, [X | Yes], No);
        false -> partition_of(F, Rest, Yes, [X | No])
    end;
partition_of(_, [], Yes, No) -> {reverse(Yes), reverse(No)}.

search(F, List) when is_function(F, 1) -> search_in(F, List).

search_in(F, [X | Rest]) ->
    case F(X) of
        true -> {value, X};
        false -> search_in(F, Rest)
    end;
search_in(_, []) -> false.

takewhile(F, List) when is_function(F, 1) -> takewhile_of(F, List).

takewhile_of(F, [X | Rest]) ->
    case F(X) of
        true -> [X | takewhile_of(F, Rest)];
        false -> []
    end;
takewhile_of(_, []) -> [].

dropwhile(F, List) when is_function(F, 1) -> dropwhile_of(F, List).

dropwhile_of(F, [X | Rest] = List) ->
    case F(X) of
        true -> dropwhile_of(F, Rest);
        false -> List
    end;
dropwhile_of(_, []) -> [].

splitwith(F, List) when is_function(F, 1) -> splitwith_of(F, List, []).

splitwith_of(F, [X | Rest] = List, Taken) ->
    case F(X) of
        true -> splitwith_of(F, Rest, [X | Taken]);
        false -> {reverse(Taken), List}
    end;
splitwith_of(_, [], Taken) -> {reverse(Taken), []}.

zipwith(F, [X | Xs], [Y | Ys]) ->
    Z = F(X, Y),
    [Z | zipwith(F, Xs, Ys)];
zipwith(F, [], []) when is_function(F, 2) -> [].

zipwith3(F, [X | Xs], [Y | Ys], [Z | Zs]) ->
    R = F(X, Y, Z),
    [R | zipwith3(F, Xs, Ys, Zs)];
zipwith3(F, [], [], []) when is_function(F, 3) -> [].

%% Lists put together and taken apart.

append([List]) -> List;
append([List | Rest]) -> List ++ append(Rest);
append([]) -> [].

append(Xs, Ys) -> Xs ++ Ys.

subtract(Xs, Ys) -> Xs -- Ys.

reverse([]) -> [];
reverse([_ | _] = List) -> reverse(List, []).

reverse(List, Tail) ->
    is_proper(List) orelse error(badarg),
    reverse_onto(List, Tail).

reverse_onto([X | Rest], Tail) -> reverse_onto(Rest, [X | Tail]);
reverse_onto([], Tail) -> Tail.

is_proper([_ | Rest]) -> is_proper(Rest);
is_proper([]) -> true;
is_proper(_) -> false.

delete(X, [X | Rest]) -> Rest;
delete(X, [Y | Rest]) -> [Y | delete(X, Rest)];
delete(_, []) -> [].

duplicate(N, X) when is_integer(N), N >= 0 -> copies(N, X).

copies(0, _) -> [];
copies(N, X) -> [X | copies(N - 1, X)].

enumerate(List) -> enumerate(1, List).

enumerate(N, List) when is_integer(N) -> enumerate_from(N, List).

enumerate_from(N, [X | Rest]) -> [{N, X} | enumerate_from(N + 1, Rest)];
enumerate_from(_, []) -> [].

flatten(List) when is_list(List) -> flatten_onto(List, []).

flatten(List, Tail) when is_list(List), is_list(Tail) -> flatten_onto(List, Tail).

flatten_onto([X | Rest], Tail) when is_list(X) -> flatten_onto(X, flatten_onto(Rest, Tail));
flatten_onto([X | Rest], Tail) -> [X | flatten_onto(Rest, Tail)];
flatten_onto([], Tail) -> Tail.

flatlength(List) -> flatlength(List, 0).

flatlength([X | Rest], N) when is_list(X) -> flatlength(X, flatlength(Rest, N));
flatlength([_ | Rest], N) -> flatlength(Rest, N + 1);
flatlength([], N) -> N.

join(_, []) -> [];
join(Separator, [X | Rest]) -> [X | join_rest(Separator, Rest)].

join_rest(_, []) -> [];
join_rest(Separator, [X | Rest]) -> [Separator, X | join_rest(Separator, Rest)].

droplast([_]) -> [];
droplast([X | Rest]) -> [X | droplast(Rest)].

last([X]) -> X;
last([_ | Rest]) -> last(Rest).

nth(1, [X | _]) -> X;
nth(N, [_ | Rest]) when N > 1 -> nth(N - 1, Rest).

nthtail(0, List) when is_list(List) -> List;
nthtail(N, [_ | Rest]) when is_integer(N), N > 0 -> nthtail(N - 1, Rest).

split(N, List) when is_integer(N), N >= 0, is_list(List) ->
    case split_at(N, List, []) of
        {_, _} = Parts -> Parts;
        Why -> error(Why)
    end;
split(_, _) -> error(badarg).

split_at(0, List, Taken) -> {reverse(Taken), List};
split_at(N, [X | Rest], Taken) -> split_at(N - 1, Rest, [X | Taken]);
split_at(_, _, _) -> badarg.

sublist(List, N) when is_integer(N), is_list(List) ->
    case N >= 0 of
        true -> at_most(N, List);
        false -> error(function_clause)
    end.

at_most(0, _) -> [];
at_most(_, []) -> [];
at_most(N, [X | Rest]) -> [X | at_most(N - 1, Rest)].

sublist(List, 1, N) when is_list(List), is_integer(N), N >= 0 -> at_most(N, List);
sublist([], Start, N) when is_integer(Start), Start > 0, is_integer(N), N >= 0 -> [];
sublist([_ | Rest], Start, N) when is_integer(Start), Start > 1, is_integer(N), N >= 0 ->
    sublist(Rest, Start - 1, N).

seq(From, To) when is_integer(From), is_integer(To), From - 1 =< To -> up(From, To, 1).

seq(From, To, Step) when is_integer(From), is_integer(To), is_integer(Step) ->
    if
        Step > 0, From - Step =< To -> up(From, To, Step);
        Step < 0, From - Step >= To -> down(From, To, Step);
        Step =:= 0, From =:= To -> [From];
        true -> error(badarg)
    end;
seq(_, _, _) -> error(badarg).

up(From, To, _) when From > To -> [];
up(From, To, Step) -> [From | up(From + Step, To, Step)].

down(From, To, _) when From < To -> [];
down(From, To, Step) -> [From | down(From + Step, To, Step)].

uniq(List) -> uniq(fun(X) -> X end, List).

uniq(F, List) when is_function(F, 1) -> uniq_of(F, List, []).

uniq_of(F, [X | Rest], Seen) ->
    Key = F(X),
    case member(Key, Seen) of
        true -> uniq_of(F, Rest, Seen);
        false -> [X | uniq_of(F, Rest, [Key | Seen])]
    end;
uniq_of(_, [], _) -> [].

zip([X | Xs], [Y | Ys]) -> [{X, Y} | zip(Xs, Ys)];
zip([], []) -> [].

zip3([X | Xs], [Y | Ys], [Z | Zs]) -> [{X, Y, Z} | zip3(Xs, Ys, Zs)];
zip3([], [], []) -> [].

unzip([{X, Y} | Rest]) ->
    {Xs, Ys} = unzip(Rest),
    {[X | Xs], [Y | Ys]};
unzip([]) -> {[], []}.

unzip3([{X, Y, Z} | Rest]) ->
    {Xs, Ys, Zs} = unzip3(Rest),
    {[X | Xs], [Y | Ys], [Z | Zs]};
unzip3([]) -> {[], [], []}.

%% Questions.

member(X, List) ->
    case member_of(X, List) of
        improper -> error(badarg);
        IsMember -> IsMember
    end.

member_of(X, [X | _]) -> true;
member_of(X, [_ | Rest]) -> member_of(X, Rest);
member_of(_, []) -> false;
member_of(_, _) -> improper.

prefix([X | Xs], [X | Ys]) -> prefix(Xs, Ys);
prefix([], List) when is_list(List) -> true;
prefix([_ | _], List) when is_list(List) -> false.

suffix(Suffix, List) ->
    Skipped = length(List) - length(Suffix),
    Skipped >= 0 andalso nthtail(Skipped, List) =:= Suffix.

sum(List) -> sum(List, 0).

sum([X | Rest], Sum) -> sum(Rest, Sum + X);
sum([], Sum) -> Sum.

max([X | Rest]) -> greatest(Rest, X).

greatest([X | Rest], Max) when X > Max -> greatest(Rest, X);
greatest([_ | Rest], Max) -> greatest(Rest, Max);
greatest([], Max) -> Max.

min([X | Rest]) -> least(Rest, X).

least([X | Rest], Min) when X < Min -> least(Rest, X);
least([_ | Rest], Min) -> least(Rest, Min);
least([], Min) -> Min.

%% Lists of tuples. Keys are compared by ==.

keyfind(Key, N, List) when is_integer(N), N > 0 ->
    case find_key(Key, N, List) of
        improper -> error(badarg);
        Found -> Found
    end;
keyfind(_, _, _) -> error(badarg).

find_key(Key, N, [X | _]) when element(N, X) == Key -> X;
find_key(Key, N, [_ | Rest]) -> find_key(Key, N, Rest);
find_key(_, _, []) -> false;
find_key(_, _, _) -> improper.

keymember(Key, N, List) -> keyfind(Key, N, List) =/= false.

keysearch(Key, N, List) ->
    case keyfind(Key, N, List) of
        false -> false;
        Found -> {value, Found}
    end.

keydelete(Key, N, List) when is_integer(N), N > 0 -> delete_key(Key, N, List).

delete_key(Key, N, [X | Rest]) when element(N, X) == Key -> Rest;
delete_key(Key, N, [X | Rest]) -> [X | delete_key(Key, N, Rest)];
delete_key(_, _, []) -> [].

keyreplace(Key, N, List, New) when is_integer(N), N > 0, is_tuple(New) ->
    replace_key(Key, N, List, New).

replace_key(Key, N, [X | Rest], New) when element(N, X) == Key -> [New | Rest];
replace_key(Key, N, [X | Rest], New) -> [X | replace_key(Key, N, Rest, New)];
replace_key(_, _, [], _) -> [].

keystore(Key, N, List, New) when is_integer(N), N > 0, is_tuple(New) -> store_key(Key, N, List, New).

store_key(Key, N, [X | Rest], New) when element(N, X) == Key -> [New | Rest];
store_key(Key, N, [X | Rest], New) -> [X | store_key(Key, N, Rest, New)];
store_key(_, _, [], New) -> [New].

keytake(Key, N, List) when is_integer(N), N > 0 -> take_key(Key, N, List, []).

take_key(Key, N, [X | Rest], Before) when element(N, X) == Key -> {value, X, reverse_onto(Before, Rest)};
take_key(Key, N, [X | Rest], Before) -> take_key(Key, N, Rest, [X | Before]);
take_key(_, _, [], _) -> false.

keymap(F, N, [X | Rest]) ->
    Y = setelement(N, X, F(element(N, X))),
    [Y | keymap(F, N, Rest)];
keymap(F, N, []) when is_integer(N), N >= 1, is_function(F, 1) -> [].

%% Sorting and merging. Of two elements that count as equal the first stays first; the functions
%% with a `u` keep only the first of them.

sort(List) -> sort(fun(X, Y) -> X =< Y end, List).

sort(F, List) when is_function(F, 2) -> sort_by(F, List).

sort_by(F, [X | Rest]) -> insert(F, X, sort_by(F, Rest));
sort_by(_, []) -> [].

insert(F, X, [Y | Rest] = Sorted) ->
    case F(X, Y) of
        true -> [X | Sorted];
        false -> [Y | insert(F, X, Rest)]
    end;
insert(_, X, []) -> [X].

usort(List) -> usort(fun(X, Y) -> X =< Y end, List).

usort(F, List) when is_function(F, 2) -> without_equals(F, sort_by(F, List)).

%% In a sorted list, an element equals the one before it if it is also less than or equal to it.
without_equals(F, [X, Y | Rest]) ->
    case F(Y, X) of
        true -> without_equals(F, [X | Rest]);
        false -> [X | without_equals(F, [Y | Rest])]
    end;
without_equals(_, List) -> List.

keysort(N, List) when is_integer(N), N > 0 -> sort_by(by_key(N), List).

ukeysort(N, List) when is_integer(N), N > 0 -> without_equals(by_key(N), sort_by(by_key(N), List)).

by_key(N) -> fun(X, Y) -> element(N, X) =< element(N, Y) end.

merge(Lists) -> foldr(fun(List, Merged) -> merge(List, Merged) end, [], Lists).

merge(Xs, Ys) -> merge(fun(X, Y) -> X =< Y end, Xs, Ys).

merge(F, [X | Xs] = All, [Y | Ys]) when is_function(F, 2) ->
    case F(X, Y) of
        true -> [X | merge(F, Xs, [Y | Ys])];
        false -> [Y | merge(F, All, Ys)]
    end;
merge(F, [], Ys) when is_function(F, 2), length(Ys) >= 0 -> Ys;
merge(F, Xs, []) when is_function(F, 2), length(Xs) >= 0 -> Xs.

merge3(Xs, Ys, Zs) -> merge(Xs, merge(Ys, Zs)).

keymerge(N, Xs, Ys) when is_integer(N), N > 0 -> merge(by_key(N), Xs, Ys).

umerge(Lists) -> foldr(fun(List, Merged) -> umerge(List, Merged) end, [], Lists).

umerge(Xs, Ys) -> umerge(fun(X, Y) -> X =< Y end, Xs, Ys).

umerge(F, Xs, Ys) -> without_equals(F, merge(F, Xs, Ys)).

umerge3(Xs, Ys, Zs) -> umerge(Xs, umerge(Ys, Zs)).

ukeymerge(N, Xs, Ys) when is_integer(N), N > 0 -> umerge(by_key(N), Xs, Ys).
