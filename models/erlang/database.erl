%% A database that two clients use (Huch, Model Checking Erlang Programs: LTL-Propositions and Abstract
%% Interpretation, example 1; rebuilt from the description, as the code itself is not printed).
%%
%% The database stores pairs of a key and a value. A client allocates a key in two steps: it asks for
%% the key, and if the key is free, it sends the value. In between the database takes a value from
%% this client only, so no value gets under the wrong key.
%%
%% Two keys, two values. The clients are @0 and @2, the database is @1.
%%
%% Claim (section 9): after a client has asked for a key, no other process sets a value before it does,
%% or before it learns that the key is allocated. It holds concretely and under `--domain 'depth(2)'`.
-module(database).
-export([main/0]).
-import(selvedge, [prop/1, choice/1]).

-property({exclusive, "forall i /= j: G ({allocate,i} -> (!{value,j}) U ({value,i} | allocated))"}).
-property({served, "G ({allocate,@0} -> F top)"}).
-property({looked_up, "F lookup", violated}).

main() ->
    Database = spawn(fun() -> database([]) end),
    spawn(fun() -> client(Database) end),
    client(Database).

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
