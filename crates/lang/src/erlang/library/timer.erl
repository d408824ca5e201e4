%% The module timer, for programs under check: timers without the process that OTP has for them.
%%
%% How long a time is matters only as the manual of `selvedge` says: a timeout expires whenever no
%% message matches, a long one only where no other process can move.
%%
%% Left out: repeated timers, and timers that call functions or send exit signals.
-module(timer).

-export([cancel/1, hms/3, hours/1, minutes/1, seconds/1, send_after/2, send_after/3, sleep/1]).

sleep(Time) ->
    receive
    after Time -> ok
    end.

send_after(Time, Message) -> send_after(Time, self(), Message).

send_after(Time, To, Message) when is_integer(Time), Time >= 0, (is_pid(To) orelse is_atom(To)) ->
    {ok, {timer, erlang:send_after(Time, To, Message)}};
send_after(_, _, _) -> {error, badarg}.

cancel({timer, Ref}) when is_reference(Ref) ->
    erlang:cancel_timer(Ref),
    {ok, cancel};
cancel(_) -> {error, badarg}.

seconds(Seconds) -> 1000 * Seconds.

minutes(Minutes) -> 60 * 1000 * Minutes.

hours(Hours) -> 60 * 60 * 1000 * Hours.

hms(Hours, Minutes, Seconds) -> hours(Hours) + minutes(Minutes) + seconds(Seconds).
