//! Random programs of the whole language as text: locals, arrays, channels of all kinds, `atomic`, `choose`,
//! `await`, `assert`, and run-time errors.
//!
//! Values stay small, so that state spaces are finite; processes often use variables of their own, so that
//! steps commute.

use super::generate::Random;

/// Definitions and procedures that the statements use. A procedure sees the local variables of its caller.
const DEFINITIONS: &str = "\
type Colour = {red, green};
define next(v) = (v + 1) % 3;
define near(v, w) = v = w or next(v) = w;
define high = forall i in 0..1: a[i] > 0
procedure bump(v) = v := next(v)
procedure move(v, w) = if near(v, w) then v := w; bump(v) else l := v fi
";

/// Declarations and two or three processes.
pub(crate) fn rich_program(random: &mut Random) -> String {
    let mut text =
        "memory x = 0, y = 1, a[2] = {0, 1}, f = false, k = red;\nchannel c[1], d[2], e[2][1] of (k, v);\n"
            .to_owned();
    text += "channel r[0], s[2][0] of (k, v);\n";
    // Statements inside `atomic` have names of their own, since no process is ever at one of them.
    text += "statement u0, u1, u2; looping statement l0, l1;\n";
    text += DEFINITIONS;
    for process in 1..=2 + random.below(2) {
        let body = block(random, 2, 4, false);
        text += &format!("process {process}: local l = 0, m = 1; {body}\n");
    }
    if text.contains("create w") {
        text += &format!(
            "process w(l) max 1: local m = 1; {}\n",
            block(random, 1, 2, false).replace("create w", "print")
        );
    }
    text
}

/// A formula about such a program, of at most this depth; `X` and `exec` are seldom.
pub(crate) fn rich_formula(random: &mut Random, depth: u64) -> String {
    if depth == 0 {
        return proposition(random);
    }
    let inner = |random: &mut Random| {
        let less = 1 + random.below(depth);
        rich_formula(random, depth - less)
    };
    match random.below(16) {
        0..=3 => format!("[] ({})", inner(random)),
        4..=7 => format!("<> ({})", inner(random)),
        8 => format!("~ ({})", inner(random)),
        9 => format!("X ({})", inner(random)),
        10 | 11 => format!("(({}) U ({}))", inner(random), inner(random)),
        12 | 13 => format!("(({}) -> ({}))", inner(random), inner(random)),
        14 => format!("(({}) /\\ ({}))", inner(random), inner(random)),
        _ => format!("(({}) R ({}))", inner(random), inner(random)),
    }
}

fn proposition(random: &mut Random) -> String {
    let process = 1 + random.below(2);
    match random.below(22) {
        20 => format!("len(d) = {}", random.below(3)),
        21 => format!("{}(e[{}])", ["empty", "full"][random.index(2)], random.below(2)),
        0..=5 => format!("at({process}, {})", ["u0", "u1", "l0"][random.index(3)]),
        6..=10 => format!("{} = {}", ["x", "y"][random.index(2)], random.below(3)),
        11..=13 => format!("a[{}] = {}", random.below(2), random.below(3)),
        14..=16 => format!("{}@{process} > {}", ["l", "m"][random.index(2)], random.below(2)),
        17 => "a[l@1] = 0".to_owned(),
        18 if random.below(2) == 0 => ["f", "k = red"][random.index(2)].to_owned(),
        18 => "2 / x > y".to_owned(),
        _ => format!("exec({process})"),
    }
}

/// At most so many statements, nested at most so deep.
fn block(random: &mut Random, depth: u64, most: u64, in_atomic: bool) -> String {
    let count = 1 + random.below(most);
    let parts: Vec<String> = (0..count).map(|_| statement(random, depth, in_atomic)).collect();
    parts.join("; ")
}

fn statement(random: &mut Random, depth: u64, in_atomic: bool) -> String {
    let inner = |random: &mut Random, most| block(random, depth.saturating_sub(1), most, in_atomic);
    match random.below(if depth == 0 { 18 } else { 30 }) {
        0..=2 => format!("{} := {}", ["l", "m"][random.index(2)], value(random)),
        3 => several_kinds(random),
        4 if random.below(2) == 0 => format!("bump({})", lvalue(random)),
        4 => format!("move({}, {})", lvalue(random), value(random)),
        5..=7 => format!("{} := {}", lvalue(random), value(random)),
        8 => format!("await {}", test(random)),
        9 | 10 if in_atomic => "u2".to_owned(),
        9 | 10 => ["u0", "u1"][random.index(2)].to_owned(),
        11 => if in_atomic { "l1" } else { "l0" }.to_owned(),
        12 => format!("assert {}", test(random)),
        13 | 14 => send(random, in_atomic),
        15 | 16 => receive(random, in_atomic),
        17 if !in_atomic && random.below(3) == 0 => "timeout".to_owned(),
        17 if random.below(4) == 0 => format!("create w({})", value(random)),
        17 => "skip".to_owned(),
        18..=20 => format!("if {} then {} else {} fi", test(random), inner(random, 2), inner(random, 1)),
        21 => format!("while {} do {}{} od", test(random), inner(random, 2), break_out(random)),
        22 => {
            let (body, way_out) = (inner(random, 1), break_out(random));
            format!("for i in 0..1 do {body}{way_out}; {} := i od", lvalue(random))
        }
        23 if random.below(2) == 0 => format!("choose {} in 0..2", lvalue(random)),
        24 if random.below(2) == 0 => {
            let (branch, last) = (inner(random, 2), inner(random, 1));
            format!("choose await {}; {branch} | {} else {last} end", test(random), waiting(random))
        }
        23 | 24 => format!("choose {} | {} end", inner(random, 2), inner(random, 2)),
        25 | 26 if !in_atomic => format!("repeat {}{} forever", inner(random, 3), break_out(random)),
        27..=29 if !in_atomic => format!("atomic {} end", block(random, 1, 3, true)),
        _ => format!("await {}", test(random)),
    }
}

/// Assignments of several variables, of truth values and of names.
fn several_kinds(random: &mut Random) -> String {
    match random.below(5) {
        0 => "f, l := not f, x".to_owned(),
        1 => format!("f := {}", test(random)),
        2 => format!("x, m := m, {}", value(random)),
        3 => format!("k := {}", ["red", "green"][random.index(2)]),
        _ => "choose k in red..green".to_owned(),
    }
}

/// A statement that may have to wait.
fn waiting(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("send c, {}", value(random)),
        1 => format!("receive d, {}", lvalue(random)),
        2 => format!("atomic await {}; {} := {} end", test(random), lvalue(random), value(random)),
        _ => "await f".to_owned(),
    }
}

fn send(random: &mut Random, in_atomic: bool) -> String {
    let (one, other) = (value(random), value(random));
    match random.below(if in_atomic { 6 } else { 9 }) {
        0..=3 => format!("send {}, {one}", ["c", "d"][random.index(2)]),
        4 => format!("e[{}]!({one}, {other})", random.below(2)),
        5 => format!("e[m]!({}, {other})", random.below(2)),
        6 | 7 => format!("send r, {one}"),
        _ => format!("s[{}]!({}, {one})", ["0", "1", "l"][random.index(3)], random.below(2)),
    }
}

fn receive(random: &mut Random, in_atomic: bool) -> String {
    let (one, other) = (lvalue(random), lvalue(random));
    match random.below(if in_atomic { 6 } else { 9 }) {
        0..=2 => format!("receive {}, {one}", ["c", "d"][random.index(2)]),
        3 => format!("receive {}, {}", ["c", "d"][random.index(2)], random.below(2)),
        4 => format!("e[{}]?({one}, {other})", random.below(2)),
        5 => format!("e[m]?({}, {other})", random.below(2)),
        6 | 7 => format!("receive r, {one}"),
        _ => format!("s[{}]?({}, {one})", ["0", "1", "m"][random.index(3)], random.below(2)),
    }
}

/// Perhaps a way out of the loop around.
fn break_out(random: &mut Random) -> String {
    if random.below(3) > 0 {
        return String::new();
    }
    format!("; if {} then break elif {} then skip fi", test(random), test(random))
}

fn lvalue(random: &mut Random) -> String {
    match random.below(10) {
        0..=2 => "x".to_owned(),
        3 | 4 => "y".to_owned(),
        5 | 6 => format!("a[{}]", random.below(2)),
        7 => "a[l]".to_owned(),
        _ => "l".to_owned(),
    }
}

fn value(random: &mut Random) -> String {
    match random.below(12) {
        0..=2 => random.below(3).to_string(),
        3 | 4 => "l".to_owned(),
        5 => "m".to_owned(),
        6 => ["x", "y"][random.index(2)].to_owned(),
        7 => format!("a[{}]", random.below(2)),
        8 => "a[m % 2]".to_owned(),
        9 => "(x + 1) % 3".to_owned(),
        10 => "(l + 1) % 3".to_owned(),
        _ => "2 / (m + 1) % 3".to_owned(),
    }
}

fn test(random: &mut Random) -> String {
    let [left, right] = [(); 2].map(|()| value(random));
    let operator = ["=", "=", "!=", "<", ">="][random.index(5)];
    match random.below(10) {
        8 => format!("{}(d)", ["empty", "full"][random.index(2)]),
        9 => format!("len(e[{}]) = {}", ["0", "1", "l"][random.index(3)], random.below(2)),
        0 => match random.below(5) {
            0 => "l = m".to_owned(),
            2 => "f".to_owned(),
            3 => "(k = red or not f)".to_owned(),
            1 => format!("near({left}, {right})"),
            _ => format!("(high or exists i in 0..2: x = i and {left} = i)"),
        },
        1 => format!("2 / {left} > 0"),
        2 => format!("{left} = {right} or x = {}", random.below(3)),
        _ => format!("{left} {operator} {right}"),
    }
}
