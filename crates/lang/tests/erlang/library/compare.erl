%% Random calls of the library's functions and of OTP's: both must give the same value or fail with
%% the same exception. Where an argument has not the documented type, OTP's functions may return
%% something nevertheless; where they fail, so must the library's.
%%
%% The modules of the library are here under names with the prefix `sv_`. main/1 takes the number of
%% calls of each function, prints each difference, and then one line with the numbers.
-module(compare).

-export([main/1, functions/0, drawn/1, outcome/3, one_of/1]).

main(Calls) ->
    rand:seed(exsss, {18, 5, 1999}),
    Differences = lists:sum([differences(Function, Calls) || Function <- functions()]),
    io:format("~b calls, ~b differences, ~b functions not called~n",
              [Calls * length(functions()), Differences, length(not_called())]),
    halt().

%% The exported functions of the library that no row of functions() calls. Those of timer that make
%% timers are in the scenarios.
not_called() ->
    Called = [{Module, Function, length(Kinds)} || {Module, Function, Kinds} <- functions()],
    Exported = [{Module, Function, Arity}
                || {Module, Ours} <- [{lists, sv_lists}, {maps, sv_maps}, {proplists, sv_proplists}],
                   {Function, Arity} <- Ours:module_info(exports), Function =/= module_info],
    [io:format("~p is not called~n", [Function]) || Function <- Exported -- Called],
    Exported -- Called.

differences({Module, Function, Kinds}, Calls) ->
    Ours = list_to_atom("sv_" ++ atom_to_list(Module)),
    length([different || _ <- lists:seq(1, Calls), is_different(Module, Ours, Function, Kinds)]).

is_different(Module, Ours, Function, Kinds) ->
    Drawn = [argument(Kind) || Kind <- Kinds],
    IsDocumented = lists:all(fun({Is, _}) -> Is =:= documented end, Drawn),
    Arguments = [Argument || {_, Argument} <- Drawn],
    Expected = outcome(Module, Function, Arguments),
    Found = outcome(Ours, Function, Arguments),
    case IsDocumented andalso Expected =/= Found orelse is_error(Expected) andalso not is_error(Found) of
        false -> false;
        true ->
            io:format("~p:~p(~0p): ~0p, and here ~0p~n", [Module, Function, Arguments, Expected, Found]),
            true
    end.

%% The manual leaves the order of keys open.
outcome(Module, get_keys, Arguments) ->
    case outcome(Module, fun(List) -> Module:get_keys(List) end, Arguments) of
        {value, Keys} -> {value, lists:sort([{is_float(Key), Key} || Key <- Keys])};
        Failed -> Failed
    end;
outcome(Module, Function, Arguments) ->
    try
        case Function of
            Name when is_atom(Name) -> {value, apply(Module, Name, Arguments)};
            _ -> {value, apply(Function, Arguments)}
        end
    catch
        Class:Reason -> {Class, Reason}
    end.

is_error({error, _}) -> true;
is_error(_) -> false.

%% One argument in twelve is of any kind, but for merges by keys: they look at elements that are no
%% tuples only if they compare them.
argument(Kind) when Kind =:= first; Kind =:= sorted_pairs; Kind =:= strictly_sorted_pairs ->
    {documented, value(Kind)};
argument(Kind) ->
    case rand:uniform(12) of
        1 -> {any, value(term)};
        _ -> {documented, value(Kind)}
    end.

value(term) -> value(one_of([atom, integer, float, tuple, list, pairs, map, improper, fun_1, fun_2]));
value(integer) -> rand:uniform(9) - 4;
value(count) -> rand:uniform(6) - 1;
value(position) -> rand:uniform(3);
value(float) -> float(value(integer));
value(half) -> value(integer) + 0.5;
value(first) -> 1;
value(atom) -> one_of([a, b, c, true, false]);
value(key) -> value(one_of([atom, atom, integer, float]));
%% No integer equals a half: of equal numbers OTP's sort/1 does not say which is first.
value(element) -> value(one_of([integer, integer, half, atom]));
value(tuple) -> list_to_tuple(some(key));
value(pair) -> {value(key), value(element)};
value(triple) -> {value(key), value(element), value(key)};
value(list) -> some(element);
value(numbers) -> some(one_of([integer, integer, float]));
value(sorted) -> lists:sort(value(list));
value(strictly_sorted) -> lists:usort(value(list));
value(sorted_lists) -> [value(sorted) || _ <- some(key)];
value(strictly_sorted_lists) -> [value(strictly_sorted) || _ <- some(key)];
value(pairs) -> some(pair);
value(triples) -> some(triple);
value(sorted_pairs) -> lists:keysort(1, value(pairs));
value(strictly_sorted_pairs) -> lists:ukeysort(1, value(pairs));
value(tuples) -> some(tuple);
value(mixed) -> [value(one_of([pair, pair, tuple, atom, integer])) || _ <- some(key)];
value(properties) -> [value(one_of([pair, atom, tuple, list_property, integer])) || _ <- some(key)];
value(list_property) -> {value(atom), value(list)};
value(keys) -> some(key);
value(lists) -> [value(list) || _ <- some(key)];
value(nested) -> [value(one_of([list, lists, atom, integer])) || _ <- some(key)];
value(map) -> maps:from_list(value(pairs));
value(improper) -> value(list) ++ value(atom);
value(Kind) -> element(2, drawn(Kind)).

%% A value of the kind with its source text.
drawn(Kind) ->
    case sources(Kind) of
        [] ->
            Value = value(Kind),
            {lists:flatten(io_lib:format("~0p", [Value])), Value};
        Sources ->
            Source = one_of(Sources),
            {ok, Tokens, _} = erl_scan:string(Source ++ "."),
            {ok, Expressions} = erl_parse:parse_exprs(Tokens),
            {value, Value, _} = erl_eval:exprs(Expressions, []),
            {Source, Value}
    end.

sources(test) ->
    ["fun(X) -> is_atom(X) end", "fun(X) -> X > 0 end", "fun(X) -> X =:= 1 orelse X end"];
sources(fun_1) -> ["fun(X) -> {X} end", "fun(X) -> X + 1 end", "fun(X) -> X end"];
sources(fun_to_list) -> ["fun(X) -> [X, X] end", "fun(X) -> X end", "fun(_) -> [] end"];
sources(fun_to_key) -> ["fun(X) -> X end", "fun(X) -> is_atom(X) end"];
sources(choosing) -> ["fun(X) -> {true, {X}} end", "fun(X) -> is_atom(X) end", "fun(X) -> X end"];
sources(fun_2) -> ["fun(X, Y) -> {X, Y} end", "fun(X, Y) -> [X | Y] end", "fun(X, Y) -> X + Y end"];
sources(fold_map) ->
    ["fun(X, Y) -> {{X}, [X | Y]} end", "fun(X, Y) -> {X, Y} end", "fun(X, _) -> X end"];
sources(order) -> ["fun(X, Y) -> X =< Y end", "fun(X, Y) -> X >= Y end"];
sources(ascending) -> ["fun(X, Y) -> X =< Y end"];
sources(fun_3) -> ["fun(X, Y, Z) -> {X, Y, Z} end", "fun(_, Y, Z) -> [Y | Z] end"];
sources(test_2) ->
    ["fun(X, _) -> is_atom(X) end", "fun(_, Y) -> Y > 0 end", "fun(_, Y) -> Y end"];
sources(choosing_2) ->
    ["fun(X, Y) -> {true, {X, Y}} end", "fun(X, _) -> is_atom(X) end", "fun(_, Y) -> Y end"];
sources(_) -> [].

some(Kind) -> [value(Kind) || _ <- lists:seq(1, rand:uniform(6) - 1)].

one_of(Values) -> lists:nth(rand:uniform(length(Values)), Values).

functions() ->
    [{lists, Function, Kinds} || {Function, Kinds} <- of_lists()] ++
        [{maps, Function, Kinds} || {Function, Kinds} <- of_maps()] ++
        [{proplists, Function, Kinds} || {Function, Kinds} <- of_proplists()] ++
        [{timer, Function, Kinds} || {Function, Kinds} <- of_timer()].

of_lists() ->
    [{all, [test, list]}, {any, [test, list]}, {append, [lists]}, {append, [list, list]},
     {delete, [element, list]}, {droplast, [list]}, {dropwhile, [test, list]}, {duplicate, [count, atom]},
     {enumerate, [list]}, {enumerate, [integer, list]}, {filter, [test, list]}, {filtermap, [choosing, list]},
     {flatlength, [nested]}, {flatmap, [fun_to_list, lists]}, {flatten, [nested]}, {flatten, [nested, list]},
     {foldl, [fun_2, integer, list]}, {foldr, [fun_2, integer, list]}, {foreach, [fun_1, list]},
     {join, [atom, list]}, {keydelete, [key, position, mixed]}, {keyfind, [key, position, mixed]},
     {keymap, [fun_1, position, triples]}, {keymember, [key, position, mixed]},
     {keymerge, [first, sorted_pairs, sorted_pairs]}, {keyreplace, [key, position, mixed, tuple]},
     {keysearch, [key, position, mixed]}, {keysort, [position, triples]},
     {keystore, [key, position, mixed, tuple]}, {keytake, [key, position, mixed]}, {last, [list]},
     {map, [fun_1, list]}, {mapfoldl, [fold_map, integer, list]}, {mapfoldr, [fold_map, integer, list]},
     {max, [list]}, {member, [element, list]}, {merge, [sorted_lists]}, {merge, [sorted, sorted]},
     {merge, [order, sorted, sorted]}, {merge3, [sorted, sorted, sorted]}, {min, [list]}, {nth, [integer, list]},
     {nthtail, [integer, list]}, {partition, [test, list]}, {prefix, [list, list]}, {reverse, [list]},
     {reverse, [list, list]}, {search, [test, list]}, {seq, [integer, integer]},
     {seq, [integer, integer, integer]}, {sort, [list]}, {sort, [order, list]}, {split, [integer, list]},
     {splitwith, [test, list]}, {sublist, [list, integer]}, {sublist, [list, position, count]},
     {subtract, [list, list]}, {suffix, [list, list]}, {sum, [numbers]}, {takewhile, [test, list]},
     {ukeymerge, [first, strictly_sorted_pairs, strictly_sorted_pairs]}, {ukeysort, [position, triples]},
     {umerge, [strictly_sorted_lists]}, {umerge, [strictly_sorted, strictly_sorted]},
     {umerge, [ascending, strictly_sorted, strictly_sorted]},
     {umerge3, [strictly_sorted, strictly_sorted, strictly_sorted]}, {uniq, [list]}, {uniq, [fun_to_key, list]},
     {unzip, [pairs]}, {unzip3, [triples]}, {usort, [list]}, {usort, [order, list]}, {zip, [list, list]},
     {zip3, [list, list, list]}, {zipwith, [fun_2, list, list]}, {zipwith3, [fun_3, list, list, list]}].

of_maps() ->
    [{filter, [test_2, map]}, {filtermap, [choosing_2, map]}, {fold, [fun_3, atom, map]}, {foreach, [fun_2, map]},
     {from_keys, [keys, atom]}, {get, [key, map, atom]}, {groups_from_list, [fun_to_key, list]},
     {groups_from_list, [fun_to_key, fun_1, list]}, {intersect, [map, map]}, {intersect_with, [fun_3, map, map]},
     {keys, [map]}, {map, [fun_2, map]}, {merge, [map, map]}, {merge_with, [fun_3, map, map]}, {new, []},
     {take, [key, map]}, {update, [key, atom, map]}, {update_with, [key, fun_1, map]},
     {update_with, [key, fun_1, atom, map]}, {values, [map]}, {with, [keys, map]}, {without, [keys, map]}].

of_proplists() ->
    [{append_values, [atom, properties]}, {compact, [properties]}, {delete, [atom, properties]}, {from_map, [map]},
     {get_all_values, [atom, properties]}, {get_bool, [atom, properties]}, {get_keys, [properties]},
     {get_value, [atom, properties]}, {get_value, [atom, properties, atom]}, {is_defined, [atom, properties]},
     {lookup, [atom, properties]}, {lookup_all, [atom, properties]}, {property, [pair]}, {property, [atom, atom]},
     {split, [properties, keys]}, {to_map, [properties]}, {unfold, [properties]}].

of_timer() ->
    [{hms, [integer, integer, integer]}, {hours, [integer]}, {minutes, [integer]}, {seconds, [integer]}].
