//! Random programs in PARALLEL and in the Maude of `maude.rs`: assignments of constants and of one another, so that all is finite.

use std::fmt::Write as _;

/// A stream of numbers that is the same on every machine (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// A program in both languages.
pub struct Pair {
    pub selvedge: String,
    pub maude: String,
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];

/// Two or three processes over three variables, of which some are undefined at first.
pub fn generate(random: &mut Random) -> Pair {
    let declared = 1 + random.below(3) as usize;
    let initial: Vec<u64> = (0..declared).map(|_| random.below(2)).collect();
    let mut pair =
        Pair { selvedge: "statement u0, u1; looping statement l0, l1;\n".to_owned(), maude: String::new() };
    let mut store = String::from("none");
    for (name, value) in VARIABLES.iter().zip(&initial) {
        writeln!(pair.selvedge, "memory {name} = {value};").expect("a string");
        write!(store, " & '{name} |-> {value}").expect("a string");
    }
    for process in 1..=2 + random.below(2) {
        let (ours, theirs) = block(random, 3, 4);
        writeln!(pair.selvedge, "process {process}: {ours}").expect("a string");
        write!(pair.maude, "< {process} : {theirs} > ").expect("a string");
    }
    pair.maude = format!("{{ {}, {store}, 0 }}", pair.maude);
    pair
}

/// Some statements, at most so deep and so many, in both languages.
fn block(random: &mut Random, depth: u64, most: u64) -> (String, String) {
    let count = 1 + random.below(most);
    let parts: Vec<(String, String)> = (0..count).map(|_| statement(random, depth)).collect();
    let ours: Vec<&str> = parts.iter().map(|(ours, _)| ours.as_str()).collect();
    let theirs: Vec<&str> = parts.iter().map(|(_, theirs)| theirs.as_str()).collect();
    let trailing = if random.below(4) == 0 { ";" } else { "" };
    (ours.join("; ") + trailing, theirs.join(" ; "))
}

fn statement(random: &mut Random, depth: u64) -> (String, String) {
    let kinds = if depth == 0 { 6 } else { 11 };
    match random.below(kinds) {
        0 => ("skip".to_owned(), "skip".to_owned()),
        1..=3 => {
            let name = VARIABLES[random.below(3) as usize];
            let (ours, theirs) = value(random);
            (format!("{name} := {ours}"), format!("'{name} := {theirs}"))
        }
        4 => same(format!("u{}", random.below(2))),
        5 => same(format!("l{}", random.below(2))),
        6 | 7 => {
            let (test, their_test) = test(random);
            let (body, their_body) = block(random, depth - 1, 2);
            (format!("if {test} then {body} fi"), format!("if {their_test} then {their_body} fi"))
        }
        8 => {
            let (test, their_test) = test(random);
            let (body, their_body) = block(random, depth - 1, 2);
            (format!("while {test} do {body} od"), format!("while {their_test} do {their_body} od"))
        }
        9 => {
            let (body, their_body) = block(random, depth - 1, 3);
            (format!("repeat {body} forever"), format!("repeat {their_body} forever"))
        }
        _ => {
            let (body, their_body) = block(random, depth - 1, 2);
            (format!("({body})"), format!("({their_body})"))
        }
    }
}

fn same(text: String) -> (String, String) {
    (text.clone(), text)
}

fn value(random: &mut Random) -> (String, String) {
    match random.below(6) {
        0 => same("null".to_owned()),
        number @ 1..=2 => same((number - 1).to_string()),
        3 => same("2".to_owned()),
        _ => {
            let name = VARIABLES[random.below(3) as usize];
            (name.to_owned(), format!("'{name}"))
        }
    }
}

fn test(random: &mut Random) -> (String, String) {
    let ((left, their_left), (right, their_right)) = (value(random), value(random));
    (format!("{left} = {right}"), format!("{their_left} === {their_right}"))
}
