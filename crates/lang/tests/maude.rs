//! Generated programs against Debian's `maude`: in exact mode there are as many reachable states.
//!
//! The semantics given to Maude is Meseguer's (Program Verification, Lecture 25): the memory is a set of pairs, a process a pair of its
//! name and the rest of its program, `skip` the identity of `;`, and each rule one step. Programs have two or three
//! processes; variables, some of them undefined at first, are assigned constants and one another only, so that all is finite. One run
//! of Maude serves all programs.

mod common;

use common::{search, system};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// How many programs are compared; `SELVEDGE_MAUDE_PROGRAMS` asks for another number.
const PROGRAMS: usize = 500;

/// Maude's own text of the language.
const SEMANTICS: &str = r"
set show timing off .
set show advisories off .
fmod STORE is
  protecting INT . protecting QID .
  sorts Value Store .
  subsort Int < Value .
  op null : -> Value [ctor] .
  op none : -> Store [ctor] .
  op _|->_ : Qid Value -> Store [ctor prec 30] .
  op _&_ : Store Store -> Store [ctor assoc comm id: none prec 40] .
  op get : Qid Store -> Value .
  op put : Qid Value Store -> Store .
  var Q : Qid . vars V W : Value . var S : Store .
  eq get(Q, Q |-> V & S) = V .
  eq get(Q, S) = null [owise] .
  eq put(Q, W, Q |-> V & S) = Q |-> W & S .
  eq put(Q, W, S) = Q |-> W & S [owise] .
endfm
mod PAR is
  protecting STORE .
  sorts Expr Test Looping User Text Proc Procs Config .
  subsorts Qid Value < Expr .
  subsorts Looping < User < Text .
  subsort Proc < Procs .
  op val : Expr Store -> Value .
  op _===_ : Expr Expr -> Test [ctor prec 35] .
  op holds : Test Store -> Bool .
  op skip : -> Text [ctor] .
  op _;_ : Text Text -> Text [ctor assoc id: skip prec 61] .
  op _:=_ : Qid Expr -> Text [ctor prec 38] .
  op if_then_fi : Test Text -> Text [ctor] .
  op while_do_od : Test Text -> Text [ctor] .
  op repeat_forever : Text -> Text [ctor] .
  op pick : Bool Text Text -> Text .
  ops u0 u1 : -> User [ctor] .
  ops l0 l1 : -> Looping [ctor] .
  op <_:_> : Nat Text -> Proc [ctor] .
  op __ : Procs Procs -> Procs [ctor assoc comm prec 70] .
  op {_,_,_} : Procs Store Nat -> Config [ctor] .
  vars P R : Text . var U : User . var L : Looping . vars I J : Nat . var C : Procs .
  var S : Store . var Q : Qid . vars E F : Expr . var T : Test . var V : Value .
  eq val(Q, S) = get(Q, S) .
  eq val(V, S) = V .
  eq holds(E === F, S) = val(E, S) == val(F, S) .
  eq pick(true, P, R) = P .
  eq pick(false, P, R) = R .
  rl { < I : U ; R > C, S, J } => { < I : R > C, S, I } .
  rl { < I : L ; R > C, S, J } => { < I : L ; R > C, S, I } .
  rl { < I : Q := E ; R > C, S, J } => { < I : R > C, put(Q, val(E, S), S), I } .
  rl { < I : if T then P fi ; R > C, S, J } => { < I : pick(holds(T, S), P, skip) ; R > C, S, I } .
  rl { < I : while T do P od ; R > C, S, J }
  => { < I : pick(holds(T, S), P ; while T do P od, skip) ; R > C, S, I } .
  rl { < I : repeat P forever ; R > C, S, J } => { < I : P ; repeat P forever ; R > C, S, I } .
endm
";

/// A stream of numbers that is the same on every machine (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// A program in both languages.
struct Pair {
    selvedge: String,
    maude: String,
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];

fn generate(random: &mut Random) -> Pair {
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

/// The number of states that Maude reaches from each of the programs.
fn maude(programs: &[Pair]) -> Vec<usize> {
    let mut input = SEMANTICS.to_owned();
    for program in programs {
        writeln!(input, "search in PAR : {} =>* C:Config such that false .", program.maude)
            .expect("a string");
    }
    input.push_str("quit\n");
    let mut child = Command::new("maude")
        .args(["-no-banner", "-no-advise", "-no-wrap"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`maude` is installed (Debian: apt install maude)");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("maude ends");
    writer.join().expect("no panic").expect("maude reads its input");
    let text = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(complaints.trim().is_empty(), "maude complains: {complaints}");
    let counts = text.lines().filter_map(|line| line.strip_prefix("states: "));
    counts
        .map(|line| line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number"))
        .collect()
}

#[test]
fn generated_programs_have_as_many_states_as_in_maude() {
    let wanted = std::env::var("SELVEDGE_MAUDE_PROGRAMS").ok().and_then(|number| number.parse().ok());
    let mut random = Random(20);
    let (mut pairs, mut counts) = (Vec::new(), Vec::new());
    while pairs.len() < wanted.unwrap_or(PROGRAMS) {
        let pair = generate(&mut random);
        let states = search(&system(&pair.selvedge, true), 1_000_000).states.len();
        // Large ones take Maude long and show nothing that small ones do not.
        if states <= 3000 {
            pairs.push(pair);
            counts.push(states);
        }
    }
    let theirs = maude(&pairs);
    assert_eq!(theirs.len(), counts.len(), "maude answers once for each program");
    for ((pair, ours), theirs) in pairs.iter().zip(&counts).zip(&theirs) {
        assert_eq!(ours, theirs, "{}\n{}", pair.selvedge, pair.maude);
    }
    let large = counts.iter().filter(|count| **count > 100).count();
    assert!(large > counts.len() / 4, "only {large} programs have more than 100 states");
}
