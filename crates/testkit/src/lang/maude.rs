//! PARALLEL's semantics in Maude, and a run of Debian's `maude` on many commands.
//!
//! The semantics is Meseguer's (Program Verification, Lecture 25): the memory is a set of pairs, a process a
//! pair of its name and the rest of its program, `skip` the identity of `;`, and each rule one step.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The semantics as a Maude module.
pub const SEMANTICS: &str = r"
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

/// What Maude prints when it reads the semantics and then these commands; advisories and errors fail the
/// test.
pub fn run(commands: &str) -> String {
    let input = format!("{SEMANTICS}{commands}quit\n");
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
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.trim().is_empty(), "maude reports: {errors}");
    String::from_utf8(output.stdout).expect("maude prints text")
}
