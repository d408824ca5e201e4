//! Propositions and verdicts: when a proposition holds, concretely and under domains.

use super::{concrete, expect_verdict, program, under, verdict};
use selvedge_lang::Program;
use selvedge_lang::erlang::ErlangProgram;
use selvedge_model::Fairness;

#[test]
fn a_proposition_holds_neither_before_its_process_comes_to_it_nor_after() {
    let beside = "main() -> Q = spawn(fun() -> receive m -> prop(b) end end), Q ! m, prop(a).";
    expect_verdict(beside, &concrete(), "!b U a", "violated");
    expect_verdict(beside, &concrete(), "F a & F b", "holds");
    expect_verdict("main() -> prop(a), prop(b).", &concrete(), "a U b", "violated");
    expect_verdict("main() -> prop(a), prop(b).", &concrete(), "F (a & F b)", "holds");
}

#[test]
fn the_examples_of_the_paper_have_its_verdicts() {
    let rows = [
        ("main() -> prop(42).", "F even", "holds"),
        ("main() -> prop(42).", "G !odd", "holds"),
        ("main() -> prop(84 div 2).", "F even", "may-be-violated"),
        ("main() -> prop(84 div 2).", "G !even", "may-be-violated"),
        ("main() -> prop(42 div 2).", "F even", "may-be-violated"),
        ("main() -> self() ! 42, receive 2 -> prop(done) end.", "F done", "may-be-violated"),
    ];
    for (text, formula, expected) in rows {
        expect_verdict(text, &under(&["parity"]), formula, expected);
    }
}

#[test]
fn a_proposition_that_the_domain_cannot_express_is_refused() {
    let program = program("main() -> prop(42).", &under(&["parity"]));
    let formula = selvedge_lang::Program::formula(&program, "F 42").expect("a formula");
    let mut alphabet = selvedge_ltl::Alphabet::default();
    alphabet.number(&formula).expect("one proposition");
    let system = selvedge_lang::Program::system(&program, alphabet.names(), Default::default());
    let error = system.err().expect("42 is not alone in its class");
    assert!(error.message.contains("cannot express `42`"), "{}", error.message);
}

#[test]
fn an_unknown_list_ends_where_recursion_is_structural() {
    let sum = "main() -> L = choice([[], [1], [1, 2, 3], [1, 2, 3, 4, 5]]), prop(len(L)), prop(done).
        len([]) -> 0; len([_ | T]) -> 1 + len(T).";
    expect_verdict(sum, &under(&["parity", "depth(1)"]), "F done", "holds");
    let count = "main() -> prop(count(choice([3, 5]))), prop(done). count(0) -> 0; count(N) -> count(N - 1).";
    expect_verdict(count, &under(&["parity"]), "F done", "may-be-violated");
    expect_verdict(&format!("-terminating(count/1).\n{count}"), &under(&["parity"]), "F done", "holds");
}

#[test]
fn weak_fairness_gives_every_client_the_lock() {
    let text = "main() -> S = self(), spawn(fun() -> client(S) end), spawn(fun() -> client(S) end), locker().
        locker() -> receive {lock, C} -> C ! ok, receive {unlock, C} -> locker() end end.
        client(S) -> prop({wants, self()}), S ! {lock, self()},
            receive ok -> prop({enter, self()}), S ! {unlock, self()}, client(S) end.";
    let program = program(text, &concrete());
    let answered = "G ({wants,@1} -> F {enter,@1})";
    assert_eq!(verdict(&program, answered, Fairness::None, true), "violated");
    assert_eq!(verdict(&program, answered, Fairness::Weak, true), "holds");
    assert_eq!(verdict(&program, "forall i /= j: G !({enter,i} & {enter,j})", Fairness::None, true), "holds");
    assert_eq!(verdict(&program, "G F (exists i: {enter,i})", Fairness::None, true), "holds");
}

#[test]
fn a_formula_that_counts_steps_sees_every_local_step() {
    let text = "main() -> X = id(1), prop(a), prop({b, X}). id(X) -> X.";
    expect_verdict(text, &concrete(), "X !a", "holds");
    expect_verdict(text, &concrete(), "F (a & X {b,1})", "violated");
    // The second proposition holds a fixed number of steps after the first.
    let program = program(text, &concrete());
    let later = (2..12).filter(|count| {
        let formula = format!("F (a & {}{{b,1}})", "X ".repeat(*count));
        verdict(&program, &formula, Fairness::None, true) == "holds"
    });
    assert_eq!(later.count(), 1);
}

#[test]
fn an_attribute_may_name_several_functions() {
    let text = "-terminating([count/1, other/0]).\nother() -> ok.\n\
        main() -> other(), prop(count(choice([3, 5]))), prop(done). count(0) -> 0; count(N) -> count(N - 1).";
    expect_verdict(text, &under(&["parity"]), "F done", "holds");
}

/// A process that starts after more states than are searched for the range of quantifiers.
const LATE: &str = "main() -> wait(12000), spawn(fun() -> prop({begins, self()}), prop({ends, self()}) end).\n\
                    wait(0) -> ok;\nwait(N) -> self() ! tick, receive tick -> wait(N - 1) end.";

#[test]
fn a_process_beyond_the_range_of_quantifiers_widens_it() {
    let program = program(LATE, &concrete());
    let check = |program: &ErlangProgram, formula: &str| verdict(program, formula, Fairness::None, true);
    let answered = "forall i: G ({begins,i} -> F {ends,i})";
    let unanswered = "forall i: G ({ends,i} -> F {begins,i})";
    // Processes are not met before the search of a formula.
    assert!(program.wider().is_none());
    assert_eq!(check(&program, answered), "limit");
    let wider = program.wider().expect("the search met a process");
    assert_eq!(check(&wider, answered), "holds");
    assert_eq!(check(&wider, unanswered), "violated");
    assert_eq!(wider.instances(&wider.formula(answered).expect("a formula")).len(), 2);
    assert!(wider.wider().is_none(), "no other process was met");
}
