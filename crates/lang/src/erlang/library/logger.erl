%% The module logger, for programs under check: log messages are dropped.
%%
%% Left out: everything but the functions that log.
-module(logger).

-export([alert/1, alert/2, alert/3, critical/1, critical/2, critical/3]).
-export([debug/1, debug/2, debug/3, emergency/1, emergency/2, emergency/3]).
-export([error/1, error/2, error/3, info/1, info/2, info/3]).
-export([notice/1, notice/2, notice/3, warning/1, warning/2, warning/3]).
-export([log/2, log/3, log/4]).

alert(_) -> ok.
alert(_, _) -> ok.
alert(_, _, _) -> ok.

critical(_) -> ok.
critical(_, _) -> ok.
critical(_, _, _) -> ok.

debug(_) -> ok.
debug(_, _) -> ok.
debug(_, _, _) -> ok.

emergency(_) -> ok.
emergency(_, _) -> ok.
emergency(_, _, _) -> ok.

error(_) -> ok.
error(_, _) -> ok.
error(_, _, _) -> ok.

info(_) -> ok.
info(_, _) -> ok.
info(_, _, _) -> ok.

notice(_) -> ok.
notice(_, _) -> ok.
notice(_, _, _) -> ok.

warning(_) -> ok.
warning(_, _) -> ok.
warning(_, _, _) -> ok.

log(_, _) -> ok.
log(_, _, _) -> ok.
log(_, _, _, _) -> ok.
