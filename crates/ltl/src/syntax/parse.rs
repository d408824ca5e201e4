//! Formulas from text.
//!
//! Operator precedence by two explicit stacks (Dijkstra's shunting yard), so that no text, however deeply nested,
//! can overflow the call stack. Errors do not end the parse: a missing operand is assumed, a missing operator is
//! taken for `&`, a stray parenthesis is dropped, and reading goes on, so that one run reports all that is wrong.
//!
//! Promise: never panics; the tree is at most [`MAX_DEPTH`] deep, so that what recurses over it is safe.

use super::atoms::{Atoms, Names};
use super::token::{self, Token};
use crate::diagnostic::Diagnostic;
use crate::formula::{Binary, Formula, Unary};
use crate::source::Span;
use std::str::FromStr;

/// The deepest formula that is accepted, in operators or in parentheses.
pub const MAX_DEPTH: usize = 1000;

/// After so many errors in one formula the rest of it is not reported.
pub const MAX_DIAGNOSTICS: usize = 20;

/// What was understood, and what was not.
#[derive(Clone, Debug)]
pub struct Parsed<A> {
    /// The formula; where there are errors, what could be made of it.
    pub formula: Formula<A>,
    /// Everything that was wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl<A> Parsed<A> {
    /// The formula, if nothing was wrong.
    pub fn into_result(self) -> Result<Formula<A>, Vec<Diagnostic>> {
        if self.diagnostics.is_empty() { Ok(self.formula) } else { Err(self.diagnostics) }
    }
}

/// Parses a whole text.
pub fn parse<T: Atoms>(text: &str, atoms: &T) -> Parsed<T::Atom> {
    parse_range(text, Span::new(0, text.len()), atoms)
}

/// Parses a part of a larger text; spans are those of the larger one.
pub fn parse_range<T: Atoms>(text: &str, range: Span, atoms: &T) -> Parsed<T::Atom> {
    let mut parser = Parser {
        text,
        at: range.start,
        end: range.end,
        atoms,
        operands: Vec::new(),
        operators: Vec::new(),
        open: 0,
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
    text: &'a str,
    at: usize,
    end: usize,
    atoms: &'a T,
    operands: Vec<Operand<T::Atom>>,
    operators: Vec<(Pending, Span)>,
    /// How many parentheses are open.
    open: usize,
    diagnostics: Vec<Diagnostic>,
}

struct Operand<A> {
    formula: Formula<A>,
    depth: usize,
    span: Span,
}

/// An operator whose last operand is still to come.
#[derive(Clone, Copy, PartialEq)]
enum Pending {
    Unary(Unary),
    Binary(Binary),
    Open,
}

/// What stands next in the text.
enum Item<A> {
    Token(Token),
    Atom(A),
    /// A proposition that its own parser refused, already reported.
    BadAtom,
    Unknown,
    End,
}

impl<'a, T: Atoms> Parser<'a, T> {
    fn run(&mut self) {
        loop {
            let (item, span) = self.operand_item();
            if !self.operand(item, span) {
                continue;
            }
            loop {
                let (item, span) = self.operator_item();
                match self.operator(&item, span) {
                    After::Operand => break,
                    After::Operator => {}
                    After::End => return,
                }
            }
        }
    }

    /// Takes an item where an operand may start; true once an operand is complete.
    fn operand(&mut self, item: Item<T::Atom>, span: Span) -> bool {
        match item {
            Item::Atom(atom) => self.push(Formula::Prop(atom), span),
            Item::BadAtom => self.push(Formula::TRUE, span),
            Item::Token(Token::Const(value)) => self.push(Formula::Const(value), span),
            Item::Token(Token::Unary(operator)) => {
                self.at = span.end;
                self.operators.push((Pending::Unary(operator), span));
                return false;
            }
            Item::Token(Token::Open) => {
                self.at = span.end;
                self.open(span);
                return false;
            }
            // Assume the operand and leave the item to be read as what follows it.
            Item::Token(Token::Binary(_) | Token::Close) | Item::End => {
                self.missing_operand(&item, span);
                let here = Span::new(span.start, span.start);
                self.operands.push(Operand { formula: Formula::TRUE, depth: 1, span: here });
            }
            Item::Unknown => {
                self.unknown(span);
                return false;
            }
        }
        true
    }

    /// Takes an item where an operator may stand.
    fn operator(&mut self, item: &Item<T::Atom>, span: Span) -> After {
        match item {
            Item::End => {
                self.close_all();
                return After::End;
            }
            Item::Token(Token::Binary(operator)) => {
                self.at = span.end;
                self.binary(*operator, span);
                return After::Operand;
            }
            Item::Token(Token::Close) => {
                self.at = span.end;
                self.close(span);
            }
            Item::Unknown => self.unknown(span),
            Item::Atom(_) | Item::BadAtom | Item::Token(_) => {
                self.missing_operator(span);
                self.binary(Binary::And, Span::new(span.start, span.start));
                return After::Operand;
            }
        }
        After::Operator
    }

    fn push(&mut self, formula: Formula<T::Atom>, span: Span) {
        self.at = span.end;
        self.operands.push(Operand { formula, depth: 1, span });
    }

    fn open(&mut self, span: Span) {
        self.open += 1;
        if self.open == MAX_DEPTH + 1 {
            self.too_deep(span);
            // Nothing of what follows can be part of an acceptable formula.
            self.at = self.end;
            return;
        }
        self.operators.push((Pending::Open, span));
    }

    fn close(&mut self, span: Span) {
        while let Some((pending, _)) = self.operators.last() {
            if *pending == Pending::Open {
                self.operators.pop();
                self.open -= 1;
                return;
            }
            self.reduce();
        }
        self.report(
            Diagnostic::error("ltl::unmatched-parenthesis", "`)` without `(`", span, "nothing is open here")
                .help("remove it, or write `(` where the group begins"),
        );
    }

    fn close_all(&mut self) {
        while let Some((pending, span)) = self.operators.last().copied() {
            if pending == Pending::Open {
                self.operators.pop();
                if self.open <= MAX_DEPTH {
                    self.report(Diagnostic::error(
                        "ltl::unclosed-parenthesis",
                        "`(` is never closed",
                        span,
                        "opened here",
                    ));
                }
            } else {
                self.reduce();
            }
        }
    }

    /// Reduces what binds tighter than `operator`, then waits for its right operand.
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
            self.too_deep(span);
            self.operands.push(Operand { formula: Formula::TRUE, depth: 1, span: built.span });
        }
    }
}

/// What may come after an operator or a closing parenthesis was taken.
enum After {
    Operand,
    Operator,
    End,
}

/// How tightly an operator binds, and whether it groups to the right; the printer's table too.
pub(super) fn strength(operator: Binary) -> (u8, bool) {
    match operator {
        Binary::Iff => (1, true),
        Binary::Implies => (2, true),
        Binary::Or => (3, false),
        Binary::And => (4, false),
        _ => (5, true),
    }
}

/// Reading items.
impl<'a, T: Atoms> Parser<'a, T> {
    /// The item at the cursor, where an operand may start: propositions are tried.
    fn operand_item(&mut self) -> (Item<T::Atom>, Span) {
        self.skip_blank();
        let start = self.at;
        let rest = &self.text[start..self.end];
        if rest.is_empty() {
            return (Item::End, Span::new(start, start));
        }
        let word = token::word(rest);
        let operator = if self.atoms.knows(word) { None } else { token::operator(rest) };
        // A proposition may begin with `(`, or with the digits of a constant (`0 < x`).
        let may_be_atom = match operator {
            None | Some((Token::Open, _)) => true,
            Some((Token::Const(_), 1)) => rest.starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        if may_be_atom && let Some((atom, end)) = self.atoms.read(self.text, Span::new(start, self.end)) {
            let span = Span::new(start, end.clamp(start, self.end));
            return match atom {
                Ok(atom) => (Item::Atom(atom), span),
                Err(diagnostic) => {
                    self.report(diagnostic);
                    (Item::BadAtom, span)
                }
            };
        }
        self.token(operator)
    }

    /// The item at the cursor, where an operator may stand: propositions are not looked into.
    fn operator_item(&mut self) -> (Item<T::Atom>, Span) {
        self.skip_blank();
        let rest = &self.text[self.at..self.end];
        if rest.is_empty() {
            return (Item::End, Span::new(self.at, self.at));
        }
        let operator = token::operator(rest);
        if operator.is_none() && !token::word(rest).is_empty() {
            return (Item::BadAtom, Span::new(self.at, self.at + token::word(rest).len()));
        }
        if operator.is_none() && rest.starts_with(['"', '{']) {
            return (Item::BadAtom, Span::new(self.at, self.at + 1));
        }
        self.token(operator)
    }

    fn token(&self, operator: Option<(Token, usize)>) -> (Item<T::Atom>, Span) {
        match operator {
            Some((token, length)) => (Item::Token(token), Span::new(self.at, self.at + length)),
            None => {
                let length = self.text[self.at..self.end].chars().next().map_or(0, char::len_utf8);
                (Item::Unknown, Span::new(self.at, self.at + length))
            }
        }
    }

    /// Moves over white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..self.end];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
}

/// Complaints.
impl<'a, T: Atoms> Parser<'a, T> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn missing_operand(&mut self, found: &Item<T::Atom>, span: Span) {
        let found = match found {
            Item::End => "the end".to_owned(),
            _ => format!("`{}`", &self.text[span.range()]),
        };
        let mut diagnostic = Diagnostic::error(
            "ltl::expected-formula",
            format!("expected a formula, found {found}"),
            span,
            "a proposition, a constant, a prefix operator or `(` may stand here",
        );
        if let Some((Pending::Unary(_) | Pending::Binary(_), operator)) = self.operators.last() {
            diagnostic = diagnostic.context(*operator, "this operator needs it");
        }
        let word = token::word(&self.text[span.start..self.end]);
        if !word.is_empty() && found != "the end" {
            diagnostic =
                diagnostic.help(format!("a proposition of that name is written \"{word}\", in quotes"));
        }
        self.report(diagnostic);
    }

    fn missing_operator(&mut self, span: Span) {
        const PATH_QUANTIFIED: [&str; 6] = ["AG", "AF", "AX", "EG", "EF", "EX"];
        let mut diagnostic = Diagnostic::error(
            "ltl::expected-operator",
            format!("expected an operator before `{}`", &self.text[span.range()]),
            span,
            "two formulas need an operator between them",
        );
        let before = self.operands.last().map_or("", |operand| &self.text[operand.span.range()]);
        if PATH_QUANTIFIED.contains(&before) {
            let last = &before[1..];
            diagnostic = diagnostic.help(format!(
                "`{before}` is an operator of CTL; a formula of LTL speaks of every run by itself: write `{last}`"
            ));
        } else {
            diagnostic =
                diagnostic.help("the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`");
        }
        self.report(diagnostic);
    }

    fn unknown(&mut self, span: Span) {
        self.at = span.end;
        let found = &self.text[span.range()];
        let mut diagnostic = Diagnostic::error(
            "ltl::unexpected-character",
            format!("`{}` means nothing in a formula", found.escape_debug()),
            span,
            "",
        );
        if found == "=" {
            diagnostic = diagnostic.help("`=` compares two names or numbers; for equivalence write `<->`");
        }
        self.report(diagnostic);
    }

    fn too_deep(&mut self, span: Span) {
        if self.diagnostics.iter().any(|diagnostic| diagnostic.code == "ltl::too-deep") {
            return;
        }
        self.report(
            Diagnostic::error(
                "ltl::too-deep",
                format!("the formula is nested more than {MAX_DEPTH} deep"),
                span,
                "this goes too far",
            )
            .help("split it into several formulas"),
        );
    }
}
