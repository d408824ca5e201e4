//! The parser's state: a cursor over the tokens of one form, and its errors.
//!
//! Recursive descent, operators by precedence climbing. The grammar is that of OTP's `erl_parse`. The first
//! error of a form ends the form; reading goes on with the next.
//!
//! Promise: never panics, takes time linear in the number of tokens, and neither the parser's recursion nor
//! the tree's nesting is deeper than [`MAX_NESTING`].

use super::MAX_NESTING;
use super::token::{Lexeme, Token};
use super::tree::{Expr, Identifier, Name, Node};
use erl_tokenize::{Keyword, Symbol};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// What a function of the parser returns.
pub(super) type Parse<T> = Result<T, Box<Diagnostic>>;

/// Reads the tokens of one form.
pub(super) struct Parser<'a> {
    lexemes: &'a [Lexeme],
    at: usize,
    /// The position of the full stop.
    end: Span,
    /// How many calls of [`Parser::nested`] are active.
    depth: usize,
    /// The nesting of the highest part that was read inside of the innermost active call.
    height: usize,
    /// Is `a:b` a remote call? In `catch error:R:S` it is not.
    pub(super) has_remote_calls: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(lexemes: &'a [Lexeme], end: Span) -> Self {
        Parser { lexemes, at: 0, end, depth: 0, height: 0, has_remote_calls: true }
    }

    /// An expression that takes up all tokens.
    pub(super) fn whole_expression(mut self) -> Parse<Expr> {
        let expr = self.expr()?;
        self.expect_end()?;
        Ok(expr)
    }

    pub(super) fn peek(&self) -> &'a Token {
        self.peek_at(0)
    }

    /// The token after so many others.
    pub(super) fn peek_at(&self, skip: usize) -> &'a Token {
        self.lexemes.get(self.at + skip).map_or(&Token::End, |lexeme| &lexeme.token)
    }

    /// The position of the next token.
    pub(super) fn span(&self) -> Span {
        self.lexemes.get(self.at).map_or(self.end, |lexeme| lexeme.span)
    }

    /// From `start` to the last token that was read.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).map_or(start, |last| self.lexemes[last].span);
        // An include in the middle of a form puts its end before its beginning.
        if last.end >= start.start { start.to(last) } else { start }
    }

    pub(super) fn next(&mut self) {
        self.at = (self.at + 1).min(self.lexemes.len());
    }

    /// The place to which [`Parser::go_back`] returns.
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn go_back(&mut self, mark: usize) {
        self.at = mark;
    }

    pub(super) fn is(&self, symbol: Symbol) -> bool {
        *self.peek() == Token::Symbol(symbol)
    }

    pub(super) fn is_keyword(&self, keyword: Keyword) -> bool {
        *self.peek() == Token::Keyword(keyword)
    }

    pub(super) fn take(&mut self, symbol: Symbol) -> bool {
        let found = self.is(symbol);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn take_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.next();
        }
        found
    }

    /// Takes the sign, or says that it is missing: "expected `->` after the clause's head".
    pub(super) fn expect(&mut self, symbol: Symbol, purpose: &str) -> Parse<()> {
        if self.take(symbol) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{}` {purpose}", symbol.as_str())))
        }
    }

    /// The `end` of what `opened` began.
    pub(super) fn expect_block_end(&mut self, opened: Span, what: &str) -> Parse<()> {
        if self.take_keyword(Keyword::End) {
            return Ok(());
        }
        let error = self.expected(&format!("`end` to close the `{what}`"));
        Err(Box::new(error.context(opened, format!("the `{what}` begins here"))))
    }

    /// The sign that closes what `opened` began.
    pub(super) fn expect_close(&mut self, close: Symbol, opened: Span) -> Parse<()> {
        if self.take(close) {
            return Ok(());
        }
        let error = self.expected(&format!("`,` or `{}`", close.as_str()));
        Err(Box::new(error.context(opened, "opened here")))
    }

    pub(super) fn expect_end(&self) -> Parse<()> {
        if *self.peek() == Token::End {
            return Ok(());
        }
        let error = self.expected("an operator, `,`, `;` or the form's full stop");
        if matches!((self.peek(), self.peek_at(1)), (Token::Atom(_), Token::Symbol(Symbol::OpenParen))) {
            return Err(Box::new(
                error.help("a function ends with `.`, a clause with `;`, an expression with `,`"),
            ));
        }
        Err(error)
    }

    /// An atom that names something.
    pub(super) fn expect_name(&mut self, what: &str) -> Parse<Identifier> {
        let span = self.span();
        let Token::Atom(name) = self.peek() else { return Err(self.expected(what)) };
        self.next();
        Ok(Node::new(span, name.clone()))
    }

    pub(super) fn expect_variable(&mut self, what: &str) -> Parse<Identifier> {
        let span = self.span();
        let Token::Variable(name) = self.peek() else { return Err(self.expected(what)) };
        self.next();
        Ok(Node::new(span, name.clone()))
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let label = format!("found {}", self.peek().describe());
        let error = Diagnostic::error("erlang::syntax", format!("expected {what}"), self.span(), label);
        Box::new(match self.peek() {
            Token::Keyword(keyword @ (Keyword::Maybe | Keyword::Else | Keyword::Cond | Keyword::Let)) => {
                error.help(format!(
                    "`{}` is reserved: the atom is written `'{}'`",
                    keyword.as_str(),
                    keyword.as_str()
                ))
            }
            Token::Symbol(Symbol::Dot) => {
                error.help("a form's full stop is followed by a blank or a new line")
            }
            _ => error,
        })
    }

    /// Reads a part of the tree, one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        self.check_nesting()?;
        // After an error the form is left, and with it the depth.
        let part = read(self)?;
        self.grow()?;
        self.depth -= 1;
        self.height = self.height.max(outer);
        Ok(part)
    }

    /// The part that was read becomes the child of a new node.
    pub(super) fn grow(&mut self) -> Parse<()> {
        self.height += 1;
        self.check_nesting()
    }

    fn check_nesting(&self) -> Parse<()> {
        if self.depth + self.height <= MAX_NESTING {
            return Ok(());
        }
        let message = format!("this nests more than {MAX_NESTING} deep");
        let error = Diagnostic::error("erlang::nesting", message, self.span(), "");
        Err(Box::new(error.help("bind a part to a variable, or make it a function")))
    }
}

/// The node of a name.
pub(super) fn identifier(span: Span, name: &Name) -> Identifier {
    Node::new(span, name.clone())
}
