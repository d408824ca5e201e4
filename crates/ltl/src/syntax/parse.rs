//! Formulas from text.
//!
//! Operator precedence by two explicit stacks (Dijkstra's shunting yard), so that no text, however deeply
//! nested, can overflow the call stack. Errors do not end the parse: a missing operand is assumed to be
//! `true`, a missing operator to be `&`, a stray parenthesis is dropped, and parsing continues, so that one
//! run reports all mistakes. A direct consequence of a reported mistake is not reported again.
//!
//! Promise: never panics; the tree is at most [`MAX_DEPTH`] deep, so that recursion over it is safe.

use super::atoms::{Atoms, Names};
use super::mistakes;
use super::scan::{Item, Scanner};
use super::token::{self, Token};
use crate::diagnostic::Diagnostic;
use crate::formula::{Binary, Formula, Unary};
use crate::source::Span;
use std::str::FromStr;

/// The deepest formula that is accepted, in operators or in parentheses.
pub const MAX_DEPTH: usize = 1000;

/// The maximal number of reported errors in one formula.
pub const MAX_DIAGNOSTICS: usize = 20;

/// The parsed formula, and the mistakes in its text.
#[derive(Clone, Debug)]
pub struct Parsed<A> {
    /// The formula; in a text with errors, the parser's best guess.
    pub formula: Formula<A>,
    /// All mistakes, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl<A> Parsed<A> {
    /// The formula, if there was no mistake.
    pub fn into_result(self) -> Result<Formula<A>, Vec<Diagnostic>> {
        if self.diagnostics.is_empty() { Ok(self.formula) } else { Err(self.diagnostics) }
    }
}

/// Parses a whole text.
pub fn parse<T: Atoms>(text: &str, atoms: &T) -> Parsed<T::Atom> {
    parse_range(text, Span::new(0, text.len()), atoms)
}

/// Parses a part of a larger text; spans refer to the larger text.
pub fn parse_range<T: Atoms>(text: &str, range: Span, atoms: &T) -> Parsed<T::Atom> {
    let mut parser = Parser {
        scanner: Scanner::new(text, range, atoms),
        operands: Vec::new(),
        operators: Vec::new(),
        open: 0,
        is_recovering: false,
        unreported: 0,
        diagnostics: Vec::new(),
    };
    parser.run();
    let formula = parser.operands.pop().map_or(Formula::TRUE, |operand| operand.formula);
    Parsed { formula, diagnostics: parser.diagnostics }
}

impl FromStr for Formula<String> {
    type Err = Vec<Diagnostic>;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text, &Names).into_result()
    }
}

struct Parser<'a, T: Atoms> {
    scanner: Scanner<'a, T>,
    operands: Vec<Operand<T::Atom>>,
    operators: Vec<(Pending, Span)>,
    /// The number of open parentheses.
    open: usize,
    /// An item was just reported and skipped; it may be the operand or operator that seems to be missing.
    is_recovering: bool,
    /// The number of errors beyond [`MAX_DIAGNOSTICS`].
    unreported: usize,
    diagnostics: Vec<Diagnostic>,
}

struct Operand<A> {
    formula: Formula<A>,
    depth: usize,
    span: Span,
}

/// An operator that still lacks its last operand.
#[derive(Clone, Copy, PartialEq)]
enum Pending {
    Unary(Unary),
    Binary(Binary),
    Open,
}

impl<'a, T: Atoms> Parser<'a, T> {
    fn run(&mut self) {
        loop {
            let (item, span) = self.scanner.operand_item();
            if !self.operand(item, span) {
                continue;
            }
            loop {
                let (item, span) = self.scanner.operator_item();
                match self.operator(&item, span) {
                    After::Operand => break,
                    After::Operator => {}
                    After::End => return self.finish(),
                }
            }
        }
    }

    /// Processes an item in operand position; true once an operand is complete.
    fn operand(&mut self, item: Item<T::Atom>, span: Span) -> bool {
        match item {
            Item::Atom(atom) => self.push(Formula::Prop(atom), span),
            Item::BadAtom(message) => {
                self.push(Formula::TRUE, span);
                self.report(message);
                self.is_recovering = true;
            }
            Item::Token(Token::Const(value)) => self.push(Formula::Const(value), span),
            Item::Token(Token::Unary(operator)) => {
                self.prefix(operator, span);
                return false;
            }
            Item::Token(Token::Glued) => {
                for at in span.range() {
                    if let Some(Token::Unary(operator)) = token::keyword(&self.scanner.text[at..at + 1]) {
                        self.prefix(operator, Span::new(at, at + 1));
                    }
                }
                return false;
            }
            Item::Token(Token::Open) => {
                self.take(span);
                self.open(span);
                return false;
            }
            // Assume the operand; the item is processed again in operator position.
            Item::Token(Token::Binary(_) | Token::Close) | Item::End => {
                self.missing_operand(span);
                let here = Span::new(span.start, span.start);
                self.operands.push(Operand { formula: Formula::TRUE, depth: 1, span: here });
            }
            Item::Unknown | Item::Operand => {
                self.skip(span, mistakes::unexpected);
                return false;
            }
        }
        true
    }

    /// Processes an item in operator position.
    fn operator(&mut self, item: &Item<T::Atom>, span: Span) -> After {
        match item {
            Item::End => {
                self.close_all();
                return After::End;
            }
            Item::Token(Token::Binary(operator)) => {
                self.take(span);
                self.binary(*operator, span);
                return After::Operand;
            }
            Item::Token(Token::Close) => self.close(span),
            Item::Unknown => self.skip(span, mistakes::unexpected),
            Item::Atom(_) | Item::BadAtom(_) | Item::Operand | Item::Token(_) => {
                self.missing_operator(span);
                return After::Operand;
            }
        }
        After::Operator
    }

    /// Moves behind an expected item.
    fn take(&mut self, span: Span) {
        self.scanner.at = span.end;
        self.is_recovering = false;
    }

    /// Moves behind an unexpected item, with a message unless the previous item was unexpected too.
    fn skip(&mut self, span: Span, message: impl Fn(&str, Span) -> Diagnostic) {
        self.scanner.at = span.end;
        if !self.is_recovering {
            self.report(message(self.scanner.slice(span), span));
        }
        self.is_recovering = true;
    }

    fn prefix(&mut self, operator: Unary, span: Span) {
        self.take(span);
        self.operators.push((Pending::Unary(operator), span));
    }

    fn push(&mut self, formula: Formula<T::Atom>, span: Span) {
        self.take(span);
        self.operands.push(Operand { formula, depth: 1, span });
    }

    fn open(&mut self, span: Span) {
        self.open += 1;
        if self.open == MAX_DEPTH + 1 {
            self.report(mistakes::too_deep(span));
            // The rest cannot be part of an acceptable formula.
            self.scanner.give_up();
            return;
        }
        self.operators.push((Pending::Open, span));
    }

    fn close(&mut self, span: Span) {
        if self.open == 0 {
            return self.skip(span, |_, span| mistakes::unmatched(span));
        }
        self.take(span);
        while let Some((pending, _)) = self.operators.last() {
            if *pending == Pending::Open {
                self.operators.pop();
                self.open -= 1;
                return;
            }
            self.reduce();
        }
    }

    fn close_all(&mut self) {
        let mut unclosed = Vec::new();
        while let Some((pending, span)) = self.operators.last().copied() {
            if pending == Pending::Open {
                self.operators.pop();
                unclosed.push(span);
            } else {
                self.reduce();
            }
        }
        unclosed.reverse();
        if !self.gave_up()
            && let Some(message) = mistakes::unclosed(&unclosed)
        {
            self.report(message);
        }
    }

    /// Did the parser skip the rest of the text?
    fn gave_up(&self) -> bool {
        self.open > MAX_DEPTH
    }

    /// Reduces the pending operators that bind tighter than `operator`, then pushes it.
    fn binary(&mut self, operator: Binary, span: Span) {
        let (own, right) = strength(operator);
        while let Some((pending, _)) = self.operators.last() {
            let tighter = match pending {
                Pending::Open => false,
                Pending::Unary(_) => true,
                Pending::Binary(left) => strength(*left).0 > own || (strength(*left).0 == own && !right),
            };
            if !tighter {
                break;
            }
            self.reduce();
        }
        self.operators.push((Pending::Binary(operator), span));
    }

    /// Applies the topmost operator to the topmost operands.
    fn reduce(&mut self) {
        let Some((pending, span)) = self.operators.pop() else { return };
        let Some(last) = self.operands.pop() else { return };
        let built = match pending {
            Pending::Open => last,
            Pending::Unary(operator) => Operand {
                depth: last.depth + 1,
                span: span.to(last.span),
                formula: Formula::Unary(operator, Box::new(last.formula)),
            },
            Pending::Binary(operator) => {
                let Some(first) = self.operands.pop() else { return };
                Operand {
                    depth: 1 + first.depth.max(last.depth),
                    span: first.span.to(last.span),
                    formula: Formula::Binary(operator, Box::new(first.formula), Box::new(last.formula)),
                }
            }
        };
        if built.depth <= MAX_DEPTH {
            self.operands.push(built);
        } else {
            if !self.diagnostics.iter().any(|diagnostic| diagnostic.code == "ltl::too-deep") {
                self.report(mistakes::too_deep(span));
            }
            self.operands.push(Operand { formula: Formula::TRUE, depth: 1, span: built.span });
        }
    }
}

/// The expected kind of item.
enum After {
    Operand,
    Operator,
    End,
}

/// The binding strength of an operator, and whether it groups to the right; the printer uses it too.
pub(super) fn strength(operator: Binary) -> (u8, bool) {
    match operator {
        Binary::Iff => (1, true),
        Binary::Implies => (2, true),
        Binary::Or => (3, false),
        Binary::And => (4, false),
        _ => (5, true),
    }
}

/// Mistakes: whether to report one, and how to recover.
impl<'a, T: Atoms> Parser<'a, T> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.unreported += 1;
        }
    }

    /// Sorts the messages, and adds the number of omitted ones.
    fn finish(&mut self) {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.primary.0.start);
        if self.unreported > 0
            && let Some(last) = self.diagnostics.last_mut()
        {
            last.help.push(format!("{} more mistakes are not shown", self.unreported));
        }
    }

    fn missing_operand(&mut self, span: Span) {
        if self.is_recovering || self.gave_up() {
            return;
        }
        let operator = match self.operators.last() {
            Some((Pending::Unary(_) | Pending::Binary(_), operator)) => Some(*operator),
            _ => None,
        };
        let nothing_yet = self.operands.is_empty() && self.operators.is_empty();
        self.report(match self.scanner.slice(span) {
            "" if nothing_yet => mistakes::empty(span),
            found => mistakes::missing_operand(found, span, operator, &self.scanner.quoted(found)),
        });
    }

    /// Continues as if an operator stood here: the operator of another notation, or `&`.
    fn missing_operator(&mut self, span: Span) {
        let found = self.scanner.slice(span);
        let before = self.operands.last().map_or(Span::new(span.start, span.start), |operand| operand.span);
        let word = self.scanner.slice(before);
        if !self.is_recovering && mistakes::is_prefix(word, found) {
            // The word that was parsed as a proposition is that operator.
            self.operands.pop();
            self.operators.extend(mistakes::prefix(word).map(|meant| (Pending::Unary(meant), before)));
            return self.report(mistakes::foreign(word, before));
        }
        if let Some(operator) = mistakes::infix(found) {
            self.skip(span, mistakes::foreign);
            return self.binary(operator, span);
        }
        if !self.is_recovering {
            self.report(mistakes::missing_operator(found, span));
        }
        self.binary(Binary::And, Span::new(span.start, span.start));
    }
}
