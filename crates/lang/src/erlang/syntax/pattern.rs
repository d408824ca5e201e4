//! Expressions that are patterns.
//!
//! The grammar tells a pattern from an expression only by what follows it, so a pattern is read as an
//! expression and turned into one here. Arithmetic on literals is done, and `"ab" ++ T` becomes a list.

use super::parser::Parse;
use super::tree::{
    BinaryOperator, Expr, ExprKind, Integer, MapField, MapPatternField, Node, Pattern, PatternKind,
    RecordField, Segment, SegmentKind, UnaryOperator,
};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The pattern that an expression is, or the place that is no pattern.
pub(super) fn pattern(expr: Expr) -> Parse<Pattern> {
    let span = expr.span;
    let kind = match expr.kind {
        ExprKind::Variable(name) if &*name == "_" => PatternKind::Wildcard,
        ExprKind::Variable(name) => PatternKind::Variable(name),
        ExprKind::Atom(name) => PatternKind::Atom(name),
        ExprKind::Integer(value) => PatternKind::Integer(value),
        ExprKind::Float(value) => PatternKind::Float(value),
        ExprKind::Char(value) => PatternKind::Char(value),
        ExprKind::String(text) => PatternKind::String(text),
        ExprKind::Nil => PatternKind::Nil,
        ExprKind::List { elements, tail } => PatternKind::List {
            elements: elements.into_iter().map(pattern).collect::<Parse<_>>()?,
            tail: boxed(tail)?,
        },
        ExprKind::Tuple(elements) => {
            PatternKind::Tuple(elements.into_iter().map(pattern).collect::<Parse<_>>()?)
        }
        ExprKind::Map(fields) => PatternKind::Map(fields.into_iter().map(map_field).collect::<Parse<_>>()?),
        ExprKind::Record { name, fields, others } => {
            let field =
                |field: RecordField<Expr>| Ok(RecordField { name: field.name, value: pattern(field.value)? });
            let fields = fields.into_iter().map(field).collect::<Parse<_>>()?;
            PatternKind::Record { name, fields, others: boxed(others)? }
        }
        ExprKind::RecordIndex { name, field } => PatternKind::RecordIndex { name, field },
        ExprKind::Binary(segments) => {
            PatternKind::Binary(segments.into_iter().map(segment).collect::<Parse<_>>()?)
        }
        ExprKind::Match { pattern: left, value } => {
            PatternKind::Match(Box::new(left), Box::new(pattern(*value)?))
        }
        ExprKind::BinaryOp { operator: BinaryOperator::Append, left, right } => {
            return append(span, *left, *right);
        }
        kind @ (ExprKind::UnaryOp { .. } | ExprKind::BinaryOp { .. }) => {
            return arithmetic(Node::new(span, kind));
        }
        other => return Err(no_pattern(span, &other)),
    };
    Ok(Node::new(span, kind))
}

fn boxed(expr: Option<Box<Expr>>) -> Parse<Option<Box<Pattern>>> {
    expr.map(|expr| Ok(Box::new(pattern(*expr)?))).transpose()
}

fn map_field(field: MapField) -> Parse<MapPatternField> {
    if field.kind.exact {
        return Ok(MapPatternField { key: field.kind.key, value: pattern(field.kind.value)? });
    }
    let message = "a map pattern is written with `:=`";
    Err(Box::new(Diagnostic::error("erlang::pattern", message, field.span, "`=>` puts a value into a map")))
}

fn segment(segment: Segment<Expr>) -> Parse<Segment<Pattern>> {
    let SegmentKind { value, size, segment_type, signed, endianness, unit } = segment.kind;
    let value = pattern(value)?;
    Ok(Node::new(segment.span, SegmentKind { value, size, segment_type, signed, endianness, unit }))
}

/// `"ab" ++ T`, `[$a, 2] ++ T`
fn append(span: Span, left: Expr, right: Expr) -> Parse<Pattern> {
    let left_span = left.span;
    let right = pattern(right)?;
    let elements: Vec<Pattern> = match left.kind {
        ExprKind::Nil => Vec::new(),
        ExprKind::String(text) => {
            if let PatternKind::String(more) = &right.kind {
                return Ok(Node::new(span, PatternKind::String(format!("{text}{more}").into())));
            }
            text.chars().map(|c| Node::new(left_span, PatternKind::Char(c))).collect()
        }
        ExprKind::List { elements, tail: None }
            if elements.iter().all(|e| matches!(e.kind, ExprKind::Integer(_) | ExprKind::Char(_))) =>
        {
            elements.into_iter().map(pattern).collect::<Parse<_>>()?
        }
        _ => {
            let message = "in a pattern, a string stands before `++`";
            return Err(Box::new(Diagnostic::error(
                "erlang::pattern",
                message,
                left_span,
                "this is no string",
            )));
        }
    };
    if elements.is_empty() {
        return Ok(right);
    }
    let tail = Some(Box::new(right)).filter(|tail| tail.kind != PatternKind::Nil);
    Ok(Node::new(span, PatternKind::List { elements, tail }))
}

/// Arithmetic on literals.
fn arithmetic(expr: Expr) -> Parse<Pattern> {
    let span = expr.span;
    if let Some(part) = first_unknown(&expr) {
        return Err(no_pattern(part.span, &part.kind));
    }
    let kind = match fold(&expr) {
        Some(value) => PatternKind::Integer(Integer::Small(value)),
        None => match expr.kind {
            ExprKind::UnaryOp { operator: UnaryOperator::Minus, operand }
                if matches!(operand.kind, ExprKind::Float(_)) =>
            {
                let ExprKind::Float(value) = operand.kind else {
                    return Err(no_pattern(span, &operand.kind));
                };
                PatternKind::Float(-value)
            }
            kind => PatternKind::Constant(Box::new(Node::new(span, kind))),
        },
    };
    Ok(Node::new(span, kind))
}

/// The first part that is neither a number nor arithmetic.
fn first_unknown(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Integer(_) | ExprKind::Char(_) | ExprKind::Float(_) => None,
        ExprKind::UnaryOp { operator, operand } if *operator != UnaryOperator::Not => first_unknown(operand),
        ExprKind::BinaryOp { operator, left, right } if is_arithmetic(*operator) => {
            first_unknown(left).or_else(|| first_unknown(right))
        }
        _ => Some(expr),
    }
}

fn is_arithmetic(operator: BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(
        operator,
        Add | Subtract | Multiply | Divide | Div | Rem | BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight
    )
}

/// The value of arithmetic on integers, unless it needs more than 128 bits.
pub(super) fn fold(expr: &Expr) -> Option<i128> {
    let value = match &expr.kind {
        ExprKind::Integer(Integer::Small(value)) => *value,
        ExprKind::Char(value) => i128::from(u32::from(*value)),
        ExprKind::UnaryOp { operator, operand } => {
            let operand = fold(operand)?;
            match operator {
                UnaryOperator::Plus => operand,
                UnaryOperator::Minus => operand.checked_neg()?,
                UnaryOperator::BitNot => !operand,
                UnaryOperator::Not => return None,
            }
        }
        ExprKind::BinaryOp { operator, left, right } => {
            integer_operation(*operator, fold(left)?, fold(right)?)?
        }
        _ => return None,
    };
    // The smallest number has no literal: its digits are those of a number that is too large.
    (value != i128::MIN).then_some(value)
}

/// The result of an operation on integers, if it has one of at most 128 bits.
pub(super) fn integer_operation(operator: BinaryOperator, left: i128, right: i128) -> Option<i128> {
    match operator {
        BinaryOperator::Add => left.checked_add(right),
        BinaryOperator::Subtract => left.checked_sub(right),
        BinaryOperator::Multiply => left.checked_mul(right),
        BinaryOperator::Div => left.checked_div(right),
        BinaryOperator::Rem => left.checked_rem(right),
        BinaryOperator::BitAnd => Some(left & right),
        BinaryOperator::BitOr => Some(left | right),
        BinaryOperator::BitXor => Some(left ^ right),
        BinaryOperator::ShiftLeft => shift(left, right),
        BinaryOperator::ShiftRight => shift(left, right.checked_neg()?),
        _ => None,
    }
}

/// `value bsl bits`, to the right for a negative number of bits.
fn shift(value: i128, bits: i128) -> Option<i128> {
    if bits <= 0 {
        let bits = u32::try_from(-bits).unwrap_or(127).min(127);
        return Some(value >> bits);
    }
    if value == 0 {
        return Some(0);
    }
    let bits = u32::try_from(bits).ok().filter(|bits| *bits < 127)?;
    let shifted = value << bits;
    (shifted >> bits == value).then_some(shifted)
}

fn no_pattern(span: Span, kind: &ExprKind) -> Box<Diagnostic> {
    let label = match kind {
        ExprKind::Call { .. } => "a call is no pattern",
        ExprKind::Variable(_) => "a variable has no value here",
        _ => "",
    };
    let error = Diagnostic::error("erlang::pattern", "this cannot be matched: it is no pattern", span, label);
    Box::new(match kind {
        ExprKind::Call { .. } => error.help("bind its value to a variable before, and match that"),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_that_lose_a_bit_have_no_value() {
        for (value, bits, result) in [
            (1, 126, Some(1 << 126)),
            (1, 127, None),
            (3, 126, None),
            (-1, 126, Some(-(1 << 126))),
            (0, 1_000_000, Some(0)),
            (5, -1, Some(2)),
            (-1, -500, Some(-1)),
            (7, -1_000_000_000_000_000_000_000, Some(0)),
        ] {
            assert_eq!(shift(value, bits), result, "{value} bsl {bits}");
        }
    }
}
