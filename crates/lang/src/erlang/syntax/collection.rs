//! Lists, binaries, maps and records, and the comprehensions that are written like them.

use super::expression::prefix;
use super::parser::{Parse, Parser};
use super::pattern::pattern;
use super::token::Token;
use super::tree::{
    Endianness, Expr, ExprKind, Integer, MapField, MapFieldKind, Node, Qualifier, QualifierKind, RecordField,
    Segment, SegmentKind, SegmentType,
};
use erl_tokenize::Symbol;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

impl Parser<'_> {
    /// `[]`, `[a, b | c]`, `[x || …]`
    pub(super) fn list(&mut self) -> Parse<ExprKind> {
        let opened = self.span();
        self.next();
        if self.take(Symbol::CloseSquare) {
            return Ok(ExprKind::Nil);
        }
        let mut elements = vec![self.expr()?];
        if self.take(Symbol::DoubleVerticalBar) {
            let qualifiers = self.qualifiers()?;
            self.expect_close(Symbol::CloseSquare, opened)?;
            let template = Box::new(elements.remove(0));
            return Ok(ExprKind::ListComprehension { template, qualifiers });
        }
        while self.take(Symbol::Comma) {
            elements.push(self.expr()?);
        }
        let tail = if self.take(Symbol::VerticalBar) { Some(Box::new(self.expr()?)) } else { None };
        self.expect_close(Symbol::CloseSquare, opened)?;
        // `[a | []]` is `[a]`.
        let tail = tail.filter(|tail| tail.kind != ExprKind::Nil);
        Ok(ExprKind::List { elements, tail })
    }

    /// `<<>>`, `<<X:8/little>>`, `<< <<X>> || … >>`
    pub(super) fn binary(&mut self) -> Parse<ExprKind> {
        let opened = self.span();
        self.next();
        if self.take(Symbol::DoubleRightAngle) {
            return Ok(ExprKind::Binary(Vec::new()));
        }
        let start = self.span();
        let first = self.segment_value()?;
        if self.take(Symbol::DoubleVerticalBar) {
            let qualifiers = self.qualifiers()?;
            self.expect_close(Symbol::DoubleRightAngle, opened)?;
            return Ok(ExprKind::BinaryComprehension { template: Box::new(first), qualifiers });
        }
        let mut segments = vec![self.segment(start, first)?];
        while self.take(Symbol::Comma) {
            let start = self.span();
            let value = self.segment_value()?;
            segments.push(self.segment(start, value)?);
        }
        self.expect_close(Symbol::DoubleRightAngle, opened)?;
        Ok(ExprKind::Binary(segments))
    }

    fn segment_value(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let start = parser.span();
            let Some(operator) = prefix(parser.peek()) else { return parser.primary() };
            parser.next();
            let operand = Box::new(parser.primary()?);
            parser.grow()?;
            Ok(Node::new(parser.since(start), ExprKind::UnaryOp { operator, operand }))
        })
    }

    /// The size and the type of a segment.
    fn segment(&mut self, start: Span, value: Expr) -> Parse<Segment<Expr>> {
        let mut kind =
            SegmentKind { value, size: None, segment_type: None, signed: None, endianness: None, unit: None };
        if self.take(Symbol::Colon) {
            kind.size = Some(Box::new(self.nested(Self::primary)?));
        }
        if self.take(Symbol::Slash) {
            self.segment_specifier(&mut kind)?;
            while self.take(Symbol::Hyphen) {
                self.segment_specifier(&mut kind)?;
            }
        }
        Ok(Node::new(self.since(start), kind))
    }

    fn segment_specifier(&mut self, segment: &mut SegmentKind<Expr>) -> Parse<()> {
        let name = self.expect_name("a segment's type")?;
        let is_new = match &*name.kind {
            "integer" => set(&mut segment.segment_type, SegmentType::Integer),
            "float" => set(&mut segment.segment_type, SegmentType::Float),
            "binary" | "bytes" => set(&mut segment.segment_type, SegmentType::Binary),
            "bitstring" | "bits" => set(&mut segment.segment_type, SegmentType::Bitstring),
            "utf8" => set(&mut segment.segment_type, SegmentType::Utf8),
            "utf16" => set(&mut segment.segment_type, SegmentType::Utf16),
            "utf32" => set(&mut segment.segment_type, SegmentType::Utf32),
            "signed" => set(&mut segment.signed, true),
            "unsigned" => set(&mut segment.signed, false),
            "big" => set(&mut segment.endianness, Endianness::Big),
            "little" => set(&mut segment.endianness, Endianness::Little),
            "native" => set(&mut segment.endianness, Endianness::Native),
            "unit" => set(&mut segment.unit, self.unit()?),
            unknown => {
                let message = format!("`{unknown}` is no type of a segment");
                let error = Diagnostic::error("erlang::syntax", message, name.span, "");
                return Err(Box::new(
                    error.help("`integer`, `float`, `binary`, `utf8`, `little`, `signed`, … are"),
                ));
            }
        };
        if is_new {
            return Ok(());
        }
        let message = format!("`{}` contradicts what is written before it", name.kind);
        Err(Box::new(Diagnostic::error("erlang::syntax", message, name.span, "")))
    }

    /// `:8` of `unit:8`
    fn unit(&mut self) -> Parse<u16> {
        self.expect(Symbol::Colon, "and the unit's bits")?;
        let Token::Integer(Integer::Small(bits @ 1..=256)) = self.peek() else {
            return Err(self.expected("a number of bits from 1 to 256"));
        };
        self.next();
        Ok(u16::try_from(*bits).unwrap_or(256))
    }

    /// What `#` begins: a map or a record, or an update of or an access to one.
    pub(super) fn sharp(&mut self, start: Span, base: Option<Expr>) -> Parse<Expr> {
        self.next();
        if self.is(Symbol::OpenBrace) {
            let kind = self.map(base)?;
            return Ok(Node::new(self.since(start), kind));
        }
        let name = self.expect_name("a record's name, or `{` and the map's associations")?;
        let base = base.map(Box::new);
        if self.take(Symbol::Dot) {
            let field = self.expect_name("a field's name")?;
            let kind = match base {
                Some(record) => ExprKind::RecordAccess { record, name, field },
                None => ExprKind::RecordIndex { name, field },
            };
            return Ok(Node::new(self.since(start), kind));
        }
        let (fields, others) = self.record_fields()?;
        let kind = match (base, others) {
            (Some(record), None) => ExprKind::RecordUpdate { record, name, fields },
            (None, others) => ExprKind::Record { name, fields, others: others.map(Box::new) },
            (Some(_), Some(others)) => {
                let message = "`_` has no meaning in the update of a record";
                return Err(Box::new(Diagnostic::error("erlang::syntax", message, others.span, "")));
            }
        };
        Ok(Node::new(self.since(start), kind))
    }

    /// `{a = 1, _ = 2}`
    fn record_fields(&mut self) -> Parse<(Vec<RecordField<Expr>>, Option<Expr>)> {
        let opened = self.span();
        self.expect(Symbol::OpenBrace, "and the record's fields, or `.` and a field")?;
        let (mut fields, mut others) = (Vec::new(), None);
        if self.take(Symbol::CloseBrace) {
            return Ok((fields, others));
        }
        loop {
            if matches!(self.peek(), Token::Variable(name) if &**name == "_") && others.is_none() {
                self.next();
                self.expect(Symbol::Match, "after `_`")?;
                others = Some(self.expr()?);
            } else {
                let name = self.expect_name("a field's name")?;
                self.expect(Symbol::Match, "after the field's name")?;
                fields.push(RecordField { name, value: self.expr()? });
            }
            if !self.take(Symbol::Comma) {
                break;
            }
        }
        self.expect_close(Symbol::CloseBrace, opened)?;
        Ok((fields, others))
    }

    /// `{k => v, l := w}`, `{k => v || …}`
    fn map(&mut self, base: Option<Expr>) -> Parse<ExprKind> {
        let opened = self.span();
        self.next();
        let mut fields = Vec::new();
        if !self.is(Symbol::CloseBrace) {
            fields.push(self.map_field()?);
            if self.is(Symbol::DoubleVerticalBar) && base.is_none() {
                return self.map_comprehension(opened, fields.remove(0));
            }
            while self.take(Symbol::Comma) {
                fields.push(self.map_field()?);
            }
        }
        self.expect_close(Symbol::CloseBrace, opened)?;
        Ok(match base {
            Some(map) => ExprKind::MapUpdate { map: Box::new(map), fields },
            None => ExprKind::Map(fields),
        })
    }

    fn map_comprehension(&mut self, opened: Span, field: MapField) -> Parse<ExprKind> {
        if field.kind.exact {
            let message = "a map comprehension puts with `=>`";
            return Err(Box::new(Diagnostic::error("erlang::syntax", message, field.span, "")));
        }
        self.next();
        let qualifiers = self.qualifiers()?;
        self.expect_close(Symbol::CloseBrace, opened)?;
        let MapFieldKind { key, value, .. } = field.kind;
        Ok(ExprKind::MapComprehension { key: Box::new(key), value: Box::new(value), qualifiers })
    }

    fn map_field(&mut self) -> Parse<MapField> {
        let start = self.span();
        let key = self.expr()?;
        let exact = self.is(Symbol::MapMatch);
        if !exact && !self.is(Symbol::DoubleRightArrow) {
            return Err(self.expected("`=>` or `:=` after the key"));
        }
        self.next();
        let value = self.expr()?;
        Ok(Node::new(self.since(start), MapFieldKind { exact, key, value }))
    }

    /// The generators and filters after `||`.
    fn qualifiers(&mut self) -> Parse<Vec<Qualifier>> {
        let mut qualifiers = Vec::new();
        loop {
            qualifiers.push(self.zipped()?);
            if !self.take(Symbol::Comma) {
                return Ok(qualifiers);
            }
        }
    }

    /// One qualifier, or generators with `&&` between them.
    fn zipped(&mut self) -> Parse<Qualifier> {
        let start = self.span();
        let first = self.qualifier()?;
        if !self.is(Symbol::DoubleAmpersand) {
            return Ok(first);
        }
        let mut generators = vec![first];
        while self.take(Symbol::DoubleAmpersand) {
            generators.push(self.qualifier()?);
        }
        if let Some(filter) = generators.iter().find(|part| matches!(part.kind, QualifierKind::Filter(_))) {
            let message = "`&&` stands between generators";
            return Err(Box::new(Diagnostic::error("erlang::syntax", message, filter.span, "a filter")));
        }
        Ok(Node::new(self.since(start), QualifierKind::Zip(generators)))
    }

    fn qualifier(&mut self) -> Parse<Qualifier> {
        let start = self.span();
        let first = self.expr()?;
        let kind = match self.peek() {
            Token::Symbol(arrow @ (Symbol::LeftArrow | Symbol::StrictLeftArrow)) => {
                self.next();
                let strict = *arrow == Symbol::StrictLeftArrow;
                QualifierKind::Generate { pattern: pattern(first)?, list: self.expr()?, strict }
            }
            Token::Symbol(arrow @ (Symbol::DoubleLeftArrow | Symbol::StrictDoubleLeftArrow)) => {
                if !matches!(first.kind, ExprKind::Binary(_)) {
                    let message = "a generator with `<=` takes a binary pattern";
                    let error = Diagnostic::error("erlang::syntax", message, first.span, "");
                    return Err(Box::new(error.help("less or equal is written `=<`")));
                }
                self.next();
                let strict = *arrow == Symbol::StrictDoubleLeftArrow;
                QualifierKind::BinaryGenerate { pattern: pattern(first)?, binary: self.expr()?, strict }
            }
            Token::Symbol(Symbol::MapMatch) => {
                self.next();
                let (key, value) = (pattern(first)?, pattern(self.expr()?)?);
                let strict = self.is(Symbol::StrictLeftArrow);
                if !strict && !self.is(Symbol::LeftArrow) {
                    return Err(self.expected("`<-` after the generator's pattern"));
                }
                self.next();
                QualifierKind::MapGenerate { key, value, map: self.expr()?, strict }
            }
            _ => QualifierKind::Filter(first),
        };
        Ok(Node::new(self.since(start), kind))
    }
}

/// Sets what is not set to something else yet.
fn set<T: PartialEq>(slot: &mut Option<T>, value: T) -> bool {
    let is_new = slot.as_ref().is_none_or(|old| *old == value);
    *slot = Some(value);
    is_new
}
