//! Forms: attributes, declarations, functions.

use super::parser::{Parse, Parser};
use super::token::Token;
use super::tree::{
    Attribute, BinaryOperator, Clause, Expr, ExprKind, FieldDefinition, Form, FormKind, Function,
    FunctionName, Identifier, NameArity, Node, RecordDefinition, UnaryOperator,
};
use super::types::TypeDefinitionKind;
use erl_tokenize::Symbol;
use selvedge_ltl::diagnostic::Diagnostic;

impl Parser<'_> {
    /// All tokens as one form.
    pub(super) fn form(mut self) -> Parse<Form> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Symbol(Symbol::Hyphen) => self.attribute()?,
            Token::Atom(_) => FormKind::Function(self.function()?),
            _ => return Err(self.expected("a function or an attribute")),
        };
        self.expect_end()?;
        Ok(Node::new(self.since(start), kind))
    }

    fn function(&mut self) -> Parse<Function> {
        let clauses = self.separated(Self::function_clause)?;
        let (name, first) = &clauses[0];
        let arity = first.kind.patterns.len();
        for (other, clause) in &clauses[1..] {
            let other_arity = clause.kind.patterns.len();
            if other != name || other_arity != arity {
                let message = format!(
                    "a clause of `{}/{other_arity}` among those of `{}/{arity}`",
                    other.kind, name.kind
                );
                let error = Diagnostic::error("erlang::head-mismatch", message, other.span, "")
                    .context(name.span, "the first clause");
                return Err(Box::new(error.help("`;` goes on with the same function, `.` ends it")));
            }
        }
        let name = name.clone();
        Ok(Function { name, arity, clauses: clauses.into_iter().map(|(_, clause)| clause).collect() })
    }

    fn function_clause(&mut self) -> Parse<(Identifier, Clause)> {
        let start = self.span();
        let name = self.expect_name("the name of the function for its next clause")?;
        let patterns = self.parameters("of the function")?;
        Ok((name, self.rest_of_clause(start, patterns)?))
    }

    fn attribute(&mut self) -> Parse<FormKind> {
        self.next();
        let name = self.expect_name("an attribute's name")?;
        match &*name.kind {
            "module" => {
                self.expect(Symbol::OpenParen, "after `-module`")?;
                let module = self.expect_name("the module's name")?;
                self.expect(Symbol::CloseParen, "after the module's name")?;
                Ok(FormKind::Module(module.kind))
            }
            "export" => Ok(FormKind::Export(self.only_function_names()?)),
            "export_type" => Ok(FormKind::ExportType(self.only_function_names()?)),
            "import" if *self.peek_at(2) == Token::Symbol(Symbol::Comma) => {
                self.expect(Symbol::OpenParen, "after `-import`")?;
                let module = self.expect_name("a module's name")?.kind;
                self.expect(Symbol::Comma, "after the module's name")?;
                let functions = self.function_names()?;
                self.expect(Symbol::CloseParen, "after the functions")?;
                Ok(FormKind::Import { module, functions })
            }
            "record" => Ok(FormKind::Record(self.record_definition()?)),
            "type" => self.type_definition(TypeDefinitionKind::Alias),
            "opaque" => self.type_definition(TypeDefinitionKind::Opaque),
            "nominal" => self.type_definition(TypeDefinitionKind::Nominal),
            "spec" => self.specification(false),
            "callback" => self.specification(true),
            _ => Ok(FormKind::Attribute(Attribute { values: self.attribute_values()?, name })),
        }
    }

    /// `([f/1, g/2])`
    fn only_function_names(&mut self) -> Parse<Vec<FunctionName>> {
        self.expect(Symbol::OpenParen, "after the attribute's name")?;
        let names = self.function_names()?;
        self.expect(Symbol::CloseParen, "after the list")?;
        Ok(names)
    }

    /// `[f/1, g/2]`
    fn function_names(&mut self) -> Parse<Vec<FunctionName>> {
        let opened = self.span();
        self.expect(Symbol::OpenSquare, "and a list of names with numbers of parameters")?;
        let mut names = Vec::new();
        if self.take(Symbol::CloseSquare) {
            return Ok(names);
        }
        loop {
            let start = self.span();
            let name = self.expect_name("a name, as in `f/1`")?.kind;
            self.expect(Symbol::Slash, "and the number of parameters after the name")?;
            let arity = self.arity()?;
            names.push(Node::new(self.since(start), NameArity { name, arity }));
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_close(Symbol::CloseSquare, opened)?;
        Ok(names)
    }

    /// `(name, {field = default :: type, …})`
    fn record_definition(&mut self) -> Parse<RecordDefinition> {
        let has_parentheses = self.take(Symbol::OpenParen);
        let name = self.expect_name("the record's name")?;
        self.expect(Symbol::Comma, "after the record's name")?;
        let opened = self.span();
        self.expect(Symbol::OpenBrace, "and the record's fields")?;
        let mut fields = Vec::new();
        if !self.take(Symbol::CloseBrace) {
            loop {
                fields.push(self.field_definition()?);
                if !self.take(Symbol::Comma) {
                    break;
                }
            }
            self.expect_close(Symbol::CloseBrace, opened)?;
        }
        if has_parentheses {
            self.expect(Symbol::CloseParen, "after the record's fields")?;
        }
        Ok(RecordDefinition { name, fields })
    }

    fn field_definition(&mut self) -> Parse<FieldDefinition> {
        let name = self.expect_name("a field's name")?;
        let default = if self.take(Symbol::Match) { Some(self.expr()?) } else { None };
        let field_type = if self.take(Symbol::DoubleColon) { Some(self.top_type()?) } else { None };
        Ok(FieldDefinition { name, default, field_type })
    }

    /// `(value, …)`, or the values without parentheses
    fn attribute_values(&mut self) -> Parse<Vec<Expr>> {
        let values = self.enclosed_values()?;
        match values.iter().find_map(changing) {
            Some(part) => {
                let message = "the value of an attribute is a constant";
                Err(Box::new(Diagnostic::error("erlang::attribute", message, part.span, "this is none")))
            }
            None => Ok(values),
        }
    }

    fn enclosed_values(&mut self) -> Parse<Vec<Expr>> {
        let mark = self.mark();
        if self.take(Symbol::OpenParen) {
            let opened = self.span();
            let values = self.exprs()?;
            self.expect_close(Symbol::CloseParen, opened)?;
            if *self.peek() == Token::End {
                return Ok(values);
            }
            self.go_back(mark);
        }
        self.exprs()
    }
}

/// The first part that is no constant.
fn changing(value: &Expr) -> Option<&Expr> {
    match &value.kind {
        ExprKind::Atom(_) | ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) => None,
        ExprKind::String(_) | ExprKind::Nil | ExprKind::FunRemote { .. } => None,
        ExprKind::List { elements, tail } => {
            elements.iter().find_map(changing).or_else(|| tail.as_deref().and_then(changing))
        }
        ExprKind::Tuple(elements) => elements.iter().find_map(changing),
        ExprKind::Map(fields) => {
            fields.iter().find_map(|field| changing(&field.kind.key).or_else(|| changing(&field.kind.value)))
        }
        ExprKind::Binary(segments) => segments.iter().find_map(|segment| changing(&segment.kind.value)),
        ExprKind::UnaryOp { operator: UnaryOperator::Plus | UnaryOperator::Minus, operand } => {
            changing(operand)
        }
        ExprKind::BinaryOp { operator: BinaryOperator::Divide, .. } if value.as_name_arity().is_some() => {
            None
        }
        _ => Some(value),
    }
}
