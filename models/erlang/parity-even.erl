%% An even number under the domain of parities (Huch, Model Checking Erlang Programs, example 2).
%%
%% Claim: 42 is abstracted to `even`, which proves `F even`. The proposition 42 itself cannot be
%% expressed by the domain: `--ltl 'F 42'` is refused.
%%
%% Ends under erl.
-module('parity-even').
-export([main/0]).
-import(selvedge, [prop/1]).

-domain("parity").
-property({even, "F even"}).
-property({not_odd, "G !odd"}).
-property({never_even, "G !even", violated}).

main() -> prop(42).
