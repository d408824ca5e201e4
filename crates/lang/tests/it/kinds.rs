//! Truth values, enumerations, initial values of elements, several assignments and `else` in `choose`: how
//! they read, and what is refused.

use crate::common::{outcomes, program, system};
use expect_test::{Expect, expect};
use selvedge_lang::Program;
use selvedge_lang::parallel::parse;
use selvedge_ltl::source::Source;
use selvedge_model::{States, Steps, System};

fn rendered(text: &str) -> String {
    let source = Source::new("t.par", text);
    let (_, diagnostics) = parse(&source);
    diagnostics.iter().map(|diagnostic| diagnostic.render(&source, false) + "\n").collect()
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&rendered(text));
}

/// The codes of all diagnostics, in order.
fn codes(text: &str) -> Vec<&'static str> {
    parse(&Source::new("t.par", text)).1.iter().map(|diagnostic| diagnostic.code).collect()
}

/// The steps and states of the only run of a program, as text.
fn run(text: &str) -> String {
    let system = system(text, true);
    let mut initial = States::new(system.words());
    system.initial(&mut initial);
    let mut state = initial.iter().next().expect("an initial state").to_vec();
    let mut steps = Steps::new(system.words());
    let mut lines = Vec::new();
    loop {
        let shown = system.show(&state).into_iter().filter(|(name, _)| name != "last mover" && name != "1");
        let values: Vec<String> = shown.map(|(name, value)| format!("{name} = {value}")).collect();
        lines.push(format!("  {}", values.join(", ")));
        steps.clear();
        system.successors(&state, &mut steps);
        let Some((action, next)) = steps.iter().next() else { return lines.join("\n") };
        let next = next.to_vec();
        let printed = system.printed(&state, action).map_or(String::new(), |text| format!(": {text}"));
        lines.push(system.describe(action) + &printed);
        state = next;
    }
}

#[test]
fn names_and_truth_values_read_as_they_are_written() {
    let text = "type Kind = {req, ack}; memory k = req, b: bool, a[2] = {ack, req}, unknown; channel c[1];
        process 1: send c, ack; receive c, unknown; b := unknown = a[0]; if b and k != ack then k, b := ack, not b fi;
                   print k, b, b = true; a[1] := null; await not b; assert k = ack";
    expect![[r#"
          k = req, b = undefined, a[0] = ack, a[1] = req, unknown = undefined, c = []
        send c, ack
          k = req, b = undefined, a[0] = ack, a[1] = req, unknown = undefined, c = [ack]
        receive c, unknown
          k = req, b = undefined, a[0] = ack, a[1] = req, unknown = ack, c = []
        b := unknown = a[0]
          k = req, b = true, a[0] = ack, a[1] = req, unknown = ack, c = []
        b and k != ack
          k = req, b = true, a[0] = ack, a[1] = req, unknown = ack, c = []
        k, b := ack, not b
          k = ack, b = false, a[0] = ack, a[1] = req, unknown = ack, c = []
        print k, b, b: ack, false, false
          k = ack, b = false, a[0] = ack, a[1] = req, unknown = ack, c = []
        a[1] := null
          k = ack, b = false, a[0] = ack, a[1] = null, unknown = ack, c = []
        await not b
          k = ack, b = false, a[0] = ack, a[1] = null, unknown = ack, c = []
        assert k = ack
          k = ack, b = false, a[0] = ack, a[1] = null, unknown = ack, c = []"#]]
    .assert_eq(&run(text));
    let program = program(text);
    let formula =
        |text: &str| program.formula(text).unwrap_or_else(|errors| panic!("{errors:?}")).to_string();
    assert_eq!(formula("[] (b -> k = req)"), "G (b -> k = req)");
    assert_eq!(formula("b = true /\\ a[0] != ack /\\ ~ b"), "b & a[0] != ack & !b");
    assert_eq!(formula("unknown = req"), "unknown = req");
}

#[test]
fn values_of_one_kind_are_chosen_and_compared() {
    assert_eq!(
        outcomes("type T = {p, q, r}; memory x: T; process 1: choose x in q..r", &["x"]),
        ["x=q", "x=r"]
    );
    assert_eq!(outcomes("memory x: bool; process 1: choose x in false..true", &["x"]), ["x=false", "x=true"]);
    assert_eq!(outcomes("memory b = true; process 1: if b = (1 < 2) then b := null fi", &["b"]), ["b=null"]);
    // A truth value that is null is neither true nor false.
    assert_eq!(
        outcomes("memory b: bool, x = 0; process 1: if b then x := 1 elif b = false then x := 2 fi", &["x"]),
        ["x=0"]
    );
    assert_eq!(
        outcomes(
            "memory a[3] = {2, null, 1}, s = 0; process 1: if a[1] = null then s := a[0] + a[2] fi",
            &["s"]
        ),
        ["s=3"]
    );
}

#[test]
fn all_is_read_before_anything_is_written() {
    assert_eq!(outcomes("memory x = 1, y = 2; process 1: x, y := y, x", &["x", "y"]), ["x=2 y=1"]);
    let text = "memory i = 0, a[2] = {5, 6}; process 1: i, a[i] := 1, a[i + 1]";
    assert_eq!(outcomes(text, &["i", "a[0]", "a[1]"]), ["i=1 a[0]=6 a[1]=6"]);
    // A fault in one of them leaves all as they were.
    let text = "memory x = 1, y = 2; process 1: x, y := 7, 1 / 0";
    let found = outcomes(text, &["x", "y"]);
    assert_eq!(found, ["x=1 y=2 division by zero: process 1, line 1, `x, y := 7, 1 / 0`"]);
    // Two elements that turn out to be the same one: the last value stays.
    let text = "memory i = 0, a[1] = 0; process 1: a[i], a[i * 2] := 1, 2";
    assert_eq!(outcomes(text, &["a[0]"]), ["a[0]=2"]);
}

#[test]
fn else_is_taken_where_no_branch_can_begin() {
    let text = |x: i64| {
        format!("memory x = {x}, y = 0; channel c[1]; process 1:
            choose await x = 1; y := 1 | receive c, y | atomic await x = 2; y := 2; await x = 2 end else y := 9 end")
    };
    for (x, y) in [(1, 1), (2, 2), (3, 9)] {
        assert_eq!(outcomes(&text(x), &["y"]), [format!("y={y}")]);
    }
    // An error of a branch is a way to begin.
    let text = "memory x = 0; process 1: choose await 1 / x = 1 else x := 1 end";
    assert_eq!(outcomes(text, &["x"]), ["x=0 division by zero: process 1, line 1, `await 1 / x = 1`"]);
    // The innermost `choose` has the `else`.
    let text = "memory x = 0, y = 0; process 1: choose await x = 1 | choose await x = 2 else y := 1 end else y := 2 end";
    assert_eq!(outcomes(text, &["y"]), ["y=1"]);
    check(
        "memory x = 0;\nprocess 1: choose x := 1 | await x = 2 else x := 3 end",
        &expect![[r#"
            warning[par::useless-else]: the `else` of this `choose` is never taken
             --> t.par:2:12
              |
            2 | process 1: choose x := 1 | await x = 2 else x := 3 end
              |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ one of the branches can always begin
              |
              = help: begin each branch with something that can wait: `await`, `send`, `receive`
        "#]],
    );
}

#[test]
fn values_of_different_kinds_are_refused() {
    check(
        "type Kind = {req, ack};\nmemory k = req, x = 0;\nprocess 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1",
        &expect![[r#"
            error[par::other-kind]: expected a `Kind`, found a number
             --> t.par:3:17
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                 ^
              |
              = help: the values of `Kind` are `req`, `ack`
            error[par::expected-number]: expected a number, found a `Kind`
             --> t.par:3:25
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                         ^^^
              |
              = help: names are compared with `=` and `!=`, and no more
            error[par::expected-number]: expected a number, found a test
             --> t.par:3:35
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                                   ^^^^^
              |
              = help: a test may stand behind `if`, `while` and `await`, and go to a variable that is a `bool`
            error[par::other-kind]: a `Kind` is never equal to a number
             --> t.par:3:45
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                                             ^^^^^
              |
              = help: the values of `Kind` are `req`, `ack`
            error[par::expected-test]: expected a test, found a number
             --> t.par:3:71
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                                                                       ^
              |
              = help: compare it with something: `x = 1`
            error[par::expected-test]: expected a test, found a `Kind`
             --> t.par:3:80
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                                                                                ^
              |
              = help: compare it with something: `x = 1`
            error[par::expected-number]: expected a number, found a `Kind`
             --> t.par:3:88
              |
            3 | process 1: k := 1; x := ack; x := x = 1; if k = 1 then skip fi; await x; await k; x := k + 1
              |                                                                                        ^
              |
              = help: names are compared with `=` and `!=`, and no more
        "#]],
    );
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    check(
        "memory k: Kidn, j: Kind;\ntype Kind = {req};\nprocess 1: skip",
        &expect![[r#"
        error[par::unknown-type]: `Kidn` is not a type
         --> t.par:1:11
          |
        1 | memory k: Kidn, j: Kind;
          |           ^^^^
          |
          = help: did you mean `Kind`?
    "#]],
    );
    check(
        "memory a[3] = {1, 2}, x = {1, 2};\nprocess 1: x, a[0] := 1; x, x := 1, 2",
        &expect![[r#"
            error[par::bad-length]: the array has 3 elements, and 2 values are given
             --> t.par:1:15
              |
            1 | memory a[3] = {1, 2}, x = {1, 2};
              |               ^^^^^^ one value for each element
            error[par::bad-length]: `x` is no array, and 2 values are given
             --> t.par:1:27
              |
            1 | memory a[3] = {1, 2}, x = {1, 2};
              |                           ^^^^^^ one value for each element
            error[par::other-number]: 2 variables are assigned 1 value
             --> t.par:2:12
              |
            2 | process 1: x, a[0] := 1; x, x := 1, 2
              |            ^^^^^^^^^^^^
              |
              = help: write one value for each variable: `x, y := y, x`
            error[par::assigned-twice]: `x` is assigned twice in one step
             --> t.par:2:29
              |
            2 | process 1: x, a[0] := 1; x, x := 1, 2
              |                          -  ^ the second
              |                          |
              |                          the first
        "#]],
    );
}

#[test]
fn other_mistakes_with_kinds_are_refused() {
    for (text, code) in [
        ("memory b = true; process 1: b := 1", "par::expected-test"),
        ("memory b: bool = 3; process 1: skip", "par::expected-test"),
        ("type T = {p, q}; memory a[2] = {p, 1}; process 1: skip", "par::other-kind"),
        ("type T = {p}; type U = {q}; memory x = p; process 1: if x = q then skip fi", "par::other-kind"),
        ("type T = {p, q}; memory x = p; process 1: await x < q", "par::expected-number"),
        ("type T = {p, p}; process 1: skip", "par::declared-twice"),
        ("type T = {p}; memory p = 1; process 1: skip", "par::declared-twice"),
        ("type T = {p}; process 1: p := 1", "par::assigned-constant"),
        ("type T = {p}; memory a[2] = 0; process 1: a[p] := 1", "par::expected-number"),
        ("type T = {p}; channel c[1]; memory x = 0; process 1: send c, p; receive c, x", "par::other-kind"),
        ("type T = {p, q}; memory x = 0; process 1: choose x in p..q", "par::expected-number"),
        ("memory x = 0; process 1: choose x in true..false", "par::expected-number"),
        ("memory b = true; process 1: skip property p: [] b = 1", "par::other-kind"),
        ("type T = {p}; memory k = p; process 1: skip property p: [] k", "par::unknown-proposition"),
        ("memory b = true; process 1: x := b; x := 1", "par::expected-test"),
    ] {
        assert!(codes(text).contains(&code), "{text}: {:?}", codes(text));
    }
}

const RECORDS: &str = "type Colour = {white, black}; type Node = {colour: Colour, active: bool, count: int};
    memory n: Node, m: Node = {black, true, 3}, ring[2]: Node = {white, false, 0}, x = 1;\n";

#[test]
fn a_record_has_fields_and_is_assigned_in_one_step() {
    let text = RECORDS.to_owned()
        + "procedure paint(p, c) = p.colour := c
           procedure count(r) = for i in 0..1 do r[i].count := r[i].count + i od
           define dark(p) = p.colour = black and p.active
           process 1: local l: Node = {white, true, 0}; n := m; ring[x] := {black, not n.active, 7}; paint(ring[0], black);
                      count(ring); l := ring[1]; if dark(m) then m.count, x := m.count + 1, 0 fi; choose n.colour in white..white";
    expect![[r#"
          n.colour = undefined, n.active = undefined, n.count = undefined, m.colour = black, m.active = true, m.count = 3, ring[0].colour = white, ring[1].colour = white, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 0, x = 1, l.colour@1 = white, l.active@1 = true, l.count@1 = 0
        n.colour, n.active, n.count := m.colour, m.active, m.count
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = white, ring[1].colour = white, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 0, x = 1, l.colour@1 = white, l.active@1 = true, l.count@1 = 0
        ring[x].colour, ring[x].active, ring[x].count := black, not n.active, 7
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = white, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 7, x = 1, l.colour@1 = white, l.active@1 = true, l.count@1 = 0
        ring[0].colour := black
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 7, x = 1, l.colour@1 = white, l.active@1 = true, l.count@1 = 0
        ring[0].count := ring[0].count + 0
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 7, x = 1, l.colour@1 = white, l.active@1 = true, l.count@1 = 0
        ring[1].count := ring[1].count + 1
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 8, x = 1, l.colour@1 = white, l.active@1 = true, l.count@1 = 0
        l.colour@1, l.active@1, l.count@1 := ring[1].colour, ring[1].active, ring[1].count
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 8, x = 1, l.colour@1 = black, l.active@1 = false, l.count@1 = 8
        m.colour = black and m.active
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 3, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 8, x = 1, l.colour@1 = black, l.active@1 = false, l.count@1 = 8
        m.count, x := m.count + 1, 0
          n.colour = black, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 4, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 8, x = 0, l.colour@1 = black, l.active@1 = false, l.count@1 = 8
        n.colour := white
          n.colour = white, n.active = true, n.count = 3, m.colour = black, m.active = true, m.count = 4, ring[0].colour = black, ring[1].colour = black, ring[0].active = false, ring[1].active = false, ring[0].count = 0, ring[1].count = 8, x = 0, l.colour@1 = black, l.active@1 = false, l.count@1 = 8"#]].assert_eq(&run(&text));
    let program = program(&text);
    let formula =
        |text: &str| program.formula(text).unwrap_or_else(|errors| panic!("{errors:?}")).to_string();
    assert_eq!(formula("[] (n.active -> ring[0].colour = white)"), "G (n.active -> ring[0].colour = white)");
    assert_eq!(formula("l.count@1 = 2 /\\ dark(n)"), "l.count@1 = 2 & (n.colour = black & n.active)");
    assert_eq!(formula("forall i in 0..1: ~ dark(ring[i])").matches("ring[").count(), 4);
}

#[test]
fn records_that_make_no_sense_are_refused() {
    check(
        &(RECORDS.to_owned() + "process 1: n.color := white; x := n; n := 1; x.count := 1; ring.count := 1"),
        &expect![[r#"
            error[par::unknown-name]: `Node` has no field `color`
             --> t.par:3:14
              |
            3 | process 1: n.color := white; x := n; n := 1; x.count := 1; ring.count := 1
              |              ^^^^^
              |
              = help: did you mean `colour`?
            error[par::array-as-number]: `n` is a record
             --> t.par:3:35
              |
            3 | process 1: n.color := white; x := n; n := 1; x.count := 1; ring.count := 1
              |                                   ^ a value is needed here
              |
              = help: write `n.colour` for one of its fields
            error[par::other-kind]: expected a `Node`
             --> t.par:3:43
              |
            3 | process 1: n.color := white; x := n; n := 1; x.count := 1; ring.count := 1
              |                                           ^
              |
              = help: a record of this type, or a value for each of `colour`, `active`, `count`, in braces
            error[par::unknown-name]: only records have fields
             --> t.par:3:46
              |
            3 | process 1: n.color := white; x := n; n := 1; x.count := 1; ring.count := 1
              |                                              ^ this is none
              |
              = help: declare a record: `type Pair = {first: int, second: int}; memory p: Pair;`, say
            error[par::unknown-name]: only records have fields
             --> t.par:3:60
              |
            3 | process 1: n.color := white; x := n; n := 1; x.count := 1; ring.count := 1
              |                                                            ^^^^ this is none
              |
              = help: declare a record: `type Pair = {first: int, second: int}; memory p: Pair;`, say
        "#]],
    );
    for (text, code) in [
        ("process 1: n := {white, true}", "par::other-kind"),
        ("process 1: n := {white, 1, 0}", "par::expected-test"),
        ("process 1: x := {1, 2}", "par::expected-number"),
        ("process 1: if n = m then skip fi", "par::array-as-number"),
        ("process 1: ring[0].count, n := 1, m", "par::array-as-number"),
        ("memory k: Node = {white}; process 1: skip", "par::bad-length"),
        ("memory k: Node = 3; process 1: skip", "par::bad-length"),
        ("type P = {a: Node}; process 1: skip", "par::bad-field"),
        ("type P = {at: int}; process 1: skip", "par::bad-field"),
        ("type P = {a: int, a: bool}; process 1: skip", "par::declared-twice"),
        ("type P = {a: nothing}; memory k: P; process 1: skip", "par::unknown-type"),
    ] {
        let text = RECORDS.to_owned() + text;
        assert!(codes(&text).contains(&code), "{text}: {:?}", codes(&text));
    }
}
