//! The parser of domain files.
//!
//! ```text
//! file      = { item }
//! item      = "domain" name | "values" names | "order" chain { "," chain } | "alpha" { clause [";"] } | row
//! chain     = name "<" name { "<" name }
//! clause    = ( condition | "otherwise" ) "->" name
//! condition = both { "or" both }            both = test { "and" test }
//! test      = "not" test | "(" condition ")" | "n" [ "%" number ] relation
//! relation  = ( "=" | "/=" | "<" | "<=" | ">" | ">=" ) integer | "in" ( range | "{" ranges "}" )
//! range     = integer [ ".." integer ]
//! row       = [ name ] operator name "->" outcome { "," outcome } | name ( "<" | "=" ) name "->" truth
//! outcome   = name | "error"                truth = "true" | "false" | "unknown"
//! name      = word | number | "'" any text "'"
//! ```
//!
//! Promise: a mistake costs one line; what else was understood is returned with the diagnostics. No text
//! makes the parser panic, or its stack overflow.

use super::super::integers::Truth;
use super::super::operation::{BinaryOperation, Comparison, UnaryOperation};
use super::condition::{Condition, Relation};
use super::token::{Lexer, Token};
use super::tree::{Clause, Name, Row, RowHead, RowResult, Tree};
use num_bigint::BigInt;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// Mistakes that are reported of one file.
pub(super) const MAX_DIAGNOSTICS: usize = 20;

/// Parentheses and `not`s inside of each other.
const MAX_DEPTH: usize = 100;

/// Digits of a number.
pub(crate) const MAX_DIGITS: usize = 1000;

/// Words that are names only between apostrophes.
const RESERVED: [&str; 23] = [
    "domain",
    "values",
    "order",
    "alpha",
    "otherwise",
    "n",
    "in",
    "and",
    "or",
    "not",
    "error",
    "true",
    "false",
    "unknown",
    "div",
    "rem",
    "band",
    "bor",
    "bxor",
    "bsl",
    "bsr",
    "bnot",
    "abs",
];

type Parsed<T> = Result<T, Diagnostic>;

/// The tree of a file, and what is wrong with its syntax.
pub(super) fn parse(text: &str) -> (Tree, Vec<Diagnostic>) {
    let mut parser = Parser { lexer: Lexer::new(text, 0), tree: Tree::default() };
    let mut diagnostics = Vec::new();
    while parser.lexer.peek().0 != Token::End && diagnostics.len() < MAX_DIAGNOSTICS {
        if let Err(diagnostic) = parser.item() {
            diagnostics.push(diagnostic);
            parser.lexer.skip_line();
        }
    }
    (parser.tree, diagnostics)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    tree: Tree,
}

impl<'a> Parser<'a> {
    fn item(&mut self) -> Parsed<()> {
        match self.lexer.peek() {
            (Token::Word("domain"), span) => {
                self.lexer.next();
                let name = self.name("the name of the domain")?;
                if self.tree.name.is_some() {
                    return Err(Diagnostic::error(
                        "domain::syntax",
                        "a file has one domain",
                        span,
                        "a second one",
                    ));
                }
                self.tree.name = Some(name);
            }
            (Token::Word("values"), _) => {
                self.lexer.next();
                self.list(|parser| {
                    let name = parser.name("the name of a value")?;
                    parser.tree.values.push(name);
                    Ok(())
                })?;
            }
            (Token::Word("order"), _) => {
                self.lexer.next();
                self.list(Parser::chain)?;
            }
            (Token::Word("alpha"), _) => {
                self.lexer.next();
                self.clauses()?;
            }
            (Token::Word(word), _) if ["n", "otherwise", "not"].contains(&word) => self.clauses()?,
            _ => self.row()?,
        }
        Ok(())
    }

    /// Items with commas between them.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        item(self)?;
        while self.take(",") {
            item(self)?;
        }
        Ok(())
    }

    /// `?int < nonneg < pos`
    fn chain(&mut self) -> Parsed<()> {
        let mut low = self.name("the less precise value")?;
        self.expect("<")?;
        loop {
            let high = self.name("the more precise value")?;
            self.tree.order.push((low, high.clone()));
            low = high;
            if !self.take("<") {
                return Ok(());
            }
        }
    }

    fn clauses(&mut self) -> Parsed<()> {
        loop {
            let (token, start) = self.lexer.peek();
            let condition = match token {
                Token::Word("otherwise") => {
                    self.lexer.next();
                    None
                }
                Token::Word("n" | "not") | Token::Sign("(") => Some(self.condition(0)?),
                _ => return Ok(()),
            };
            self.expect("->")?;
            let value = self.name("the value of these numbers")?;
            let span = start.to(value.span);
            self.tree.alpha.push(Clause { condition, value, span });
            self.take(";");
        }
    }

    fn condition(&mut self, depth: usize) -> Parsed<Condition> {
        let mut parts = vec![self.conjunction(depth)?];
        while self.take_word("or") {
            parts.push(self.conjunction(depth)?);
        }
        Ok(Condition::Any(parts))
    }

    fn conjunction(&mut self, depth: usize) -> Parsed<Condition> {
        let mut parts = vec![self.test(depth)?];
        while self.take_word("and") {
            parts.push(self.test(depth)?);
        }
        Ok(Condition::All(parts))
    }

    fn test(&mut self, depth: usize) -> Parsed<Condition> {
        let (token, span) = self.lexer.next();
        if depth > MAX_DEPTH {
            let message = format!("conditions are nested more than {MAX_DEPTH} deep");
            return Err(Diagnostic::error("domain::syntax", message, span, ""));
        }
        match token {
            Token::Word("not") => Ok(Condition::Not(Box::new(self.test(depth + 1)?))),
            Token::Sign("(") => {
                let inner = self.condition(depth + 1)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Word("n") => {
                let modulus = if self.take("%") { Some(self.modulus()?) } else { None };
                self.relation(modulus)
            }
            _ => Err(unexpected(token, span, "a test of the number `n`")),
        }
    }

    fn modulus(&mut self) -> Parsed<u64> {
        let (token, span) = self.lexer.next();
        let Token::Number(digits) = token else { return Err(unexpected(token, span, "a modulus")) };
        let modulus = digits.parse::<u64>().ok().filter(|modulus| *modulus > 0);
        modulus.ok_or_else(|| Diagnostic::error("domain::number", "there is no such remainder", span, ""))
    }

    fn relation(&mut self, modulus: Option<u64>) -> Parsed<Condition> {
        let (token, span) = self.lexer.next();
        let below = |bound: BigInt| Condition::Test(modulus, Relation::Below(bound));
        let not = |condition: Condition| Condition::Not(Box::new(condition));
        Ok(match token {
            Token::Sign("=" | "==" | "=:=") => Condition::equal(modulus, self.integer()?),
            Token::Sign("/=" | "!=") => not(Condition::equal(modulus, self.integer()?)),
            Token::Sign("<") => below(self.integer()?),
            Token::Sign("<=" | "=<") => below(self.integer()? + 1),
            Token::Sign(">") => not(below(self.integer()? + 1)),
            Token::Sign(">=") => not(below(self.integer()?)),
            Token::Word("in") => {
                let mut ranges = Vec::new();
                if self.take("{") {
                    self.list(|parser| {
                        ranges.push(parser.range()?);
                        Ok(())
                    })?;
                    self.expect("}")?;
                } else {
                    ranges.push(self.range()?);
                }
                Condition::Test(modulus, Relation::In(ranges))
            }
            _ => return Err(unexpected(token, span, "a comparison, such as `= 0`")),
        })
    }

    fn range(&mut self) -> Parsed<(BigInt, BigInt)> {
        let start = self.lexer.peek().1;
        let low = self.integer()?;
        if !self.take("..") {
            return Ok((low.clone(), low));
        }
        let end = self.lexer.peek().1;
        let high = self.integer()?;
        if low > high {
            return Err(Diagnostic::error("domain::number", "the range has no numbers", start.to(end), ""));
        }
        Ok((low, high))
    }

    fn integer(&mut self) -> Parsed<BigInt> {
        integer(&mut self.lexer)
    }

    fn row(&mut self) -> Parsed<()> {
        let start = self.lexer.peek().1;
        let head = match self.prefix_operator() {
            Some(operation) => RowHead::Unary(operation, self.name("a value")?),
            None => {
                let left = self.name("`domain`, `values`, `order`, `alpha`, or an operation on values")?;
                let (token, span) = self.lexer.next();
                let operator = infix(token).ok_or_else(|| unexpected(token, span, "an operator"))?;
                let right = self.name("a value")?;
                match operator {
                    Infix::Operation(operation) => RowHead::Binary(operation, left, right),
                    Infix::Comparison(comparison) => RowHead::Compare(comparison, left, right),
                }
            }
        };
        self.expect("->")?;
        let (result, end) = match head {
            RowHead::Compare(..) => self.truth()?,
            _ => self.outcomes()?,
        };
        self.tree.rows.push(Row { head, result, span: start.to(end) });
        Ok(())
    }

    fn prefix_operator(&mut self) -> Option<UnaryOperation> {
        let operation = match self.lexer.peek().0 {
            Token::Sign("-") => UnaryOperation::Minus,
            Token::Word("bnot") => UnaryOperation::BitNot,
            Token::Word("abs") => UnaryOperation::Absolute,
            _ => return None,
        };
        self.lexer.next();
        Some(operation)
    }

    fn outcomes(&mut self) -> Parsed<(RowResult, Span)> {
        let (mut values, mut error, mut end) = (Vec::new(), false, Span::default());
        self.list(|parser| {
            end = parser.lexer.peek().1;
            if parser.take_word("error") {
                error = true;
            } else {
                values.push(parser.name("a value, or `error`")?);
            }
            Ok(())
        })?;
        Ok((RowResult::Outcomes { values, error }, end))
    }

    fn truth(&mut self) -> Parsed<(RowResult, Span)> {
        let (token, span) = self.lexer.next();
        let truth = match token {
            Token::Word("true") => Truth::True,
            Token::Word("false") => Truth::False,
            Token::Word("unknown") => Truth::Unknown,
            _ => return Err(unexpected(token, span, "`true`, `false` or `unknown`")),
        };
        Ok((RowResult::Truth(truth), span))
    }

    fn name(&mut self, wanted: &str) -> Parsed<Name> {
        let (token, span) = self.lexer.peek();
        let text = match token {
            Token::Word(word) if RESERVED.contains(&word) => {
                let help = format!("a value with this name is written '{word}'");
                return Err(unexpected(token, span, wanted).help(help));
            }
            Token::Word(text) | Token::Number(text) | Token::Quoted(text) => text.to_owned(),
            _ => return Err(unexpected(token, span, wanted)),
        };
        self.lexer.next();
        Ok(Name { text, span })
    }

    /// Moves over a sign, if it is the next token.
    fn take(&mut self, sign: &str) -> bool {
        let is_there = matches!(self.lexer.peek().0, Token::Sign(found) if found == sign);
        if is_there {
            self.lexer.next();
        }
        is_there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.lexer.peek().0 == Token::Word(word);
        if is_there {
            self.lexer.next();
        }
        is_there
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        let (token, span) = self.lexer.peek();
        if self.take(sign) { Ok(()) } else { Err(unexpected(token, span, &format!("`{sign}`"))) }
    }
}

enum Infix {
    Operation(BinaryOperation),
    Comparison(Comparison),
}

fn infix(token: Token<'_>) -> Option<Infix> {
    let (Token::Sign(text) | Token::Word(text)) = token else { return None };
    match text {
        "<" => Some(Infix::Comparison(Comparison::Less)),
        "=" | "==" | "=:=" => Some(Infix::Comparison(Comparison::Equal)),
        _ => {
            let operation = BinaryOperation::ALL.into_iter().find(|operation| operation.name() == text);
            operation.map(Infix::Operation)
        }
    }
}

/// An integer, perhaps negative.
pub(crate) fn integer(lexer: &mut Lexer<'_>) -> Parsed<BigInt> {
    let (mut token, mut span) = lexer.next();
    let is_negative = token == Token::Sign("-");
    if is_negative {
        (token, span) = lexer.next();
    }
    let Token::Number(digits) = token else { return Err(unexpected(token, span, "an integer")) };
    if digits.len() > MAX_DIGITS {
        let message = format!("the number has more than {MAX_DIGITS} digits");
        return Err(Diagnostic::error("domain::number", message, span, ""));
    }
    let magnitude: BigInt = digits.parse().expect("digits are a number");
    Ok(if is_negative { -magnitude } else { magnitude })
}

/// An error at a token that does not belong here.
pub(crate) fn unexpected(token: Token<'_>, span: Span, wanted: &str) -> Diagnostic {
    let found = match token {
        Token::Word(text) | Token::Number(text) => format!("`{text}`"),
        Token::Quoted(text) => format!("'{text}'"),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::Other(char) => format!("`{char}`"),
        Token::End => "the end".to_owned(),
    };
    Diagnostic::error(
        "domain::syntax",
        format!("{found} does not belong here"),
        span,
        format!("expected {wanted}"),
    )
}
