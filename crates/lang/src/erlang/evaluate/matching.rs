//! Patterns against values, and the choice of a clause.
//!
//! A match says no, yes, or maybe. Each clause that may match is a branch; the first that certainly matches
//! is the last. A clause that may have failed makes its subject more precise for the next ones where the
//! domain can express it: after `[]` has failed on `?list`, the value is a cons.

use super::{Evaluator, Focus};
use crate::erlang::code::{CatchClause, Clause, Guard, NodeId, Pattern, Slot};
pub(crate) use crate::erlang::domain::Match;
use crate::erlang::domain::{AtomSet, Truth};
use crate::erlang::term::{Atom, Kind, Term, Value, atom};

impl Match {
    fn of(truth: Truth) -> Match {
        match truth {
            Truth::False => Match::No,
            Truth::Unknown => Match::Maybe,
            Truth::True => Match::Yes,
        }
    }

    pub(super) fn and(self, other: Match) -> Match {
        match (self, other) {
            (Match::No, _) | (_, Match::No) => Match::No,
            (Match::Yes, Match::Yes) => Match::Yes,
            _ => Match::Maybe,
        }
    }
}

/// The clauses that may apply, each with its environment and body.
pub(super) struct Selected {
    pub(super) clauses: Vec<(Vec<Value>, NodeId)>,
    /// May it be that none applies?
    pub(super) may_fail: bool,
}

impl Evaluator {
    /// Matches a value, and binds variables.
    pub(super) fn match_pattern(
        &mut self,
        pattern: &Pattern,
        value: Value,
        environment: &mut Vec<Value>,
    ) -> Match {
        match pattern {
            Pattern::Any => Match::Yes,
            Pattern::Bind(slot) => {
                bind(environment, *slot, value);
                Match::Yes
            }
            Pattern::Bound(slot) => {
                let other = environment[*slot as usize];
                Match::of(self.terms.equals(other, value, &self.domain))
            }
            Pattern::Value(literal) => self.match_literal(*literal, value),
            Pattern::Cons(head, tail) => {
                let (certainty, first, rest) = match *self.terms.get(value) {
                    Term::Cons(first, rest) => (Match::Yes, first, rest),
                    Term::Top(kind @ (Kind::List | Kind::Cons | Kind::Any)) => {
                        let first = self.terms.top(Kind::Any);
                        let rest = self.terms.top(if kind == Kind::Any { Kind::Any } else { Kind::List });
                        (if kind == Kind::Cons { Match::Yes } else { Match::Maybe }, first, rest)
                    }
                    _ => return Match::No,
                };
                let matched = certainty.and(self.match_pattern(head, first, environment));
                if matched == Match::No {
                    Match::No
                } else {
                    matched.and(self.match_pattern(tail, rest, environment))
                }
            }
            Pattern::Tuple(parts) => match self.terms.get(value) {
                Term::Tuple(elements) if elements.len() == parts.len() => {
                    let elements = elements.clone();
                    self.match_all(parts, &elements, Match::Yes, environment)
                }
                Term::Top(Kind::Tuple | Kind::Any) => {
                    let unknown = vec![self.terms.top(Kind::Any); parts.len()];
                    self.match_all(parts, &unknown, Match::Maybe, environment)
                }
                _ => Match::No,
            },
            Pattern::Map(fields) => self.match_map(fields, value, environment),
            Pattern::Both(first, second) => {
                let matched = self.match_pattern(first, value, environment);
                if matched == Match::No {
                    Match::No
                } else {
                    matched.and(self.match_pattern(second, value, environment))
                }
            }
        }
    }

    fn match_all(
        &mut self,
        parts: &[Pattern],
        values: &[Value],
        certainty: Match,
        environment: &mut Vec<Value>,
    ) -> Match {
        let mut matched = certainty;
        for (part, value) in parts.iter().zip(values) {
            matched = matched.and(self.match_pattern(part, *value, environment));
            if matched == Match::No {
                break;
            }
        }
        matched
    }

    /// A literal of a pattern is a concrete term.
    fn match_literal(&mut self, literal: Value, value: Value) -> Match {
        if !self.terms.is_abstract(value) && self.domain.is_concrete() {
            return if literal == value { Match::Yes } else { Match::No };
        }
        match (self.terms.get(literal).clone(), self.terms.get(value).clone()) {
            (Term::Integer(number), Term::Abstract(element)) => {
                let integers = self.domain.integers.as_ref().expect("a domain of integers");
                integers.matches(element, &number)
            }
            (Term::Atom(atom), Term::Atoms(set)) => {
                let atoms = self.domain.atoms.as_ref().expect("a domain of atoms");
                atoms.matches(set, self.terms.name(atom))
            }
            (Term::Tuple(parts), Term::Tuple(values)) if parts.len() == values.len() => {
                let pairs = parts.iter().zip(&*values);
                pairs
                    .fold(Match::Yes, |matched, (part, value)| matched.and(self.match_literal(*part, *value)))
            }
            (Term::Cons(a, s), Term::Cons(b, t)) => self.match_literal(a, b).and(self.match_literal(s, t)),
            (Term::Top(_) | Term::Abstract(_), _) => unreachable!("a literal is concrete"),
            (term, Term::Top(kind)) => {
                if self.terms.may_be(&term, kind) {
                    Match::Maybe
                } else {
                    Match::No
                }
            }
            _ if literal == value => Match::Yes,
            _ => {
                let abstracted = self.abstraction(literal);
                Match::of(self.terms.equals(abstracted, value, &self.domain))
            }
        }
    }

    fn match_map(
        &mut self,
        fields: &[(NodeId, Pattern)],
        value: Value,
        environment: &mut Vec<Value>,
    ) -> Match {
        let pairs = match self.terms.get(value) {
            Term::Map(pairs) => pairs.clone(),
            Term::Top(Kind::Map | Kind::Any) => {
                let unknown = self.terms.top(Kind::Any);
                let certainty = if fields.is_empty() && *self.terms.get(value) == Term::Top(Kind::Map) {
                    Match::Yes
                } else {
                    Match::Maybe
                };
                let patterns = fields.iter().map(|(_, pattern)| pattern);
                return patterns.fold(certainty, |matched, pattern| {
                    matched.and(self.match_pattern(pattern, unknown, environment))
                });
            }
            _ => return Match::No,
        };
        let mut matched = Match::Yes;
        for (key, pattern) in fields {
            let keys = self.guard_values(*key, environment);
            let [Some(key)] = keys[..] else { return Match::No };
            match self.find_key(&pairs, key) {
                Some(found) => matched = matched.and(self.match_pattern(pattern, found, environment)),
                None if self.terms.is_abstract(value) || self.terms.is_abstract(key) => {
                    let unknown = self.terms.top(Kind::Any);
                    matched =
                        matched.and(Match::Maybe).and(self.match_pattern(pattern, unknown, environment));
                }
                None => return Match::No,
            }
        }
        matched
    }

    /// The value of a key that is certainly there.
    pub(super) fn find_key(&self, pairs: &[(Value, Value)], key: Value) -> Option<Value> {
        if self.terms.is_abstract(key) {
            return None;
        }
        pairs.iter().find(|pair| pair.0 == key).map(|pair| pair.1)
    }

    /// The clauses that may apply to these subjects.
    pub(super) fn select(
        &mut self,
        subjects: &[Value],
        clauses: &[Clause],
        environment: &[Value],
    ) -> Selected {
        let mut selected = Selected { clauses: Vec::new(), may_fail: true };
        let mut subjects = subjects.to_vec();
        for clause in clauses {
            let mut bound = environment.to_vec();
            let patterns = self.match_all(&clause.patterns, &subjects, Match::Yes, &mut bound);
            let matched = self.with_guard(patterns, &clause.guard, &bound);
            if matched == Match::No {
                continue;
            }
            selected.clauses.push((bound, clause.body));
            if matched == Match::Yes {
                selected.may_fail = false;
                break;
            }
            if clause.guard.is_empty() {
                self.refine(&clause.patterns, &mut subjects);
            }
        }
        selected
    }

    /// Exceptions against the clauses of `catch`.
    pub(super) fn select_catch(
        &mut self,
        clauses: &[CatchClause],
        (class, reason): (Atom, Value),
        environment: &[Value],
    ) -> Selected {
        let mut selected = Selected { clauses: Vec::new(), may_fail: true };
        let class = self.terms.atom_value(class);
        let stack = self.terms.intern(Term::Nil);
        for clause in clauses {
            let mut bound = environment.to_vec();
            let mut matched = self.match_pattern(&clause.class, class, &mut bound);
            if matched != Match::No {
                matched = matched.and(self.match_pattern(&clause.reason, reason, &mut bound));
            }
            if let Some(slot) = clause.stack {
                bind(&mut bound, slot, stack);
            }
            let matched = self.with_guard(matched, &clause.guard, &bound);
            if matched != Match::No {
                selected.clauses.push((bound, clause.body));
            }
            if matched == Match::Yes {
                selected.may_fail = false;
                break;
            }
        }
        selected
    }

    pub(super) fn with_guard(&mut self, matched: Match, guard: &Guard, environment: &[Value]) -> Match {
        if matched == Match::No || guard.is_empty() {
            return matched;
        }
        matched.and(Match::of(self.guard_truth(guard, environment)))
    }

    /// What is known of the subjects after these patterns have failed.
    fn refine(&mut self, patterns: &[Pattern], subjects: &mut [Value]) {
        // With several patterns that can fail, it is open which one has.
        let mut refutable = patterns.iter().enumerate().filter(|(_, pattern)| !is_irrefutable(pattern));
        let (Some((index, pattern)), None) = (refutable.next(), refutable.next()) else { return };
        let subject = &mut subjects[index];
        if *self.terms.get(*subject) != Term::Top(Kind::List) {
            return;
        }
        match pattern {
            Pattern::Value(literal) if *self.terms.get(*literal) == Term::Nil => {
                *subject = self.terms.top(Kind::Cons);
            }
            Pattern::Cons(head, tail) if is_irrefutable(head) && is_irrefutable(tail) => {
                *subject = self.terms.intern(Term::Nil);
            }
            _ => {}
        }
    }

    /// The truth values that a value may be; `None` if it may be no boolean.
    pub(super) fn truths(&self, value: Value) -> Vec<Option<bool>> {
        match *self.terms.get(value) {
            Term::Atom(atom::TRUE) => vec![Some(true)],
            Term::Atom(atom::FALSE) => vec![Some(false)],
            Term::Top(Kind::Any | Kind::Atom) | Term::Atoms(AtomSet::ANY) => {
                vec![Some(true), Some(false), None]
            }
            _ => vec![None],
        }
    }

    /// The message against the clauses of a `receive`: for each clause that may take it, its activation.
    pub(super) fn receive_clauses(
        &mut self,
        clauses: &[Clause],
        message: Value,
        environment: &[Value],
    ) -> (Vec<(Vec<Value>, Focus)>, Match) {
        let selected = self.select(&[message], clauses, environment);
        let matched = match (selected.clauses.is_empty(), selected.may_fail) {
            (true, _) => Match::No,
            (false, true) => Match::Maybe,
            (false, false) => Match::Yes,
        };
        let clauses = selected.clauses.into_iter();
        (clauses.map(|(environment, body)| (environment, Focus::Evaluate(body))).collect(), matched)
    }
}

pub(super) fn bind(environment: &mut Vec<Value>, slot: Slot, value: Value) {
    if environment.len() <= slot as usize {
        environment.resize(slot as usize + 1, Value::DEAD);
    }
    environment[slot as usize] = value;
}

fn is_irrefutable(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Any | Pattern::Bind(_) => true,
        Pattern::Both(first, second) => is_irrefutable(first) && is_irrefutable(second),
        _ => false,
    }
}
