//! The grammar of types and specifications.

use super::expression::{Infix, infix, prefix};
use super::parser::{Parse, Parser};
use super::token::Token;
use super::tree::{Expr, ExprKind, FormKind, Identifier, Node};
use super::types::{
    Constraint, FunctionType, FunctionTypeKind, MapFieldType, Specification, Type, TypeDefinition,
    TypeDefinitionKind, TypeKind,
};
use erl_tokenize::{Keyword, Symbol};
use selvedge_ltl::diagnostic::Diagnostic;

impl Parser<'_> {
    /// `name(A) :: type`, in parentheses or not
    pub(super) fn type_definition(&mut self, kind: TypeDefinitionKind) -> Parse<FormKind> {
        let has_parentheses = self.take(Symbol::OpenParen);
        let name = self.expect_name("the type's name")?;
        let opened = self.span();
        self.expect(Symbol::OpenParen, "and the parameters of the type")?;
        let mut parameters = Vec::new();
        if !self.take(Symbol::CloseParen) {
            loop {
                parameters.push(self.expect_variable("a variable, the parameter of the type")?);
                if !self.take(Symbol::Comma) {
                    break;
                }
            }
            self.expect_close(Symbol::CloseParen, opened)?;
        }
        self.expect(Symbol::DoubleColon, "and what the type stands for")?;
        let body = self.top_type()?;
        if has_parentheses {
            self.expect(Symbol::CloseParen, "after the type")?;
        }
        Ok(FormKind::Type(TypeDefinition { kind, name, parameters, body }))
    }

    /// `m:f(A) -> B when …; (C) -> D`, in parentheses or not
    pub(super) fn specification(&mut self, is_callback: bool) -> Parse<FormKind> {
        let has_parentheses = self.take(Symbol::OpenParen);
        let mut name = self.expect_name("the function's name")?;
        let mut module = None;
        if self.take(Symbol::Colon) {
            module = Some(name);
            name = self.expect_name("the function's name")?;
        }
        let clauses = self.separated(Self::function_type)?;
        let arity = clauses[0].kind.parameters.len();
        if let Some(other) = clauses.iter().find(|clause| clause.kind.parameters.len() != arity) {
            let message = "the clauses of a specification have the same number of parameters";
            let error = Diagnostic::error("erlang::head-mismatch", message, other.span, "");
            return Err(Box::new(error.context(clauses[0].span, "the first clause")));
        }
        if has_parentheses {
            self.expect(Symbol::CloseParen, "after the specification")?;
        }
        Ok(FormKind::Spec(Specification { is_callback, module, name, arity, clauses }))
    }

    /// `(A) -> B when A :: integer()`
    fn function_type(&mut self) -> Parse<FunctionType> {
        let start = self.span();
        self.expect(Symbol::OpenParen, "and the types of the parameters")?;
        let parameters = self.types_until(Symbol::CloseParen)?;
        self.expect(Symbol::RightArrow, "after the types of the parameters")?;
        let result = self.top_type()?;
        let mut constraints = Vec::new();
        if self.take_keyword(Keyword::When) {
            loop {
                constraints.push(self.constraint()?);
                if !self.take(Symbol::Comma) {
                    break;
                }
            }
        }
        Ok(Node::new(self.since(start), FunctionTypeKind { parameters, result, constraints }))
    }

    fn constraint(&mut self) -> Parse<Constraint> {
        if matches!(self.peek(), Token::Atom(name) if &**name == "is_subtype") {
            self.next();
            self.expect(Symbol::OpenParen, "after `is_subtype`")?;
            let variable = self.expect_variable("a type variable")?;
            self.expect(Symbol::Comma, "after the type variable")?;
            let bound = self.top_type()?;
            self.expect(Symbol::CloseParen, "after the bound")?;
            return Ok(Constraint { variable, bound });
        }
        let variable = self.expect_variable("a type variable with its bound")?;
        self.expect(Symbol::DoubleColon, "and the variable's bound")?;
        Ok(Constraint { variable, bound: self.top_type()? })
    }

    /// Any number of types, and the sign that closes them.
    fn types_until(&mut self, close: Symbol) -> Parse<Vec<Type>> {
        let opened = self.span();
        let mut types = Vec::new();
        if self.take(close) {
            return Ok(types);
        }
        loop {
            types.push(self.top_type()?);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_close(close, opened)?;
        Ok(types)
    }

    /// `Name :: type`, or a union
    pub(super) fn top_type(&mut self) -> Parse<Type> {
        self.nested(|parser| {
            let start = parser.span();
            if let (Token::Variable(name), Token::Symbol(Symbol::DoubleColon)) =
                (parser.peek(), parser.peek_at(1))
            {
                let name = Node::new(start, name.clone());
                parser.next();
                parser.next();
                let annotated = Box::new(parser.top_type()?);
                return Ok(Node::new(parser.since(start), TypeKind::Annotated { name, annotated }));
            }
            let first = parser.range_type()?;
            if !parser.is(Symbol::VerticalBar) {
                return Ok(first);
            }
            let mut alternatives = Vec::new();
            push_alternative(&mut alternatives, first);
            // What follows `|` may be annotated, and takes the rest then.
            while parser.take(Symbol::VerticalBar) {
                let is_annotated = *parser.peek_at(1) == Token::Symbol(Symbol::DoubleColon);
                let next = if is_annotated { parser.top_type()? } else { parser.range_type()? };
                push_alternative(&mut alternatives, next);
            }
            Ok(Node::new(parser.since(start), TypeKind::Union(alternatives)))
        })
    }

    /// `low..high`
    fn range_type(&mut self) -> Parse<Type> {
        let start = self.span();
        let low = self.type_operators(400)?;
        if !self.take(Symbol::DoubleDot) {
            return Ok(low);
        }
        let high = self.nested(|parser| parser.type_operators(400))?;
        let kind = TypeKind::Range(constant(low)?, constant(high)?);
        Ok(Node::new(self.since(start), kind))
    }

    /// Arithmetic on integers.
    fn type_operators(&mut self, least: u16) -> Parse<Type> {
        let start = self.span();
        let mut left = self.prefixed_type()?;
        while let Some(Infix::Strict(operator)) = infix(self.peek()) {
            let precedence = Infix::Strict(operator).precedence().0;
            if precedence < least {
                break;
            }
            self.next();
            let right = self.nested(|parser| parser.type_operators(precedence + 1))?;
            let (low, high) = (Box::new(constant(left)?), Box::new(constant(right)?));
            let span = self.since(start);
            let value = Node::new(span, ExprKind::BinaryOp { operator, left: low, right: high });
            left = Node::new(span, TypeKind::Constant(value));
            self.grow()?;
        }
        Ok(left)
    }

    fn prefixed_type(&mut self) -> Parse<Type> {
        let start = self.span();
        let Some(operator) = prefix(self.peek()) else { return self.primary_type() };
        self.next();
        let operand = Box::new(constant(self.nested(Self::prefixed_type)?)?);
        let span = self.since(start);
        Ok(Node::new(span, TypeKind::Constant(Node::new(span, ExprKind::UnaryOp { operator, operand }))))
    }

    fn primary_type(&mut self) -> Parse<Type> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Variable(name) => {
                self.next();
                TypeKind::Variable(name.clone())
            }
            Token::Atom(_) => self.named_type()?,
            Token::Integer(_) | Token::Char(_) => TypeKind::Constant(self.primary()?),
            Token::Keyword(Keyword::Fun) => self.fun_type()?,
            Token::Symbol(Symbol::OpenParen) => {
                self.next();
                let inner = self.top_type()?;
                self.expect_close(Symbol::CloseParen, start)?;
                return Ok(inner);
            }
            Token::Symbol(Symbol::OpenBrace) => {
                self.next();
                TypeKind::Tuple(self.types_until(Symbol::CloseBrace)?)
            }
            Token::Symbol(Symbol::OpenSquare) => self.list_type()?,
            Token::Symbol(Symbol::DoubleLeftAngle) => self.binary_type()?,
            Token::Symbol(Symbol::Sharp) => self.sharp_type()?,
            _ => return Err(self.expected("a type")),
        };
        Ok(Node::new(self.since(start), kind))
    }

    /// An atom, `t(A)` or `m:t(A)`
    fn named_type(&mut self) -> Parse<TypeKind> {
        let mut name = self.expect_name("a type")?;
        let mut module = None;
        if self.take(Symbol::Colon) {
            module = Some(name);
            name = self.expect_name("a type's name")?;
        }
        if self.take(Symbol::OpenParen) {
            let arguments = self.types_until(Symbol::CloseParen)?;
            return Ok(TypeKind::Named { module, name, arguments });
        }
        if module.is_some() {
            return Err(self.expected("`(` and the type's arguments"));
        }
        Ok(TypeKind::Constant(Node::new(name.span, ExprKind::Atom(name.kind))))
    }

    fn list_type(&mut self) -> Parse<TypeKind> {
        let opened = self.span();
        self.next();
        if self.take(Symbol::CloseSquare) {
            return Ok(TypeKind::Nil);
        }
        let element = Box::new(self.top_type()?);
        let kind = if self.take(Symbol::Comma) {
            self.expect(Symbol::TripleDot, "of a list that is not empty")?;
            TypeKind::NonEmptyList(element)
        } else {
            TypeKind::List(element)
        };
        self.expect_close(Symbol::CloseSquare, opened)?;
        Ok(kind)
    }

    /// `fun()`, `fun((A) -> B)`, `fun((...) -> B)`
    fn fun_type(&mut self) -> Parse<TypeKind> {
        self.next();
        let opened = self.span();
        self.expect(Symbol::OpenParen, "after `fun` in a type")?;
        if self.take(Symbol::CloseParen) {
            return Ok(TypeKind::AnyFun);
        }
        self.expect(Symbol::OpenParen, "and the types of the parameters")?;
        let parameters = if self.take(Symbol::TripleDot) {
            self.expect(Symbol::CloseParen, "after `...`")?;
            None
        } else {
            Some(self.types_until(Symbol::CloseParen)?)
        };
        self.expect(Symbol::RightArrow, "after the types of the parameters")?;
        let result = Box::new(self.top_type()?);
        self.expect_close(Symbol::CloseParen, opened)?;
        Ok(TypeKind::Fun { parameters, result })
    }

    /// `#{k := v}`, `#r{f :: t}`
    fn sharp_type(&mut self) -> Parse<TypeKind> {
        self.next();
        let opened = self.span();
        if self.take(Symbol::OpenBrace) {
            return Ok(TypeKind::Map(self.until_brace(opened, Self::map_field_type)?));
        }
        let name = self.expect_name("a record's name, or `{`")?;
        self.expect(Symbol::OpenBrace, "after the record's name")?;
        Ok(TypeKind::Record { name, fields: self.until_brace(opened, Self::field_type)? })
    }

    fn until_brace<T>(
        &mut self,
        opened: selvedge_ltl::source::Span,
        read: impl Fn(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut fields = Vec::new();
        if self.take(Symbol::CloseBrace) {
            return Ok(fields);
        }
        loop {
            fields.push(read(self)?);
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_close(Symbol::CloseBrace, opened)?;
        Ok(fields)
    }

    fn map_field_type(&mut self) -> Parse<MapFieldType> {
        let key = self.top_type()?;
        let mandatory = self.is(Symbol::MapMatch);
        if !mandatory && !self.is(Symbol::DoubleRightArrow) {
            return Err(self.expected("`=>` or `:=` after the key's type"));
        }
        self.next();
        Ok(MapFieldType { mandatory, key, value: self.top_type()? })
    }

    fn field_type(&mut self) -> Parse<(Identifier, Type)> {
        let name = self.expect_name("a field's name")?;
        self.expect(Symbol::DoubleColon, "after the field's name")?;
        Ok((name, self.top_type()?))
    }

    /// `<<>>`, `<<_:M>>`, `<<_:_*N>>`, `<<_:M, _:_*N>>`
    fn binary_type(&mut self) -> Parse<TypeKind> {
        let opened = self.span();
        self.next();
        let (mut size, mut unit) = (None, None);
        if self.take(Symbol::DoubleRightAngle) {
            return Ok(TypeKind::Binary { size, unit });
        }
        loop {
            self.underscore()?;
            self.expect(Symbol::Colon, "after `_` in the type of a binary")?;
            if matches!(self.peek(), Token::Variable(_)) && unit.is_none() {
                self.underscore()?;
                self.expect(Symbol::Multiply, "and the bits of a unit")?;
                unit = Some(Box::new(constant(self.nested(|parser| parser.type_operators(600))?)?));
            } else if size.is_none() && unit.is_none() {
                size = Some(Box::new(constant(self.nested(|parser| parser.type_operators(400))?)?));
            } else {
                return Err(self.expected("`_` and the bits of a unit"));
            }
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_close(Symbol::DoubleRightAngle, opened)?;
        Ok(TypeKind::Binary { size, unit })
    }

    fn underscore(&mut self) -> Parse<()> {
        if matches!(self.peek(), Token::Variable(name) if &**name == "_") {
            self.next();
            return Ok(());
        }
        Err(self.expected("`_`"))
    }
}

/// Adds an alternative; those of a union one by one.
fn push_alternative(alternatives: &mut Vec<Type>, alternative: Type) {
    match alternative.kind {
        TypeKind::Union(inner) => alternatives.extend(inner),
        _ => alternatives.push(alternative),
    }
}

/// The value of a type that stands where a number is expected.
fn constant(integer: Type) -> Parse<Expr> {
    match integer.kind {
        TypeKind::Constant(value) if !matches!(value.kind, ExprKind::Atom(_)) => Ok(value),
        _ => {
            let message = "an integer is expected in this type";
            Err(Box::new(Diagnostic::error("erlang::type", message, integer.span, "")))
        }
    }
}
