%% A callback module with no optional callback.
-module(bare).

-export([init/1, handle_call/3, handle_cast/2]).

init(Value) -> {ok, Value}.

handle_call(get, _, Value) -> {reply, Value, Value}.

handle_cast(Value, _) -> {noreply, Value}.
