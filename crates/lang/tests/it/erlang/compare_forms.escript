#!/usr/bin/env escript
%% Compares the forms of files with those of the same files as Selvedge prints them, in a folder.
%%
%% What Selvedge writes out is written out on both sides: a list before `++`, arithmetic on integers, the
%% types of segments in one order. Lines in the maps of log events are left out: `?LINE` of a macro call over
%% several lines is that of its first line for Selvedge.
-mode(compile).

main([Printed | Files]) ->
    Folders = filelib:wildcard("/usr/lib/erlang/lib/{stdlib,kernel}-*/{include,src}"),
    Counts = [compare(File, filename:join(Printed, filename:basename(File)), Folders) || File <- Files],
    io:format("~w", [lists:sum(Counts)]).

compare(File, Printed, Folders) ->
    {ok, Theirs} = epp:parse_file(File, [{includes, Folders}]),
    {ok, Ours} = epp:parse_file(Printed, []),
    {Left, Right} = {forms(Theirs), forms(Ours)},
    case Left of
        Right -> length(Left);
        _ -> io:format("~s: ~P~n", [File, Left -- Right, 60]), halt(1)
    end.

forms(Forms) ->
    [normal(erl_parse:map_anno(fun(_) -> 0 end, Form)) || Form <- Forms, is_form(Form)].

is_form({attribute, _, file, _}) -> false;
is_form({eof, _}) -> false;
is_form(_) -> true.

normal({bin_element, A, Value, Size, Types}) when is_list(Types) ->
    {bin_element, A, normal(Value), normal(Size), lists:sort([segment_type(Type) || Type <- Types])};
normal({map_field_assoc, A, {atom, _, line}, _}) ->
    {map_field_assoc, A, line};
normal({op, A, '++', Left, Right}) ->
    append(A, normal(Left), normal(Right));
normal({op, A, Operator, Left0, Right0}) ->
    {Left, Right} = {normal(Left0), normal(Right0)},
    try {erlang:Operator(integer(Left), integer(Right))} of
        {Value} when is_integer(Value) -> {integer, A, Value};
        _ -> {op, A, Operator, Left, Right}
    catch
        error:_ -> {op, A, Operator, Left, Right}
    end;
normal({op, A, Operator, Operand0}) ->
    Operand = normal(Operand0),
    try {integer, A, erlang:Operator(integer(Operand))}
    catch
        error:_ -> {op, A, Operator, Operand}
    end;
normal(Tuple) when is_tuple(Tuple) -> list_to_tuple(normal(tuple_to_list(Tuple)));
normal([Head | Tail]) -> [normal(Head) | normal(Tail)];
normal(Other) -> Other.

append(A, {string, _, Left}, {string, _, Right}) -> {string, A, Left ++ Right};
append(A, {string, _, Left}, Right) -> lists:foldr(fun(C, Tail) -> {cons, A, {char, A, C}, Tail} end, Right, Left);
append(A, {cons, _, Head, Tail}, Right) -> {cons, A, Head, append(A, Tail, Right)};
append(_, {nil, _}, Right) -> Right;
append(A, Left, Right) -> {op, A, '++', Left, Right}.

segment_type(bits) -> bitstring;
segment_type(bytes) -> binary;
segment_type(Type) -> Type.

integer({integer, _, Value}) -> Value;
integer({char, _, Value}) -> Value.
