%% The database of database.erl, broken: it does not wait for the value of the client that it has told
%% `free`, and takes the next value from any client.
%%
%% Claim: now a client can set a value between the two steps of the other, and the value gets under
%% the wrong key.
-module('database-broken').
-export([main/0]).
-import(selvedge, [prop/1, choice/1]).

-property({exclusive, "forall i /= j: G ({allocate,i} -> (!{value,j}) U ({value,i} | allocated))", violated}).
-property({other_first, "G ({allocate,@0} -> (!{value,@2}) U ({value,@0} | allocated))", violated}).

main() ->
    Database = spawn(fun() -> database([], none) end),
    spawn(fun() -> client(Database) end),
    client(Database).

%% Waiting is the key that the next value gets.
database(Stored, Waiting) ->
    prop(top),
    receive
        {allocate, Key, Client} ->
            prop({allocate, Client}),
            case lookup(Key, Stored) of
                fail ->
                    Client ! free,
                    database(Stored, Key);
                {found, _} ->
                    Client ! prop(allocated),
                    database(Stored, Waiting)
            end;
        {value, Value, Client} ->
            prop({value, Client}),
            database([{Waiting, Value} | lists:keydelete(Waiting, 1, Stored)], none);
        {lookup, Key, Client} ->
            prop(lookup),
            Client ! lookup(Key, Stored),
            database(Stored, Waiting)
    end.

lookup(_, []) -> fail;
lookup(Key, [{Key, Value} | _]) -> {found, Value};
lookup(Key, [_ | Rest]) -> lookup(Key, Rest).

client(Database) ->
    Key = choice([k1, k2]),
    case choice([allocate, lookup]) of
        allocate -> allocate(Database, Key);
        lookup ->
            Database ! {lookup, Key, self()},
            receive
                fail -> ok;
                {found, _} -> ok
            end
    end,
    client(Database).

allocate(Database, Key) ->
    Database ! {allocate, Key, self()},
    receive
        free -> Database ! {value, choice([v1, v2]), self()};
        allocated -> ok
    end.
