//! Expressions that begin with a keyword: `begin`, `if`, `case`, `receive`, `fun`, `try`, `maybe`.

use super::parser::{Parse, Parser, identifier};
use super::pattern::pattern;
use super::token::Token;
use super::tree::{
    After, CatchClause, CatchClauseKind, Clause, ClauseKind, Expr, ExprKind, Guard, Integer, NameArity, Node,
    Pattern, PatternKind,
};
use erl_tokenize::{Keyword, Symbol};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Parser<'_> {
    /// What the keyword begins.
    pub(super) fn block(&mut self, keyword: Keyword) -> Parse<ExprKind> {
        let opened = self.span();
        match keyword {
            Keyword::Begin => {
                self.next();
                let body = self.exprs()?;
                self.expect_block_end(opened, "begin")?;
                Ok(ExprKind::Block(body))
            }
            Keyword::If => {
                self.next();
                let clauses = self.separated(Self::if_clause)?;
                self.expect_block_end(opened, "if")?;
                Ok(ExprKind::If(clauses))
            }
            Keyword::Case => {
                self.next();
                let argument = Box::new(self.expr()?);
                if !self.take_keyword(Keyword::Of) {
                    return Err(self.expected("`of` after the argument of `case`"));
                }
                let clauses = self.separated(Self::clause)?;
                self.expect_block_end(opened, "case")?;
                Ok(ExprKind::Case { argument, clauses })
            }
            Keyword::Receive => self.receive(opened),
            Keyword::Fun => self.fun(opened),
            Keyword::Try => self.try_block(opened),
            Keyword::Maybe => self.maybe(opened),
            _ => Err(self.expected("an expression")),
        }
    }

    /// At least one, separated by semicolons.
    pub(super) fn separated<T>(&mut self, read: impl Fn(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut parts = vec![read(self)?];
        while self.take(Symbol::Semicolon) {
            parts.push(read(self)?);
        }
        Ok(parts)
    }

    /// `pattern when guard -> body`
    fn clause(&mut self) -> Parse<Clause> {
        let start = self.span();
        let pattern = pattern(self.expr()?)?;
        self.rest_of_clause(start, vec![pattern])
    }

    /// `when guard -> body`
    pub(super) fn rest_of_clause(&mut self, start: Span, patterns: Vec<Pattern>) -> Parse<Clause> {
        let guard = self.optional_guard()?;
        let body = self.body()?;
        Ok(Node::new(self.since(start), ClauseKind { patterns, guard, body }))
    }

    fn optional_guard(&mut self) -> Parse<Guard> {
        if self.take_keyword(Keyword::When) { self.guard() } else { Ok(Guard::default()) }
    }

    fn guard(&mut self) -> Parse<Guard> {
        Ok(Guard(self.separated(Self::exprs)?))
    }

    fn body(&mut self) -> Parse<Vec<Expr>> {
        self.expect(Symbol::RightArrow, "after the clause's head")?;
        self.exprs()
    }

    fn if_clause(&mut self) -> Parse<Clause> {
        let start = self.span();
        let guard = self.guard()?;
        let body = self.body()?;
        Ok(Node::new(self.since(start), ClauseKind { patterns: Vec::new(), guard, body }))
    }

    fn receive(&mut self, opened: Span) -> Parse<ExprKind> {
        self.next();
        let clauses =
            if self.is_keyword(Keyword::After) { Vec::new() } else { self.separated(Self::clause)? };
        let after = if self.take_keyword(Keyword::After) {
            let timeout = self.expr()?;
            self.expect(Symbol::RightArrow, "after the timeout")?;
            Some(Box::new(After { timeout, body: self.exprs()? }))
        } else {
            None
        };
        self.expect_block_end(opened, "receive")?;
        Ok(ExprKind::Receive { clauses, after })
    }

    fn fun(&mut self, opened: Span) -> Parse<ExprKind> {
        self.next();
        match (self.peek(), self.peek_at(1)) {
            (Token::Atom(_), Token::Symbol(Symbol::Slash)) => {
                let name = self.expect_name("a function's name")?.kind;
                self.next();
                return Ok(ExprKind::FunLocal(NameArity { name, arity: self.arity()? }));
            }
            (Token::Atom(_) | Token::Variable(_), Token::Symbol(Symbol::Colon)) => return self.remote_fun(),
            _ => {}
        }
        let clauses = self.separated(Self::fun_clause)?;
        self.expect_block_end(opened, "fun")?;
        let name = clauses[0].0.clone();
        let arity = clauses[0].1.kind.patterns.len();
        for (other, clause) in &clauses[1..] {
            if *other != name || clause.kind.patterns.len() != arity {
                let message = "the clauses of a fun have the same name and number of parameters";
                let error = Diagnostic::error("erlang::head-mismatch", message, clause.span, "");
                return Err(Box::new(error.context(clauses[0].1.span, "the first clause")));
            }
        }
        Ok(ExprKind::Fun { name, clauses: clauses.into_iter().map(|(_, clause)| clause).collect() })
    }

    fn fun_clause(&mut self) -> Parse<(Option<super::tree::Identifier>, Clause)> {
        let start = self.span();
        let name = match self.peek() {
            Token::Variable(name) => {
                let name = identifier(start, name);
                self.next();
                Some(name)
            }
            _ => None,
        };
        let patterns = self.parameters("of the fun")?;
        Ok((name, self.rest_of_clause(start, patterns)?))
    }

    /// `(P, Q)`
    pub(super) fn parameters(&mut self, whose: &str) -> Parse<Vec<Pattern>> {
        let opened = self.span();
        self.expect(Symbol::OpenParen, &format!("and the parameters {whose}"))?;
        let mut patterns = Vec::new();
        if self.take(Symbol::CloseParen) {
            return Ok(patterns);
        }
        loop {
            patterns.push(pattern(self.expr()?)?);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_close(Symbol::CloseParen, opened)?;
        Ok(patterns)
    }

    /// The number after `/`.
    pub(super) fn arity(&mut self) -> Parse<usize> {
        let Token::Integer(Integer::Small(arity)) = self.peek() else {
            return Err(self.expected("a number of parameters"));
        };
        match usize::try_from(*arity) {
            Ok(arity) if arity <= 255 => {
                self.next();
                Ok(arity)
            }
            _ => Err(self.expected("a number of parameters up to 255")),
        }
    }

    /// `m:f/1` after `fun`, each part also a variable.
    fn remote_fun(&mut self) -> Parse<ExprKind> {
        let module = Box::new(self.primary()?);
        self.next();
        if !matches!(self.peek(), Token::Atom(_) | Token::Variable(_)) {
            return Err(self.expected("a function's name"));
        }
        let function = Box::new(self.primary()?);
        self.expect(Symbol::Slash, "and a number of parameters")?;
        if !matches!(self.peek(), Token::Integer(_) | Token::Variable(_)) {
            return Err(self.expected("a number of parameters"));
        }
        let arity = Box::new(self.primary()?);
        self.grow()?;
        Ok(ExprKind::FunRemote { module, function, arity })
    }

    fn try_block(&mut self, opened: Span) -> Parse<ExprKind> {
        self.next();
        let body = self.exprs()?;
        let clauses = if self.take_keyword(Keyword::Of) { self.separated(Self::clause)? } else { Vec::new() };
        let catch =
            if self.take_keyword(Keyword::Catch) { self.separated(Self::catch_clause)? } else { Vec::new() };
        let after = if self.take_keyword(Keyword::After) { self.exprs()? } else { Vec::new() };
        if catch.is_empty() && after.is_empty() {
            let error = self.expected("`catch` or `after` of the `try`");
            return Err(Box::new(error.context(opened, "the `try` begins here")));
        }
        self.expect_block_end(opened, "try")?;
        Ok(ExprKind::Try { body, clauses, catch, after })
    }

    /// `class:reason:stacktrace when guard -> body`
    fn catch_clause(&mut self) -> Parse<CatchClause> {
        let start = self.span();
        let mut class = Node::new(start, PatternKind::Atom("throw".into()));
        let mut stacktrace = None;
        let has_class = matches!(self.peek(), Token::Atom(_) | Token::Variable(_))
            && *self.peek_at(1) == Token::Symbol(Symbol::Colon);
        if has_class {
            class = pattern(self.primary()?)?;
            self.next();
        }
        self.has_remote_calls = false;
        let reason = self.expr()?;
        self.has_remote_calls = true;
        let reason = pattern(reason)?;
        if has_class && self.take(Symbol::Colon) {
            stacktrace = Some(self.expect_variable("a variable for the stack trace")?);
        }
        let guard = self.optional_guard()?;
        let body = self.body()?;
        let kind = CatchClauseKind { class, reason, stacktrace, guard, body };
        Ok(Node::new(self.since(start), kind))
    }

    fn maybe(&mut self, opened: Span) -> Parse<ExprKind> {
        let mark = self.mark();
        self.next();
        if is_after_expression(self.peek()) {
            self.go_back(mark);
            return Err(self.expected("an expression"));
        }
        let mut body = vec![self.maybe_match()?];
        while self.take(Symbol::Comma) {
            body.push(self.maybe_match()?);
        }
        let clauses =
            if self.take_keyword(Keyword::Else) { self.separated(Self::clause)? } else { Vec::new() };
        self.expect_block_end(opened, "maybe")?;
        Ok(ExprKind::Maybe { body, clauses })
    }

    /// `pattern ?= value`, or an expression
    fn maybe_match(&mut self) -> Parse<Expr> {
        let start = self.span();
        let expr = self.expr()?;
        if !self.take(Symbol::MaybeMatch) {
            return Ok(expr);
        }
        let value = Box::new(self.expr()?);
        self.grow()?;
        let kind = ExprKind::MaybeMatch { pattern: pattern(expr)?, value };
        Ok(Node::new(self.since(start), kind))
    }
}

/// Is the token one that follows an expression? Then the word before it was meant as an atom.
fn is_after_expression(token: &Token) -> bool {
    use Symbol::{
        CloseBrace, CloseParen, CloseSquare, Comma, DoubleRightArrow, Match, RightArrow, VerticalBar,
    };
    let signs =
        [CloseBrace, CloseParen, CloseSquare, Comma, DoubleRightArrow, Match, RightArrow, VerticalBar];
    match token {
        Token::Symbol(symbol) => signs.contains(symbol),
        _ => *token == Token::End,
    }
}
