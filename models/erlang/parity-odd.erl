%% The division of parity-division.erl with an odd result (Huch, Model Checking Erlang Programs, section 6).
%%
%% The abstract run is the same as there, but its counterexample is real: 42 div 2 is 21.
%%
%% Ends under erl.
-module('parity-odd').
-export([main/0]).
-import(selvedge, [prop/1]).

-domain("parity").
-property({even, "F even", violated}).
-property({never_even, "G !even", may_be_violated}).

main() -> prop(42 div 2).
