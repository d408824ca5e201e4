%% A division that loses the parity (Huch, Model Checking Erlang Programs, example 3).
%%
%% An even number divided by an even number can be any integer. So the abstraction cannot say whether
%% the result, 42, is even.
%%
%% Claim: `F even` holds, but is not proved: the abstract counterexample is spurious. `G !even` must
%% not be proved from the fact that `even` is not proved; it is violated.
%%
%% Ends under erl.
-module('parity-division').
-export([main/0]).
-import(selvedge, [prop/1]).

-domain("parity").
-property({even, "F even", may_be_violated}).
-property({never_even, "G !even", violated}).

main() -> prop(84 div 2).
