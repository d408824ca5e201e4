//! A parser of the never claims that `spin -f` prints, into Büchi automata.
//!
//! A claim is a list of states, each a line or two of labels and a `do ... od` of guarded jumps; it begins
//! at its first state. A state is accepting if one of its labels begins with `accept` (Holzmann, The Spin
//! Model Checker, 2004, chapter 6). `atomic { (g) -> assert(!(g)) }` reports a violation whenever g holds,
//! so that the rest of the word does not matter: it is a jump to `accept_all`, which loops for ever.
//!
//! Promise: every line is parsed or refused with its text; only comments are skipped.

use selvedge_ltl::bdd::{Bdd, Bdds};
use selvedge_ltl::buchi::{Automaton, Edge, StateId};

/// The mark of a Büchi automaton.
const ACCEPTING: u64 = 1;

/// The claim as a state-based automaton over the propositions `a`, `b`, ..., numbered by the letter.
pub(crate) fn parse(bdds: &mut Bdds, text: &str) -> Result<Automaton, String> {
    let mut states: Vec<State> = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("never ") || line.starts_with("/*") || matches!(line, "" | "}" | "od;") {
            continue;
        }
        if let Some(label) = line.strip_suffix(':') {
            labels.push(label.to_owned());
            continue;
        }
        match line {
            "do" | "0 /* false */;" => {
                states.push(State { labels: std::mem::take(&mut labels), jumps: Vec::new() });
            }
            "skip" => {
                let jumps = vec![("accept_all".to_owned(), Bdd::TRUE)];
                states.push(State { labels: std::mem::take(&mut labels), jumps });
            }
            _ => {
                let option = line.strip_prefix(":: ").ok_or_else(|| format!("not understood: {line}"))?;
                let state = states.last_mut().filter(|_| labels.is_empty());
                let state = state.ok_or_else(|| format!("outside of all states: {line}"))?;
                state.jumps.extend(jump(bdds, option)?);
            }
        }
    }
    if states.is_empty() || !labels.is_empty() {
        return Err("a claim without states, or with a label at its end".to_owned());
    }
    automaton(&states)
}

struct State {
    labels: Vec<String>,
    jumps: Vec<(String, Bdd)>,
}

/// The target and guard of an option of a `do`; `None` if it is never taken.
fn jump(bdds: &mut Bdds, option: &str) -> Result<Option<(String, Bdd)>, String> {
    if option == "false" {
        return Ok(None);
    }
    let misread = || format!("not understood: {option}");
    if let Some(body) = option.strip_prefix("atomic { ") {
        let body = body.strip_suffix(" }").ok_or_else(misread)?;
        let (holds, asserted) = body.split_once(" -> assert(!").ok_or_else(misread)?;
        if asserted.strip_suffix(')') != Some(holds) {
            return Err(format!("asserts something else than its guard: {option}"));
        }
        return Ok(Some(("accept_all".to_owned(), guard(bdds, holds)?)));
    }
    let (holds, target) = option.split_once(" -> goto ").ok_or_else(misread)?;
    Ok(Some((target.to_owned(), guard(bdds, holds)?)))
}

fn automaton(states: &[State]) -> Result<Automaton, String> {
    let named = |name: &String| {
        let at = states.iter().position(|state| state.labels.contains(name));
        at.map(|at| at as StateId).ok_or_else(|| format!("no state is called {name}"))
    };
    let mut edges = Vec::new();
    for state in states {
        let accepting = state.labels.iter().any(|label| label.starts_with("accept"));
        let marks = if accepting { ACCEPTING } else { 0 };
        let mut leaving = Vec::new();
        for (name, guard) in &state.jumps {
            leaving.push(Edge { target: named(name)?, marks, guard: *guard });
        }
        edges.push(leaving);
    }
    Ok(Automaton { edges, initial: 0, mark_count: 1 })
}

/// A guard: `!`, `&&`, `||`, parentheses, constants and propositions.
pub(crate) fn guard(bdds: &mut Bdds, text: &str) -> Result<Bdd, String> {
    let mut reader = Reader { rest: text, bdds };
    let guard = reader.disjunction()?;
    if reader.rest.is_empty() { Ok(guard) } else { Err(format!("not understood at its end: {text}")) }
}

struct Reader<'a> {
    rest: &'a str,
    bdds: &'a mut Bdds,
}

impl Reader<'_> {
    fn disjunction(&mut self) -> Result<Bdd, String> {
        let mut whole = self.conjunction()?;
        while self.eat("||") {
            let part = self.conjunction()?;
            whole = self.bdds.or(whole, part);
        }
        Ok(whole)
    }

    fn conjunction(&mut self) -> Result<Bdd, String> {
        let mut whole = self.literal()?;
        while self.eat("&&") {
            let part = self.literal()?;
            whole = self.bdds.and(whole, part);
        }
        Ok(whole)
    }

    fn literal(&mut self) -> Result<Bdd, String> {
        if self.eat("!") {
            let inner = self.literal()?;
            return Ok(self.bdds.not(inner));
        }
        if self.eat("(") {
            let inner = self.disjunction()?;
            return if self.eat(")") { Ok(inner) } else { Err(format!("no `)` before `{}`", self.rest)) };
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        match word.as_bytes() {
            b"1" | b"true" => Ok(Bdd::TRUE),
            b"0" | b"false" => Ok(Bdd::FALSE),
            [letter @ b'a'..=b'z'] => Ok(self.bdds.var(u32::from(letter - b'a'))),
            _ => Err(format!("no proposition: `{word}` before `{rest}`")),
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ltl::buchi::is_empty;

    /// Checks the targets of each state, with a star if the state is accepting; or the error.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let show = |automaton: Automaton| {
            let row = |edges: &Vec<Edge>| {
                let star = if edges.iter().any(|edge| edge.marks == ACCEPTING) { "*" } else { "" };
                edges.iter().map(|edge| edge.target.to_string()).collect::<Vec<_>>().join(",") + star
            };
            automaton.edges.iter().map(row).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parse(&mut Bdds::default(), text).map_or_else(|error| error, show), expected, "{text}");
    }

    #[test]
    fn every_form_of_claim_is_parsed() {
        check(
            "never  {    /* G a */\naccept_init:\nT0_init:\n\tdo\n\t:: ((a)) -> goto T0_init\n\tod;\n}",
            "0*",
        );
        let until =
            "T0_init:\n\tdo\n\t:: atomic { ((b)) -> assert(!((b))) }\n\t:: ((a)) -> goto T0_init\n\tod;\n";
        check(&format!("never  {{    /* a U b */\n{until}accept_all:\n\tskip\n}}"), "1,0 1*");
        check(
            "never  {    /* F false */\n/* redundant state T0_S1 */\nT0_init:\n\tdo\n\t:: false\n\tod;\n}",
            "",
        );
        check("never  {    /* false */\n\t0 /* false */;\n}", "");
    }

    #[test]
    fn invalid_claims_are_refused() {
        check("never { /* a */\nT0_init:\n\tdo\n\t:: (a) -> goto S7\n\tod;\n}", "no state is called S7");
        check("never { /* a */\nT0_init:\n\tif\n\tfi;\n}", "not understood: if");
        check("never { /* a */\n\t:: (a) -> goto S7\n}", "outside of all states: :: (a) -> goto S7");
        check("never { /* a */\n}", "a claim without states, or with a label at its end");
        let odd = ":: atomic { (a) -> assert(!(b)) }";
        let wrong = format!("asserts something else than its guard: {}", &odd[3..]);
        check(&format!("T0_init:\n\tdo\n\t{odd}\n\tod;"), &wrong);
    }

    #[test]
    fn a_claim_without_satisfiable_guards_accepts_nothing() {
        let text = "never { /* */\naccept_init:\n\tdo\n\t:: (false) -> goto accept_init\n\tod;\n}";
        let mut bdds = Bdds::default();
        let mut automaton = parse(&mut bdds, text).expect("a claim");
        automaton.merge_parallel(&mut bdds);
        assert!(is_empty(&automaton));
    }

    #[test]
    fn guards_bind_as_in_c() {
        let mut bdds = Bdds::default();
        let [one, other] = ["! (a) && b || (1 && ! c)", "((!a) && b) || !((c))"]
            .map(|text| guard(&mut bdds, text).expect("a guard"));
        assert_eq!(one, other);
        for text in ["", "a &&", "(a", "a b", "A", "a & b"] {
            assert!(guard(&mut bdds, text).is_err(), "{text}");
        }
    }
}
