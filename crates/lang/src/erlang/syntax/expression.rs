//! Expressions: operators, calls, and what is written without a keyword.
//!
//! Precedences, from loose to tight: `catch`; `=` and `!` (right); `orelse` (right); `andalso` (right);
//! comparisons (none); `++` and `--` (right); `+` and its like (left); `*` and its like (left); prefixes;
//! `#`; `:`.

use super::parser::{Parse, Parser};
use super::pattern::pattern;
use super::token::{Sigil, Token};
use super::tree::{
    BinaryOperator, CallTarget, Expr, ExprKind, Name, Node, Segment, SegmentKind, SegmentType, UnaryOperator,
};
use erl_tokenize::{Keyword, Symbol};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    Match,
    Send,
    OrElse,
    AndAlso,
    Strict(BinaryOperator),
}

/// Which of two operators of one precedence takes the operand between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Associativity {
    Left,
    Right,
    None,
}

impl Infix {
    /// How tight the operator binds, as in `erl_parse`.
    pub(super) fn precedence(self) -> (u16, Associativity) {
        match self {
            Infix::Match | Infix::Send => (100, Associativity::Right),
            Infix::OrElse => (150, Associativity::Right),
            Infix::AndAlso => (160, Associativity::Right),
            Infix::Strict(operator) => operator.precedence(),
        }
    }
}

impl BinaryOperator {
    fn precedence(self) -> (u16, Associativity) {
        use BinaryOperator::*;
        match self {
            Equal | NotEqual | LessEqual | Less | GreaterEqual | Greater | ExactlyEqual | NotExactlyEqual => {
                (200, Associativity::None)
            }
            Append | Remove => (300, Associativity::Right),
            Add | Subtract | BitOr | BitXor | ShiftLeft | ShiftRight | Or | Xor => (400, Associativity::Left),
            Multiply | Divide | Div | Rem | BitAnd | And => (500, Associativity::Left),
        }
    }
}

/// The precedence of an operator with one operand.
pub(super) const PREFIX: u16 = 600;

/// The operator that a token is between two operands.
pub(super) fn infix(token: &Token) -> Option<Infix> {
    use BinaryOperator::*;
    let operator = match token {
        Token::Symbol(symbol) => match symbol {
            Symbol::Match => return Some(Infix::Match),
            Symbol::Bang => return Some(Infix::Send),
            Symbol::Eq => Equal,
            Symbol::NotEq => NotEqual,
            Symbol::LessEq => LessEqual,
            Symbol::Less => Less,
            Symbol::GreaterEq => GreaterEqual,
            Symbol::Greater => Greater,
            Symbol::ExactEq => ExactlyEqual,
            Symbol::ExactNotEq => NotExactlyEqual,
            Symbol::PlusPlus => Append,
            Symbol::MinusMinus => Remove,
            Symbol::Plus => Add,
            Symbol::Hyphen => Subtract,
            Symbol::Multiply => Multiply,
            Symbol::Slash => Divide,
            _ => return None,
        },
        Token::Keyword(keyword) => match keyword {
            Keyword::Orelse => return Some(Infix::OrElse),
            Keyword::Andalso => return Some(Infix::AndAlso),
            Keyword::Bor => BitOr,
            Keyword::Bxor => BitXor,
            Keyword::Bsl => ShiftLeft,
            Keyword::Bsr => ShiftRight,
            Keyword::Or => Or,
            Keyword::Xor => Xor,
            Keyword::Div => Div,
            Keyword::Rem => Rem,
            Keyword::Band => BitAnd,
            Keyword::And => And,
            _ => return None,
        },
        _ => return None,
    };
    Some(Infix::Strict(operator))
}

/// The operator that a token is before an operand.
pub(super) fn prefix(token: &Token) -> Option<UnaryOperator> {
    match token {
        Token::Symbol(Symbol::Plus) => Some(UnaryOperator::Plus),
        Token::Symbol(Symbol::Hyphen) => Some(UnaryOperator::Minus),
        Token::Keyword(Keyword::Not) => Some(UnaryOperator::Not),
        Token::Keyword(Keyword::Bnot) => Some(UnaryOperator::BitNot),
        _ => None,
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.nested(|parser| parser.operators(0))
    }

    /// At least one expression, separated by commas.
    pub(super) fn exprs(&mut self) -> Parse<Vec<Expr>> {
        let mut exprs = vec![self.expr()?];
        while self.take(Symbol::Comma) {
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }

    /// Operands and the operators between them that bind at least as tight as `least`.
    fn operators(&mut self, least: u16) -> Parse<Expr> {
        let start = self.span();
        if self.take_keyword(Keyword::Catch) {
            let operand = Box::new(self.expr()?);
            return Ok(Node::new(self.since(start), ExprKind::Catch(operand)));
        }
        let mut left = self.prefixed()?;
        while let Some(operator) = infix(self.peek()) {
            let (precedence, associativity) = operator.precedence();
            if precedence < least {
                break;
            }
            self.next();
            let tighter = precedence + u16::from(associativity != Associativity::Right);
            let right = self.nested(|parser| parser.operators(tighter))?;
            left = Node::new(self.since(start), combine(operator, left, right)?);
            self.grow()?;
            if associativity == Associativity::None {
                self.refuse_second_comparison(precedence)?;
            }
        }
        Ok(left)
    }

    /// `a < b < c` has no meaning.
    fn refuse_second_comparison(&self, precedence: u16) -> Parse<()> {
        match infix(self.peek()) {
            Some(next) if next.precedence().0 == precedence => {
                let message = "a comparison cannot be compared without parentheses";
                let error = Diagnostic::error("erlang::syntax", message, self.span(), "");
                Err(Box::new(error.help("`A < B, B < C` in a guard, `A < B andalso B < C` elsewhere")))
            }
            _ => Ok(()),
        }
    }

    fn prefixed(&mut self) -> Parse<Expr> {
        let start = self.span();
        let Some(operator) = prefix(self.peek()) else { return self.postfixed() };
        self.next();
        let operand = self.nested(|parser| {
            if parser.is_keyword(Keyword::Catch) { parser.operators(0) } else { parser.prefixed() }
        })?;
        Ok(Node::new(self.since(start), ExprKind::UnaryOp { operator, operand: Box::new(operand) }))
    }

    /// A primary expression with what follows it: arguments, `:`, `#`.
    fn postfixed(&mut self) -> Parse<Expr> {
        let start = self.span();
        let mut expr = self.with_remote_calls(|parser| {
            if parser.is(Symbol::Sharp) { parser.sharp(start, None) } else { parser.primary() }
        })?;
        if self.is(Symbol::Colon) && self.has_remote_calls {
            self.next();
            let function = Box::new(self.primary()?);
            self.grow()?;
            if !self.is(Symbol::OpenParen) {
                return Err(self.expected("`(` and the arguments of the remote call"));
            }
            return self.call(start, CallTarget::Remote { module: Box::new(expr), function });
        }
        if self.is(Symbol::OpenParen) {
            let target = match expr.kind {
                ExprKind::Atom(name) => CallTarget::Local(Node::new(expr.span, name)),
                _ => CallTarget::Fun(Box::new(expr)),
            };
            self.grow()?;
            return self.call(start, target);
        }
        while self.is(Symbol::Sharp) {
            expr = self.with_remote_calls(|parser| parser.sharp(start, Some(expr)))?;
            self.grow()?;
        }
        Ok(expr)
    }

    /// Inside of brackets `a:b` is a remote call again.
    fn with_remote_calls<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let outer = std::mem::replace(&mut self.has_remote_calls, true);
        let part = read(self)?;
        self.has_remote_calls = outer;
        Ok(part)
    }

    fn call(&mut self, start: Span, target: CallTarget) -> Parse<Expr> {
        let arguments = self.arguments()?;
        if self.is(Symbol::OpenParen) {
            let error = self.expected("an operator, `,` or the end of the expression");
            return Err(Box::new(
                error.help("parentheses around a call make its result callable: `(f(X))(Y)`"),
            ));
        }
        Ok(Node::new(self.since(start), ExprKind::Call { target, arguments }))
    }

    /// `(a, b)`
    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.enclosed(Symbol::OpenParen, Symbol::CloseParen)
    }

    /// Any number of expressions between two signs, the first of which is there.
    fn enclosed(&mut self, open: Symbol, close: Symbol) -> Parse<Vec<Expr>> {
        let opened = self.span();
        self.expect(open, "")?;
        if self.take(close) {
            return Ok(Vec::new());
        }
        let exprs = self.exprs()?;
        self.expect_close(close, opened)?;
        Ok(exprs)
    }

    /// What is read without looking at operators around it.
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Atom(name) => self.leaf(ExprKind::Atom(name.clone())),
            Token::Variable(name) => self.leaf(ExprKind::Variable(name.clone())),
            Token::Integer(value) => self.leaf(ExprKind::Integer(value.clone())),
            Token::Float(value) => self.leaf(ExprKind::Float(*value)),
            Token::Char(value) => self.leaf(ExprKind::Char(*value)),
            Token::String(_) => self.strings(),
            Token::Sigil(sigil) => self.sigil(sigil)?,
            Token::Symbol(Symbol::OpenSquare) => self.list()?,
            Token::Symbol(Symbol::OpenBrace) => {
                ExprKind::Tuple(self.enclosed(Symbol::OpenBrace, Symbol::CloseBrace)?)
            }
            Token::Symbol(Symbol::DoubleLeftAngle) => self.binary()?,
            Token::Symbol(Symbol::OpenParen) => {
                self.next();
                let expr = self.expr()?;
                self.expect_close(Symbol::CloseParen, start)?;
                return Ok(expr);
            }
            Token::Keyword(keyword) => self.block(*keyword)?,
            _ => return Err(self.expected("an expression")),
        };
        Ok(Node::new(self.since(start), kind))
    }

    fn leaf(&mut self, kind: ExprKind) -> ExprKind {
        self.next();
        kind
    }

    /// Adjacent strings are one.
    fn strings(&mut self) -> ExprKind {
        let Token::String(first) = self.peek() else { return ExprKind::Nil };
        self.next();
        if !matches!(self.peek(), Token::String(_)) {
            return ExprKind::String(first.clone());
        }
        let mut text = String::from(&**first);
        while let Token::String(more) = self.peek() {
            text.push_str(more);
            self.next();
        }
        ExprKind::String(text.into())
    }

    /// `~s"…"` is a string, `~b"…"` and `~"…"` are binaries; capital letters leave backslashes alone.
    fn sigil(&mut self, sigil: &Sigil) -> Parse<ExprKind> {
        let span = self.span();
        if !sigil.suffix.is_empty() {
            let message = format!("the sigil's suffix `{}` has no meaning", sigil.suffix);
            return Err(Box::new(Diagnostic::error("erlang::syntax", message, span, "")));
        }
        self.next();
        match &*sigil.prefix {
            "s" | "S" => Ok(ExprKind::String(sigil.content.clone())),
            "" | "b" | "B" => Ok(ExprKind::Binary(vec![utf8_segment(span, &sigil.content)])),
            prefix => {
                let message = format!("there is no sigil `~{prefix}`");
                let error = Diagnostic::error("erlang::syntax", message, span, "");
                Err(Box::new(error.help("`~s` and `~S` are strings, `~`, `~b` and `~B` binaries")))
            }
        }
    }
}

/// `<<"text"/utf8>>`, its segment
fn utf8_segment(span: Span, text: &Name) -> Segment<Expr> {
    let value = Node::new(span, ExprKind::String(text.clone()));
    let segment_type = Some(SegmentType::Utf8);
    let kind = SegmentKind { value, size: None, segment_type, signed: None, endianness: None, unit: None };
    Node::new(span, kind)
}

fn combine(operator: Infix, left: Expr, right: Expr) -> Parse<ExprKind> {
    let (boxed_left, right) = match operator {
        Infix::Match => return Ok(ExprKind::Match { pattern: pattern(left)?, value: Box::new(right) }),
        _ => (Box::new(left), Box::new(right)),
    };
    Ok(match operator {
        Infix::AndAlso => ExprKind::AndAlso(boxed_left, right),
        Infix::OrElse => ExprKind::OrElse(boxed_left, right),
        Infix::Strict(operator) => ExprKind::BinaryOp { operator, left: boxed_left, right },
        Infix::Send | Infix::Match => ExprKind::Send(boxed_left, right),
    })
}
