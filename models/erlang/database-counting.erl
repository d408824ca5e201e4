%% The database of database.erl with keys 0, 1, 2, ... without end.
%%
%% Each client allocates its next key and looks it up, so the database grows: concretely the search
%% reaches its limit. Under the product of two domains the state space is finite: `parity` knows of a
%% key whether it is even, and `depth(2)` cuts the list of pairs off.
%%
%% Claim: the property of database.erl.
-module('database-counting').
-export([main/0]).
-import(selvedge, [prop/1]).

-domain("parity").
-domain("depth(2)").
-property({exclusive, "forall i /= j: G ({allocate,i} -> (!{value,j}) U ({value,i} | allocated))"}).

main() ->
    Database = spawn(fun() -> database([]) end),
    spawn(fun() -> client(Database, 0) end),
    client(Database, 0).

database(Stored) ->
    prop(top),
    receive
        {allocate, Key, Client} ->
            prop({allocate, Client}),
            case lookup(Key, Stored) of
                fail ->
                    Client ! free,
                    receive
                        {value, Value, Client} ->
                            prop({value, Client}),
                            database([{Key, Value} | Stored])
                    end;
                {found, _} ->
                    Client ! prop(allocated),
                    database(Stored)
            end;
        {lookup, Key, Client} ->
            prop(lookup),
            Client ! lookup(Key, Stored),
            database(Stored)
    end.

lookup(_, []) -> fail;
lookup(Key, [{Key, Value} | _]) -> {found, Value};
lookup(Key, [_ | Rest]) -> lookup(Key, Rest).

client(Database, Key) ->
    Database ! {allocate, Key, self()},
    receive
        free -> Database ! {value, Key, self()};
        allocated -> ok
    end,
    Database ! {lookup, Key, self()},
    receive
        fail -> ok;
        {found, _} -> ok
    end,
    client(Database, Key + 1).
