%% The module rand, for programs under check: a random number is a choice.
%%
%% Left out: floats, and generators whose state the program keeps.
-module(rand).

-export([seed/1, seed/2, uniform/1]).

uniform(N) when is_integer(N), N >= 1 -> selvedge:choice(lists:seq(1, N)).

%% Every number is possible whatever the seed.
seed(_) -> ok.
seed(_, _) -> ok.
