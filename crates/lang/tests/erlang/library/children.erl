%% A supervisor's callback module, and its children: servers that tell an observer of their start.
-module(children).

-export([init/1, start_child/3, spec/3, spec/4]).

%% Flags and specifications are the argument itself.
init(Result) -> Result.

spec(Gen, Observer, Id) -> spec(Gen, Observer, Id, #{}).

spec(Gen, Observer, Id, Extra) ->
    maps:merge(#{id => Id, start => {?MODULE, start_child, [Gen, Observer, Id]}, shutdown => 2000}, Extra).

%% Starts a server, unless a process of the name no_start lives: then the start fails.
start_child(Gen, Observer, Id) ->
    Observer ! {start, Id},
    Init = fun() ->
        process_flag(trap_exit, true),
        case whereis(no_start) of
            undefined -> {ok, Id};
            _ -> {stop, no_start}
        end
    end,
    Gen:start_link({local, Id}, flexible, {Observer, Init}, []).
