//! Formulas about Erlang programs: which terms are propositions, and what quantifiers stand for.

use expect_test::{Expect, expect};
use selvedge_lang::erlang::formula::{Proposition, parse};
use selvedge_ltl::Formula;
use selvedge_ltl::source::Span;

fn unfolded(text: &str, pids: &[u8]) -> Formula<Proposition> {
    let formula = parse(text, Span::new(0, text.len()));
    formula.unwrap_or_else(|errors| panic!("{text}: {errors:?}")).unfold(pids).expect("small").formula
}

/// The formula over the processes `@0`, `@1`, `@2`; its text is read back as the same.
#[track_caller]
fn check(text: &str, printed: &str) {
    let formula = unfolded(text, &[0, 1, 2]);
    assert_eq!(formula.to_string(), printed);
    assert_eq!(unfolded(printed, &[]), formula, "does not round-trip");
}

/// The propositions of the formula, as they are.
#[track_caller]
fn propositions(text: &str, expect: &Expect) {
    let mut shown = Vec::new();
    unfolded(text, &[7]).propositions(&mut |proposition| shown.push(format!("{proposition:?}")));
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn a_proposition_is_a_term() {
    check("F done", "F done");
    check("G (42 -> F -1)", "G (42 -> F -1)");
    check("G !( {enter,@1}&{enter,@2} )", "G !({enter,@1} & {enter,@2})");
    check(
        "F {a, [b, c | d], #{k => v, 1 => 2.50}, <<1, \"ab\">>}",
        "F {a,[b,c|d],#{k => v,1 => 2.5},<<1,97,98>>}",
    );
    check(
        "F {'Quoted atom', 'ok', 'end', \"text\", $a, 16#ff}",
        "F {'Quoted atom',ok,'end',\"text\",97,255}",
    );
    check("{} U @0", "{} U @0");
    check("F a@b W d_1", "F a@b W d_1");
}

#[test]
fn equal_terms_are_one_proposition() {
    check("[a|[b|[]]] & [a,b] & [104,105|[]]", "[a,b] & [a,b] & prop(\"hi\")");
    check("#{b => 1, a => 2, b => 3}", "#{a => 2,b => 3}");
    check("1.0e3 & 1000.0 & -0.0", "1000.0 & 1000.0 & 0.0");
    check("{1_000, 2#11, $\\n}", "{1000,3,10}");
}

#[test]
fn the_logic_comes_first_and_prop_makes_a_term_of_anything() {
    check("true & 1 | false & 0", "true & true | false & false");
    check("prop(true) & prop(1) | prop(false) & prop(0)", "prop(true) & prop(1) | prop(false) & prop(0)");
    check("[] a & prop([])", "G a & prop([])");
    check("G prop([ ]) & [[]]", "G prop([]) & [[]]");
    check(
        "'true' & 'implies' & prop(iff) & 'forall'",
        "prop(true) & prop(implies) & prop(iff) & prop(forall)",
    );
    check("prop(done) & prop ( {a,b} ) & prop", "done & {a,b} & prop(prop)");
    check("'G' & prop('U') & 'and'", "'G' & 'U' & 'and'");
    check("prop(true@home) & home@true", "prop(true@home) & home@true");
}

#[test]
fn all_spellings_of_the_logic_are_read() {
    check("[]<> {a} /\\ ~ b \\/ c => d <-> e", "G F {a} & !b | c -> d <-> e");
    check("GF{a} && not b || X c implies WX d iff O e", "G F {a} & !b | X c -> WX d <-> O e");
    check("□(a → ◇{b}) // a comment\n", "G (a -> F {b})");
    check("a U b R c W d M e S f T g", "a U b R c W d M e S f T g");
}

#[test]
fn abstract_values_stand_by_their_names() {
    check("F even", "F even");
    check("F ?int & F ? & G !?list", "F ?int & F ? & G !?list");
    check("F <0 -> G !>=10 | 1..5 & -3..-1", "F <0 -> G !(>=10) | 1..5 & -3..-1");
    check("{count, <0} U {count, even & pos}", "{count,<0} U {count,even&pos}");
    check("F even&pos", "F even & pos");
    check("F \"even&pos\" & prop(even&pos)", "F \"even&pos\" & \"even&pos\"");
    check("{value, ?\"two words\", \"ab\"}", "{value,?\"two words\",\"ab\"}");
    check("\"?int\" & prop(?\"<0\") & \"even\"", "?int & <0 & \"even\"");
    check("[a|?list] & #{?atom => ?}", "[a|?list] & #{?atom => ?}");
    check("{0..9&even, even&?int&>=-5}", "{0..9&even,even&?int&>=-5}");
}

#[test]
fn variables_of_quantifiers_are_processes_and_quotes_make_atoms() {
    propositions(
        "forall i: {i, 'i', j} & i & [i|i] & #{i => a, @7 => b}",
        &expect![[r#"
            Tuple([Pid(7), Atom("i"), Atom("j")])
            Pid(7)
            List([Pid(7)], Some(Pid(7)))
            Map({Pid(7): Atom("b")})"#]],
    );
}

#[test]
fn a_quantifier_joins_its_formula_for_each_process() {
    check("forall i: G !{enter, i}", "G !{enter,@0} & G !{enter,@1} & G !{enter,@2}");
    check("exists i: F i", "F @0 | F @1 | F @2");
    check("forall i /= j: {i, j}", "{@0,@1} & {@0,@2} & {@1,@0} & {@1,@2} & {@2,@0} & {@2,@1}");
    check(
        "exists i, j: {i,j} & {j}",
        "{@0,@0} & {@0} | {@0,@1} & {@1} | {@0,@2} & {@2} | {@1,@0} & {@0} | {@1,@1} & {@1} | {@1,@2} & {@2} | {@2,@0} & {@0} | {@2,@1} & {@1} | {@2,@2} & {@2}",
    );
}

#[test]
fn quantifiers_nest_and_compare_with_the_variables_around() {
    check(
        "forall i: exists j /= i: {i,j}",
        "({@0,@1} | {@0,@2}) & ({@1,@0} | {@1,@2}) & ({@2,@0} | {@2,@1})",
    );
    check(
        "exists a /= b /= c: {a,b,c} & d",
        "{@0,@1,@2} & d | {@0,@2,@1} & d | {@1,@0,@2} & d | {@1,@2,@0} & d | {@2,@0,@1} & d | {@2,@1,@0} & d",
    );
    check(
        "forall i: exists j != i, k =/= j: {i,k}",
        "({@0,@0} | {@0,@2} | {@0,@0} | {@0,@1}) & ({@1,@1} | {@1,@2} | {@1,@0} | {@1,@1}) & \
         ({@2,@1} | {@2,@2} | {@2,@0} | {@2,@2})",
    );
    check("G (forall P: {P}) -> x", "G ({@0} & {@1} & {@2}) -> x");
    check("x & forall i: {i} | y", "x & (({@0} | y) & ({@1} | y) & ({@2} | y))");
}

#[test]
fn over_no_processes_forall_is_true_and_exists_false() {
    assert_eq!(unfolded("forall i: {i}", &[]), Formula::TRUE);
    assert_eq!(unfolded("G exists i: {i}", &[]), Formula::FALSE.always());
    assert_eq!(unfolded("forall i /= j: {i,j}", &[3]), Formula::TRUE);
}

#[track_caller]
fn instances(text: &str, expect: &Expect) {
    let formula = parse(text, Span::new(0, text.len())).expect("a formula");
    let instances = formula.unfold(&[1, 2]).expect("small").instances;
    let lines = instances.iter().map(|instance| format!("{}: {}\n", instance.bindings, instance.formula));
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn instances_have_their_bindings() {
    let database = "forall i /= j: G ({allocate,i} -> !{value,j} U ({value,i} | allocated))";
    instances(
        database,
        &expect![[r#"
        i = @1, j = @2: G ({allocate,@1} -> !{value,@2} U ({value,@1} | allocated))
        i = @2, j = @1: G ({allocate,@2} -> !{value,@1} U ({value,@2} | allocated))
    "#]],
    );
    instances(
        "G (x & forall i: exists j: {i,j})",
        &expect![[r#"
        : G x
        i = @1: G ({@1,@1} | {@1,@2})
        i = @2: G ({@2,@1} | {@2,@2})
    "#]],
    );
    instances(
        "forall i: forall j: {i} -> {j}",
        &expect![[r#"
        i = @1, j = @1: {@1} -> {@1}
        i = @1, j = @2: {@1} -> {@2}
        i = @2, j = @1: {@2} -> {@1}
        i = @2, j = @2: {@2} -> {@2}
    "#]],
    );
    instances(
        "exists i: {i}",
        &expect![[r#"
        : {@1} | {@2}
    "#]],
    );
    instances(
        "a & b",
        &expect![[r#"
        : a & b
    "#]],
    );
}

#[test]
fn a_formula_says_which_processes_it_mentions() {
    let formula = |text: &str| parse(text, Span::new(0, text.len())).expect("a formula");
    let mentioned = formula("F {a,[@3|@1],#{@2 => @4}} & forall i: {i,@5} | @0");
    assert_eq!(mentioned.pids().into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert!(mentioned.has_quantifiers());
    assert!(!formula("F @1").has_quantifiers());
    assert_eq!(formula(" F @1 ").text(), " F @1 ");
}
