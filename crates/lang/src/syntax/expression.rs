//! Expressions and tests from text.
//!
//! Operator precedence by climbing (Richards 1979): `or`, `and`, `not`, comparisons, `+ -`, `* / %`, unary
//! minus. The same code reads comparisons inside formulas, where `and`, `or` and `not` belong to the logic.
//!
//! Promise: a tree is at most [`MAX_NESTING`] deep, however long or deeply nested the text.

use super::parser::{MAX_NESTING, Parser};
use super::token::Token;
use super::tree::{Expr, ExprKind, Name, QuantifiedTest};
use crate::flow_graph::Operator;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// How tightly comparisons bind; a formula's operands bind at least so tightly.
const COMPARISON: u8 = 4;

/// A longer chain of one operator is grouped by halves, so that its tree is not deep.
const LONGEST_FROM_THE_LEFT: usize = 100;

/// An expression with the depth of its tree.
type WithDepth = (Expr, usize);

impl<'a> Parser<'a> {
    /// An expression or test.
    pub(crate) fn expression(&mut self) -> Expr {
        self.climb(0, 0).0
    }

    /// A comparison, or an expression without one: an operand of a formula.
    pub(crate) fn comparison(&mut self) -> Expr {
        self.climb(COMPARISON, 0).0
    }

    /// An expression without comparisons: a bound of a quantifier.
    pub(crate) fn number_or_name(&mut self) -> Expr {
        self.climb(COMPARISON + 1, 0).0
    }

    /// A variable or an element of an array, to be assigned.
    pub(crate) fn lvalue(&mut self) -> Expr {
        let (token, span) = self.next();
        let Token::Word(word) = token else { return Expr { kind: ExprKind::Broken, span } };
        if self.peek().0 != Token::Sign("[") {
            let name = Expr { kind: ExprKind::Name(word.to_owned()), span };
            return self.fields(name);
        }
        self.next();
        let index = self.expression();
        let end = self.expect_sign("]", "to close the index");
        let name = Name { text: word.to_owned(), span };
        let element = Expr { kind: ExprKind::Element(name, Box::new(index)), span: span.to(end) };
        self.fields(element)
    }

    /// The value of an assignment: an expression, or the values of a record's fields.
    pub(crate) fn assigned_value(&mut self) -> Expr {
        match self.peek() {
            (Token::Sign("{"), open) => {
                let (values, span) = self.elements(open);
                Expr { kind: ExprKind::Braces(values), span }
            }
            _ => self.expression(),
        }
    }

    fn climb(&mut self, least: u8, nesting: usize) -> WithDepth {
        let (mut left, mut depth) = self.operand(least, nesting);
        loop {
            let (token, span) = self.peek();
            let Some((operator, strength)) = infix(token) else { return (left, depth) };
            if strength < least {
                return (left, depth);
            }
            if is_associative(operator) {
                (left, depth) = self.chain((operator, strength), (left, depth), nesting);
                continue;
            }
            self.next();
            let (right, right_depth) = self.climb(strength + 1, nesting + 1);
            depth = 1 + depth.max(right_depth);
            if depth > MAX_NESTING {
                self.report_too_deep(span);
                return (broken(span), 1);
            }
            if strength == COMPARISON && infix(self.peek().0).is_some_and(|(_, next)| next == COMPARISON) {
                self.report_chained_comparison();
            }
            left = binary(operator, left, right);
        }
    }

    /// Operands between which the same associative operator stands, up to another operator.
    fn chain(&mut self, (operator, strength): (Operator, u8), first: WithDepth, nesting: usize) -> WithDepth {
        let mut operands = vec![first];
        while infix(self.peek().0).is_some_and(|(next, _)| next == operator) {
            self.next();
            operands.push(self.climb(strength + 1, nesting + 1));
        }
        let (_, end) = self.peek();
        let (joined, depth) = join(operator, operands);
        if depth > MAX_NESTING {
            self.report_too_deep(end);
            return (broken(end), 1);
        }
        (joined, depth)
    }

    fn operand(&mut self, least: u8, nesting: usize) -> WithDepth {
        let (token, span) = self.peek();
        if nesting > MAX_NESTING {
            self.report_too_deep(span);
            return (broken(span), 1);
        }
        let (kind, depth, end) = match token {
            Token::Sign("-") => {
                self.next();
                let (inner, depth) = self.operand(COMPARISON + 1, nesting + 1);
                let end = inner.span;
                (negative(inner), depth + 1, end)
            }
            Token::Word("not") if least < COMPARISON => {
                self.next();
                let (inner, depth) = self.climb(3, nesting + 1);
                let end = inner.span;
                (ExprKind::Not(Box::new(inner)), depth + 1, end)
            }
            Token::Word(word @ ("forall" | "exists")) if least < COMPARISON && self.is_quantifier() => {
                self.next();
                let (quantified, depth) = self.quantified(word, nesting);
                let end = quantified.test.span;
                (ExprKind::Quantified(Box::new(quantified)), depth + 1, end)
            }
            Token::Sign("(") => {
                self.next();
                // Inside a formula a group may be the logic's; the reader of atoms leaves such a group to
                // the logic.
                let inside = if self.lexer.in_formula { COMPARISON } else { 0 };
                let (inner, depth) = self.climb(inside, nesting + 1);
                let end = self.expect_sign(")", "to close the group");
                (inner.kind, depth, end)
            }
            _ => return self.primary(nesting),
        };
        (Expr { kind, span: span.to(end) }, depth)
    }

    /// Do a name and `in` come behind the next word?
    fn is_quantifier(&self) -> bool {
        let mut lexer = self.lexer;
        lexer.next();
        matches!(lexer.next().0, Token::Word(_)) && lexer.next().0 == Token::Word("in")
    }

    /// `i in 1..3: test`; the test extends as far to the right as it can.
    fn quantified(&mut self, word: &str, nesting: usize) -> (QuantifiedTest, usize) {
        let joint = if word == "forall" { Operator::And } else { Operator::Or };
        let (_, span) = self.peek();
        let variable = self.declared_name("the variable of the quantifier");
        let variable = variable.unwrap_or_else(|| Name { text: String::new(), span });
        self.expect_word("in", variable.span);
        let first = self.number_or_name();
        self.expect_sign("..", "between the first and the last number");
        let last = self.number_or_name();
        self.expect_sign(":", "before the test of the quantifier");
        let (test, depth) = self.climb(0, nesting + 1);
        (QuantifiedTest { joint, variable, first, last, test }, depth)
    }

    fn primary(&mut self, nesting: usize) -> WithDepth {
        let (token, span) = self.peek();
        let kind = match token {
            Token::Number(digits) => {
                self.next();
                self.number(digits, span)
            }
            Token::Word("null") => self.constant(ExprKind::Null),
            Token::Word("true") => self.constant(ExprKind::Truth(true)),
            Token::Word("false") => self.constant(ExprKind::Truth(false)),
            Token::Word(word) if !self.reserved.contains(&word) => {
                self.next();
                return self.name(Name { text: word.to_owned(), span }, nesting);
            }
            _ => {
                self.report_expected(
                    "an expression",
                    span,
                    "a number, a variable, `null`, or `(` may stand here",
                );
                ExprKind::Broken
            }
        };
        (Expr { kind, span }, 1)
    }

    fn constant(&mut self, kind: ExprKind) -> ExprKind {
        self.next();
        kind
    }

    /// An expression that begins with a name: `x`, `a[e]`, `f(e)`, and in formulas `x@p`.
    fn name(&mut self, name: Name, nesting: usize) -> WithDepth {
        let span = name.span;
        let (token, open) = self.peek();
        let (expr, depth) = match token {
            Token::Sign("[") => {
                self.next();
                let (index, depth) = self.climb(COMPARISON + 1, nesting + 1);
                let end = self.expect_sign("]", "to close the index");
                (Expr { kind: ExprKind::Element(name, Box::new(index)), span: span.to(end) }, depth + 1)
            }
            Token::Sign("(") if self.lexer.in_formula || open.start == span.end => {
                self.next();
                let (arguments, depth, end) = self.arguments(nesting);
                (Expr { kind: ExprKind::Member(name, arguments), span: span.to(end) }, depth + 1)
            }
            _ => (Expr { kind: ExprKind::Name(name.text), span }, 1),
        };
        let expr = self.fields(expr);
        self.of_process(expr, depth + 1, nesting)
    }

    /// The expression, or a field of it, if a `.` with a name comes behind it.
    fn fields(&mut self, expr: Expr) -> Expr {
        if self.peek().0 != Token::Sign(".") {
            return expr;
        }
        self.next();
        let Some(field) = self.declared_name("a field") else { return expr };
        let span = expr.span.to(field.span);
        Expr { kind: ExprKind::Field(Box::new(expr), field), span }
    }

    /// The arguments of a call, with the parentheses around them.
    pub(crate) fn call_arguments(&mut self) -> (Vec<Expr>, Span) {
        self.expect_sign("(", "before the arguments");
        let (arguments, _, end) = self.arguments(0);
        (arguments, end)
    }

    /// Arguments up to the closing parenthesis, with the depth of the deepest, and the parenthesis.
    fn arguments(&mut self, nesting: usize) -> (Vec<Expr>, usize, Span) {
        let mut arguments = Vec::new();
        let mut depth = 0;
        if self.peek().0 != Token::Sign(")") {
            // In a formula, an argument that is a test belongs to the logic.
            let least = if self.lexer.in_formula { COMPARISON + 1 } else { 0 };
            loop {
                let (argument, more) = self.climb(least, nesting + 1);
                depth = depth.max(more);
                arguments.push(argument);
                if !self.take(",") {
                    break;
                }
            }
        }
        (arguments, depth, self.expect_sign(")", "to close the arguments"))
    }

    fn of_process(&mut self, expr: Expr, depth: usize, nesting: usize) -> WithDepth {
        if !self.lexer.in_formula || self.peek().0 != Token::Sign("@") {
            return (expr, depth);
        }
        let (_, span) = self.next();
        let (process, more) =
            if nesting > MAX_NESTING { (broken(span), 1) } else { self.primary(nesting + 1) };
        let span = expr.span.to(process.span);
        (Expr { kind: ExprKind::Of(Box::new(expr), Box::new(process)), span }, 1 + depth.max(more))
    }

    fn number(&mut self, digits: &str, span: Span) -> ExprKind {
        match digits.parse() {
            Ok(value) => ExprKind::Int(value),
            Err(_) => {
                let message = format!("`{digits}` does not fit into 64 bits");
                self.report(
                    Diagnostic::error(self.codes().number_too_large, message, span, "")
                        .help(format!("the largest number is {}", i64::MAX)),
                );
                ExprKind::Broken
            }
        }
    }

    fn report_chained_comparison(&mut self) {
        let (_, span) = self.peek();
        let message = "comparisons cannot be chained";
        self.report(
            Diagnostic::error(self.codes().chained_comparison, message, span, "a second comparison")
                .help("write `a < b and b < c`"),
        );
    }
}

/// A minus before a number is part of the number, so that expressions that mean the same are equal.
fn negative(inner: Expr) -> ExprKind {
    match inner.kind {
        ExprKind::Int(value) if value > 0 => ExprKind::Int(-value),
        _ => ExprKind::Negative(Box::new(inner)),
    }
}

/// May operands be grouped in any way? Sums and products may, but for the place where a chain that overflows
/// does so.
fn is_associative(operator: Operator) -> bool {
    matches!(operator, Operator::Add | Operator::Multiply | Operator::And | Operator::Or)
}

/// A chain of operands as a tree: from the left, or by halves if it is long.
fn join(operator: Operator, mut operands: Vec<WithDepth>) -> WithDepth {
    let pair = |(left, left_depth): WithDepth, (right, right_depth): WithDepth| {
        (binary(operator, left, right), 1 + left_depth.max(right_depth))
    };
    if operands.len() > LONGEST_FROM_THE_LEFT {
        let rest = operands.split_off(operands.len() / 2);
        return pair(join(operator, operands), join(operator, rest));
    }
    let joined = operands.into_iter().reduce(pair);
    joined.unwrap_or_else(|| (broken(Span::default()), 1))
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

fn broken(span: Span) -> Expr {
    Expr { kind: ExprKind::Broken, span }
}

/// An operator between two operands, and how tightly it binds.
fn infix(token: Token<'_>) -> Option<(Operator, u8)> {
    Some(match token {
        Token::Word("or") => (Operator::Or, 1),
        Token::Word("and") => (Operator::And, 2),
        Token::Sign("=") => (Operator::Equal, COMPARISON),
        Token::Sign("!=") => (Operator::Differs, COMPARISON),
        Token::Sign("<") => (Operator::Less, COMPARISON),
        Token::Sign("<=") => (Operator::AtMost, COMPARISON),
        Token::Sign(">") => (Operator::Greater, COMPARISON),
        Token::Sign(">=") => (Operator::AtLeast, COMPARISON),
        Token::Sign("+") => (Operator::Add, 5),
        Token::Sign("-") => (Operator::Subtract, 5),
        Token::Sign("*") => (Operator::Multiply, 6),
        Token::Sign("/") => (Operator::Divide, 6),
        Token::Sign("%") => (Operator::Remainder, 6),
        _ => return None,
    })
}
