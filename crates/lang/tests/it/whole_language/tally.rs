//! What was drawn, and what was found, so that the comparisons are of something.

use crate::common::naive::ast::{Head, Processes, Statement};
use crate::common::naive::{Fault, Naive, Space};
use selvedge_model::Fairness;
use std::collections::{BTreeMap, BTreeSet};

/// Constructs that show in the text, and how they are written.
const SPELLED: [(&str, &str); 17] = [
    ("elif", " elif "),
    ("several at once", ", y := "),
    ("truth values", "false..true"),
    ("names", "red..green"),
    ("records in braces", ":= {"),
    ("fields", ".colour"),
    ("elements' fields", "].on"),
    ("definitions", "next("),
    ("definitions of records", "dark("),
    ("arrays as arguments", "put("),
    ("forall", "(forall "),
    ("exists", "(exists "),
    ("division", " / "),
    ("null", "null"),
    ("variables that are undefined at first", "z"),
    ("priorities", " priority "),
    ("and", " and "),
];

/// Counts, by program unless said otherwise.
#[derive(Debug, Default)]
pub(super) struct Tally {
    constructs: BTreeMap<&'static str, usize>,
    /// Programs with states of this kind.
    found: BTreeMap<&'static str, usize>,
    /// Formulas by fairness and verdict.
    verdicts: BTreeMap<(&'static str, &'static str), usize>,
    states: usize,
    /// Searches; those that were killed and went on, and in how many processes.
    pub(super) searches: usize,
    pub(super) resumed: usize,
    pub(super) pieces: usize,
    /// Programs and formulas whose reduced searches have fewer states.
    pub(super) smaller: usize,
    pub(super) smaller_products: usize,
}

fn construct(statement: &Statement) -> Option<&'static str> {
    Some(match statement {
        Statement::Skip => "skip",
        Statement::Assign(parts) if parts.len() > 1 => "several assignments",
        Statement::Assign(_) => "assignment",
        Statement::AssignRecord(..) => "record as a whole",
        Statement::User(_, false) => "statement",
        Statement::User(_, true) => "looping statement",
        Statement::Await(_) => "await",
        Statement::Assert(_) => "assert",
        Statement::Print(_) => "print",
        Statement::If(..) => "if",
        Statement::While(..) => "while",
        Statement::Repeat(..) => "repeat",
        Statement::For(..) => "for",
        Statement::Break => "break",
        Statement::Choose(_) => "choose",
        Statement::ChooseElse(..) => "choose with else",
        Statement::ChooseIn(..) => "choose in",
        Statement::Atomic(_) => "atomic",
        Statement::Call(..) => "call",
        Statement::Create(..) => "create",
        Statement::Send((channel, _), _) if *channel < 2 => "send",
        Statement::Send(..) => "rendezvous",
        Statement::Receive(..) => "receive",
        Statement::Timeout => "timeout",
        Statement::End => "end label",
        _ => return None,
    })
}

impl Tally {
    pub(super) fn add_constructs(&mut self, program: &Processes, text: &str) {
        // Behind the declarations and the procedures that all programs have.
        let text = &text[text.find("procedure move").expect("a procedure")..];
        let mut drawn: BTreeSet<&str> = BTreeSet::new();
        program.visit(&mut |statement| drawn.extend(construct(statement)));
        drawn.extend(SPELLED.iter().filter(|(_, spelling)| text.contains(spelling)).map(|(name, _)| *name));
        for process in &program.processes {
            drawn.extend(match &process.head {
                Head::Single(_) => None,
                Head::Family(_, ranges) if ranges.len() > 1 => Some("family of several parameters"),
                Head::Family(..) => Some("family"),
                Head::Created(..) => Some("created processes"),
            });
        }
        drawn.into_iter().for_each(|name| *self.constructs.entry(name).or_default() += 1);
    }

    pub(super) fn add_space(&mut self, naive: &Naive, space: &Space) {
        self.states += space.states.len();
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for (state, steps) in space.states.iter().zip(&space.steps) {
            found.extend(state.has_met().then_some("rendezvous"));
            found.extend(match state.error() {
                Some((_, Fault::Index)) => Some("index"),
                Some((_, Fault::DivisionByZero)) => Some("division by zero"),
                Some((_, Fault::Assertion)) => Some("assertion"),
                None if !steps.is_empty() => None,
                None if naive.has_ended(state) => Some("end"),
                None if naive.is_end(state) => Some("idle"),
                None => Some("deadlock"),
            });
        }
        found.into_iter().for_each(|name| *self.found.entry(name).or_default() += 1);
    }

    pub(super) fn add_verdict(&mut self, fairness: Fairness, verdict: &'static str) {
        let fairness = match fairness {
            Fairness::None => "all runs",
            Fairness::Weak => "weakly fair runs",
            Fairness::Strong => "strongly fair runs",
        };
        *self.verdicts.entry((fairness, verdict)).or_default() += 1;
    }

    /// So much was found in so many programs.
    pub(super) fn check_ends(&self, programs: usize) {
        for name in ["rendezvous", "index", "end", "idle", "deadlock"] {
            let found = self.found.get(name).copied().unwrap_or(0);
            assert!(found > programs / 25, "{name}: {self:#?}");
        }
        for fairness in ["all runs", "weakly fair runs", "strongly fair runs"] {
            for verdict in ["holds", "violated"] {
                assert!(self.verdicts[&(fairness, verdict)] > programs / 4, "{self:#?}");
            }
        }
        assert!(2 * self.pieces > 3 * self.resumed, "{self:#?}");
        assert!(self.smaller > programs / 4 && self.smaller_products > programs / 10, "{self:#?}");
    }

    /// So much was drawn and found in so many programs of the whole language.
    pub(super) fn check(&self, programs: usize) {
        self.check_ends(programs);
        assert!(self.constructs.len() == 28 + SPELLED.len(), "{self:#?}");
        assert!(self.constructs.values().all(|drawn| *drawn > programs / 25), "{self:#?}");
        assert!(self.found["division by zero"] > programs / 50, "{self:#?}");
        assert!(self.found["assertion"] > programs / 25, "{self:#?}");
        assert!(self.states > 20 * programs, "{self:#?}");
    }
}
