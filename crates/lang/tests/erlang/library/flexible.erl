%% A callback module whose requests are the functions to run.
%%
%% The state is {Observer, Value}. The observer is told of each call of terminate. A message that is no
%% {run, F} is added to the value, so that it can be seen which messages arrived, and in which order.
-module(flexible).

-export([init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2]).

init({Observer, F}) when is_function(F, 0) ->
    case F() of
        {ok, Value} -> {ok, {Observer, Value}};
        {ok, Value, Next} -> {ok, {Observer, Value}, Next};
        Other -> Other
    end;
init({Observer, Value}) -> {ok, {Observer, Value}}.

handle_call(get, _, {_, Value} = State) -> {reply, Value, State};
handle_call(F, From, State) when is_function(F, 2) -> F(From, State).

handle_cast(F, State) -> F(State).

handle_info({run, F}, State) -> F(State);
handle_info(Message, {Observer, Value}) -> {noreply, {Observer, [Message | Value]}}.

handle_continue(F, State) when is_function(F, 1) -> F(State);
handle_continue(Continue, {Observer, Value}) -> {noreply, {Observer, [{continued, Continue} | Value]}}.

terminate(Reason, {Observer, Value}) ->
    Observer ! {terminate, Reason, Value},
    case Value of
        {last, F} -> F();
        _ -> ok
    end.
