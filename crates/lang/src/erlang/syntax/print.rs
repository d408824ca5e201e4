//! Expressions and patterns back to Erlang, on one line.
//!
//! Parentheses stand only where the grammar needs them. Promise: the text, parsed, is the same tree again.

use super::expression::{Associativity, Infix, PREFIX};
use super::tree::{
    BinaryOperator, CallTarget, Clause, Endianness, Expr, ExprKind, Guard, Identifier, Integer, NameArity,
    Node, Pattern, PatternKind, QualifierKind, RecordField, Segment, SegmentType, UnaryOperator,
};
use erl_tokenize::Keyword;
use std::fmt::{self, Display, Formatter, Write};

/// The precedence of calls and of what `#` begins.
const POSTFIX: u16 = 700;

/// The precedence of what needs no parentheses anywhere.
const PRIMARY: u16 = 1000;

impl<K: Display> Display for Node<K> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// An expression or a pattern where only what binds at least so tight needs no parentheses.
struct Within<'a, T>(&'a T, u16);

/// What is printed with parentheses in some places.
trait Tight: Display {
    fn precedence(&self) -> u16;
}

impl<T: Tight> Display for Within<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.precedence() < self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

/// Parts with a text between them.
pub(super) struct Join<'a, T>(pub(super) &'a [T], pub(super) &'static str);

impl<T: Display> Display for Join<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(self.1)?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

/// A name as an atom.
pub(super) struct AtomText<'a>(pub(super) &'a Identifier);

impl Display for AtomText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&atom_text(&self.0.kind))
    }
}

/// An atom, quoted where it has to be.
pub fn atom_text(name: &str) -> String {
    let mut chars = name.chars();
    let is_plain = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '@'))
        && Keyword::ALL.iter().all(|keyword| keyword.as_str() != name);
    if is_plain { name.to_owned() } else { quoted(name, '\'') }
}

/// A float with a full stop and, if it is very large or small, an exponent.
pub fn float_text(value: f64) -> String {
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// A string in quotes.
pub fn string_text(text: &str) -> String {
    quoted(text, '"')
}

/// Text between two signs, with escapes.
fn quoted(text: &str, sign: char) -> String {
    let mut out = String::from(sign);
    for c in text.chars() {
        if c == sign {
            out.push('\\');
            out.push(c);
        } else {
            push_escaped(&mut out, c);
        }
    }
    out.push(sign);
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\u{1b}' => out.push_str("\\e"),
        c if c.is_control() => out.push_str(&format!("\\x{{{:x}}}", u32::from(c))),
        c => out.push(c),
    }
}

fn char_text(c: char) -> String {
    let mut out = String::from("$");
    if c == ' ' {
        out.push_str("\\s");
    } else {
        push_escaped(&mut out, c);
    }
    out
}

impl Display for Integer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(value) => write!(f, "{value}"),
            Integer::Large { radix: 10, digits } => f.write_str(digits),
            Integer::Large { radix, digits } => write!(f, "{radix}#{digits}"),
        }
    }
}

impl Display for NameArity {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", atom_text(&self.name), self.arity)
    }
}

impl Display for UnaryOperator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => "-",
            UnaryOperator::Not => "not",
            UnaryOperator::BitNot => "bnot",
        })
    }
}

impl Display for BinaryOperator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Div => "div",
            BinaryOperator::Rem => "rem",
            BinaryOperator::BitAnd => "band",
            BinaryOperator::BitOr => "bor",
            BinaryOperator::BitXor => "bxor",
            BinaryOperator::ShiftLeft => "bsl",
            BinaryOperator::ShiftRight => "bsr",
            BinaryOperator::And => "and",
            BinaryOperator::Or => "or",
            BinaryOperator::Xor => "xor",
            BinaryOperator::Append => "++",
            BinaryOperator::Remove => "--",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "/=",
            BinaryOperator::LessEqual => "=<",
            BinaryOperator::Less => "<",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::Greater => ">",
            BinaryOperator::ExactlyEqual => "=:=",
            BinaryOperator::NotExactlyEqual => "=/=",
        })
    }
}

impl Tight for Expr {
    fn precedence(&self) -> u16 {
        match &self.kind {
            ExprKind::Catch(_) | ExprKind::MaybeMatch { .. } => 0,
            ExprKind::Match { .. } => Infix::Match.precedence().0,
            ExprKind::Send(..) => Infix::Send.precedence().0,
            ExprKind::OrElse(..) => Infix::OrElse.precedence().0,
            ExprKind::AndAlso(..) => Infix::AndAlso.precedence().0,
            ExprKind::BinaryOp { operator, .. } => Infix::Strict(*operator).precedence().0,
            ExprKind::UnaryOp { .. } => PREFIX,
            ExprKind::Call { .. }
            | ExprKind::Map(_)
            | ExprKind::MapUpdate { .. }
            | ExprKind::MapComprehension { .. }
            | ExprKind::Record { .. }
            | ExprKind::RecordUpdate { .. }
            | ExprKind::RecordAccess { .. }
            | ExprKind::RecordIndex { .. } => POSTFIX,
            _ => PRIMARY,
        }
    }
}

impl Tight for Pattern {
    fn precedence(&self) -> u16 {
        match &self.kind {
            PatternKind::Match(..) => Infix::Match.precedence().0,
            PatternKind::Constant(value) => value.precedence(),
            PatternKind::Integer(Integer::Small(..0)) => PREFIX,
            PatternKind::Float(value) if value.is_sign_negative() => PREFIX,
            PatternKind::Map(_) | PatternKind::Record { .. } | PatternKind::RecordIndex { .. } => POSTFIX,
            _ => PRIMARY,
        }
    }
}

/// `left operator right`
fn infix(
    f: &mut Formatter<'_>,
    operator: Infix,
    text: &dyn Display,
    left: &impl Tight,
    right: &impl Tight,
) -> fmt::Result {
    let (precedence, associativity) = operator.precedence();
    let least = |side| precedence + u16::from(associativity != side);
    let (left, right) =
        (Within(left, least(Associativity::Left)), Within(right, least(Associativity::Right)));
    write!(f, "{left} {text} {right}")
}

impl Display for ExprKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ExprKind::Atom(name) => f.write_str(&atom_text(name)),
            ExprKind::Integer(value) => value.fmt(f),
            ExprKind::Float(value) => f.write_str(&float_text(*value)),
            ExprKind::Char(value) => f.write_str(&char_text(*value)),
            ExprKind::String(text) => f.write_str(&string_text(text)),
            ExprKind::Variable(name) => f.write_str(name),
            ExprKind::Nil => f.write_str("[]"),
            ExprKind::List { elements, tail } => list(f, elements, tail.as_deref()),
            ExprKind::Tuple(elements) => write!(f, "{{{}}}", Join(elements, ", ")),
            ExprKind::Binary(segments) => binary(f, segments),
            ExprKind::Match { pattern, value } => infix(f, Infix::Match, &"=", pattern, &**value),
            ExprKind::MaybeMatch { pattern, value } => write!(f, "{pattern} ?= {value}"),
            ExprKind::UnaryOp { operator, operand } => {
                let is_word = matches!(operator, UnaryOperator::Not | UnaryOperator::BitNot);
                let blank =
                    if is_word || matches!(operand.kind, ExprKind::UnaryOp { .. }) { " " } else { "" };
                write!(f, "{operator}{blank}{}", Within(&**operand, PREFIX))
            }
            // `f/1` in an attribute
            ExprKind::BinaryOp { operator: BinaryOperator::Divide, left, right }
                if matches!((&left.kind, &right.kind), (ExprKind::Atom(_), ExprKind::Integer(_))) =>
            {
                write!(f, "{left}/{right}")
            }
            ExprKind::BinaryOp { operator, left, right } => {
                infix(f, Infix::Strict(*operator), operator, &**left, &**right)
            }
            ExprKind::AndAlso(left, right) => infix(f, Infix::AndAlso, &"andalso", &**left, &**right),
            ExprKind::OrElse(left, right) => infix(f, Infix::OrElse, &"orelse", &**left, &**right),
            ExprKind::Send(left, right) => infix(f, Infix::Send, &"!", &**left, &**right),
            ExprKind::Catch(operand) => write!(f, "catch {operand}"),
            ExprKind::Call { target, arguments } => write!(f, "{target}({})", Join(arguments, ", ")),
            ExprKind::FunLocal(function) => write!(f, "fun {function}"),
            ExprKind::FunRemote { module, function, arity } => write!(f, "fun {module}:{function}/{arity}"),
            ExprKind::Map(_)
            | ExprKind::MapUpdate { .. }
            | ExprKind::Record { .. }
            | ExprKind::RecordUpdate { .. }
            | ExprKind::RecordAccess { .. }
            | ExprKind::RecordIndex { .. } => sharp(f, self),
            ExprKind::ListComprehension { template, qualifiers } => {
                write!(f, "[{template} || {}]", Join(qualifiers, ", "))
            }
            ExprKind::BinaryComprehension { template, qualifiers } => {
                write!(f, "<< {} || {} >>", Within(&**template, PRIMARY), Join(qualifiers, ", "))
            }
            ExprKind::MapComprehension { key, value, qualifiers } => {
                write!(f, "#{{{key} => {value} || {}}}", Join(qualifiers, ", "))
            }
            _ => block(f, self),
        }
    }
}

/// What `#` begins.
fn sharp(f: &mut Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    match kind {
        ExprKind::Map(fields) => write!(f, "#{{{}}}", Join(fields, ", ")),
        ExprKind::MapUpdate { map, fields } => {
            write!(f, "{}#{{{}}}", base(map), Join(fields, ", "))
        }
        ExprKind::Record { name, fields, others } => {
            write!(f, "#{}", AtomText(name))?;
            record_fields(f, fields, others.as_deref())
        }
        ExprKind::RecordUpdate { record, name, fields } => {
            write!(f, "{}#{}", base(record), AtomText(name))?;
            record_fields(f, fields, None)
        }
        ExprKind::RecordAccess { record, name, field } => {
            write!(f, "{}#{}.{}", base(record), AtomText(name), AtomText(field))
        }
        ExprKind::RecordIndex { name, field } => write!(f, "#{}.{}", AtomText(name), AtomText(field)),
        _ => Ok(()),
    }
}

/// What stands before `#` or `(`. After a number, `#` would begin the digits of another base.
fn base(expr: &Expr) -> Within<'_, Expr> {
    let ends_in_number = matches!(
        expr.kind,
        ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::FunLocal(_) | ExprKind::FunRemote { .. }
    );
    Within(expr, if ends_in_number { u16::MAX } else { PRIMARY })
}

/// What a keyword begins.
fn block(f: &mut Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    match kind {
        ExprKind::Block(body) => write!(f, "begin {} end", Join(body, ", ")),
        ExprKind::If(clauses) => {
            f.write_str("if ")?;
            for (index, clause) in clauses.iter().enumerate() {
                let separator = if index > 0 { "; " } else { "" };
                write!(f, "{separator}{} -> {}", clause.kind.guard, Join(&clause.kind.body, ", "))?;
            }
            f.write_str(" end")
        }
        ExprKind::Case { argument, clauses } => {
            write!(f, "case {argument} of ")?;
            self::clauses(f, clauses)?;
            f.write_str(" end")
        }
        ExprKind::Receive { clauses, after } => {
            f.write_str("receive ")?;
            self::clauses(f, clauses)?;
            if let Some(after) = after {
                let blank = if clauses.is_empty() { "" } else { " " };
                write!(f, "{blank}after {} -> {}", after.timeout, Join(&after.body, ", "))?;
            }
            f.write_str(" end")
        }
        ExprKind::Try { body, clauses, catch, after } => {
            write!(f, "try {}", Join(body, ", "))?;
            if !clauses.is_empty() {
                f.write_str(" of ")?;
                self::clauses(f, clauses)?;
            }
            if !catch.is_empty() {
                write!(f, " catch {}", Join(catch, "; "))?;
            }
            if !after.is_empty() {
                write!(f, " after {}", Join(after, ", "))?;
            }
            f.write_str(" end")
        }
        ExprKind::Maybe { body, clauses } => {
            write!(f, "maybe {}", Join(body, ", "))?;
            if !clauses.is_empty() {
                f.write_str(" else ")?;
                self::clauses(f, clauses)?;
            }
            f.write_str(" end")
        }
        ExprKind::Fun { name, clauses } => {
            f.write_str("fun ")?;
            for (index, clause) in clauses.iter().enumerate() {
                f.write_str(if index > 0 { "; " } else { "" })?;
                f.write_str(name.as_ref().map_or("", |name| &*name.kind))?;
                function_clause(f, clause)?;
            }
            f.write_str(" end")
        }
        _ => Ok(()),
    }
}

impl Display for CallTarget {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            CallTarget::Local(name) => AtomText(name).fmt(f),
            CallTarget::Remote { module, function } => {
                write!(f, "{}:{}", Within(&**module, PRIMARY), Within(&**function, PRIMARY))
            }
            CallTarget::Fun(fun) => base(fun).fmt(f),
        }
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, elements: &[T], tail: Option<&T>) -> fmt::Result {
    write!(f, "[{}", Join(elements, ", "))?;
    match tail {
        Some(tail) => write!(f, " | {tail}]"),
        None => f.write_str("]"),
    }
}

impl Display for super::tree::MapFieldKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.key, if self.exact { ":=" } else { "=>" }, self.value)
    }
}

fn record_fields<V: Display>(
    f: &mut Formatter<'_>,
    fields: &[RecordField<V>],
    others: Option<&V>,
) -> fmt::Result {
    write!(f, "{{{}", Join(fields, ", "))?;
    if let Some(others) = others {
        write!(f, "{}_ = {others}", if fields.is_empty() { "" } else { ", " })?;
    }
    f.write_str("}")
}

impl<V: Display> Display for RecordField<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", AtomText(&self.name), self.value)
    }
}

/// A segment's value may have a sign without parentheses.
trait SegmentValue: Tight {
    fn is_signed(&self) -> bool;
}

impl SegmentValue for Expr {
    fn is_signed(&self) -> bool {
        matches!(&self.kind, ExprKind::UnaryOp { operand, .. } if operand.precedence() == PRIMARY)
    }
}

impl SegmentValue for Pattern {
    fn is_signed(&self) -> bool {
        matches!(self.kind, PatternKind::Integer(_) | PatternKind::Float(_))
    }
}

fn binary<V: SegmentValue>(f: &mut Formatter<'_>, segments: &[Segment<V>]) -> fmt::Result {
    f.write_str("<<")?;
    for (index, segment) in segments.iter().enumerate() {
        f.write_str(if index > 0 { ", " } else { "" })?;
        self::segment(f, segment)?;
    }
    f.write_str(">>")
}

fn segment<V: SegmentValue>(f: &mut Formatter<'_>, segment: &Segment<V>) -> fmt::Result {
    let kind = &segment.kind;
    // Two opening brackets side by side read badly; a blank between them never hurts.
    let value = Within(&kind.value, if kind.value.is_signed() { 0 } else { PRIMARY }).to_string();
    write!(f, "{}{value}", if value.starts_with('<') { " " } else { "" })?;
    if let Some(size) = &kind.size {
        write!(f, ":{}", Within(&**size, PRIMARY))?;
    }
    let mut separator = '/';
    let mut specifier = |f: &mut Formatter<'_>, text: &str| {
        f.write_char(std::mem::replace(&mut separator, '-'))?;
        f.write_str(text)
    };
    if let Some(segment_type) = kind.segment_type {
        specifier(f, segment_type_text(segment_type))?;
    }
    if let Some(signed) = kind.signed {
        specifier(f, if signed { "signed" } else { "unsigned" })?;
    }
    if let Some(endianness) = kind.endianness {
        specifier(
            f,
            match endianness {
                Endianness::Big => "big",
                Endianness::Little => "little",
                Endianness::Native => "native",
            },
        )?;
    }
    match kind.unit {
        Some(unit) => specifier(f, &format!("unit:{unit}")),
        None => Ok(()),
    }
}

fn segment_type_text(segment_type: SegmentType) -> &'static str {
    match segment_type {
        SegmentType::Integer => "integer",
        SegmentType::Float => "float",
        SegmentType::Binary => "binary",
        SegmentType::Bitstring => "bitstring",
        SegmentType::Utf8 => "utf8",
        SegmentType::Utf16 => "utf16",
        SegmentType::Utf32 => "utf32",
    }
}

impl Display for QualifierKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let arrow = |strict: &bool| if *strict { "<:-" } else { "<-" };
        match self {
            QualifierKind::Generate { pattern, list, strict } => {
                write!(f, "{pattern} {} {list}", arrow(strict))
            }
            QualifierKind::BinaryGenerate { pattern, binary, strict } => {
                write!(f, "{pattern} {} {binary}", if *strict { "<:=" } else { "<=" })
            }
            QualifierKind::MapGenerate { key, value, map, strict } => {
                write!(f, "{key} := {value} {} {map}", arrow(strict))
            }
            QualifierKind::Zip(generators) => Join(generators, " && ").fmt(f),
            QualifierKind::Filter(condition) => condition.fmt(f),
        }
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, tests) in self.0.iter().enumerate() {
            write!(f, "{}{}", if index > 0 { "; " } else { "" }, Join(tests, ", "))?;
        }
        Ok(())
    }
}

/// ` when guard -> body`
fn rest_of_clause(f: &mut Formatter<'_>, guard: &Guard, body: &[Expr]) -> fmt::Result {
    if !guard.0.is_empty() {
        write!(f, " when {guard}")?;
    }
    write!(f, " -> {}", Join(body, ", "))
}

fn clauses(f: &mut Formatter<'_>, clauses: &[Clause]) -> fmt::Result {
    for (index, clause) in clauses.iter().enumerate() {
        write!(f, "{}{}", if index > 0 { "; " } else { "" }, Join(&clause.kind.patterns, ", "))?;
        rest_of_clause(f, &clause.kind.guard, &clause.kind.body)?;
    }
    Ok(())
}

/// `(patterns) when guard -> body`
pub(super) fn function_clause(f: &mut Formatter<'_>, clause: &Clause) -> fmt::Result {
    write!(f, "({})", Join(&clause.kind.patterns, ", "))?;
    rest_of_clause(f, &clause.kind.guard, &clause.kind.body)
}

impl Display for super::tree::CatchClauseKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.class, self.reason)?;
        if let Some(stacktrace) = &self.stacktrace {
            write!(f, ":{}", stacktrace.kind)?;
        }
        rest_of_clause(f, &self.guard, &self.body)
    }
}

impl Display for PatternKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            PatternKind::Wildcard => f.write_str("_"),
            PatternKind::Variable(name) => f.write_str(name),
            PatternKind::Atom(name) => f.write_str(&atom_text(name)),
            PatternKind::Integer(value) => value.fmt(f),
            PatternKind::Float(value) => f.write_str(&float_text(*value)),
            PatternKind::Char(value) => f.write_str(&char_text(*value)),
            PatternKind::String(text) => f.write_str(&string_text(text)),
            PatternKind::Constant(value) => value.fmt(f),
            PatternKind::Nil => f.write_str("[]"),
            PatternKind::List { elements, tail } => list(f, elements, tail.as_deref()),
            PatternKind::Tuple(elements) => write!(f, "{{{}}}", Join(elements, ", ")),
            PatternKind::Map(fields) => write!(f, "#{{{}}}", Join(fields, ", ")),
            PatternKind::Record { name, fields, others } => {
                write!(f, "#{}", AtomText(name))?;
                record_fields(f, fields, others.as_deref())
            }
            PatternKind::RecordIndex { name, field } => {
                write!(f, "#{}.{}", AtomText(name), AtomText(field))
            }
            PatternKind::Binary(segments) => binary(f, segments),
            PatternKind::Match(left, right) => infix(f, Infix::Match, &"=", &**left, &**right),
        }
    }
}

impl Display for super::tree::MapPatternField {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} := {}", self.key, self.value)
    }
}
