//! The values of `-if` and `-elif`.
//!
//! Integers, atoms and strings, comparisons, arithmetic and logic, and `defined(NAME)`: what conditions of
//! real files use. Anything else is an error at its place.

use super::parser::Parse;
use super::pattern::integer_operation;
use super::tree::{BinaryOperator, CallTarget, Expr, ExprKind, Integer, Name, UnaryOperator};
use selvedge_ltl::diagnostic::Diagnostic;
use std::cmp::Ordering;

/// A value of a condition, in Erlang's order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Integer(i128),
    Atom(Name),
    String(Name),
}

/// Is the condition `true`?
pub(super) fn is_true(condition: &Expr, is_defined: &dyn Fn(&str) -> bool) -> Parse<bool> {
    truth(condition, is_defined)
}

fn truth(condition: &Expr, is_defined: &dyn Fn(&str) -> bool) -> Parse<bool> {
    match evaluate(condition, is_defined)? {
        Value::Atom(name) if &*name == "true" => Ok(true),
        Value::Atom(name) if &*name == "false" => Ok(false),
        _ => Err(unsupported(condition, "a condition is `true` or `false`")),
    }
}

fn evaluate(expr: &Expr, is_defined: &dyn Fn(&str) -> bool) -> Parse<Value> {
    match &expr.kind {
        ExprKind::Atom(name) => Ok(Value::Atom(name.clone())),
        ExprKind::Integer(Integer::Small(value)) => Ok(Value::Integer(*value)),
        ExprKind::Char(value) => Ok(Value::Integer(i128::from(u32::from(*value)))),
        ExprKind::String(text) => Ok(Value::String(text.clone())),
        ExprKind::AndAlso(left, right) => Ok(atom(truth(left, is_defined)? && truth(right, is_defined)?)),
        ExprKind::OrElse(left, right) => Ok(atom(truth(left, is_defined)? || truth(right, is_defined)?)),
        ExprKind::UnaryOp { operator: UnaryOperator::Not, operand } => Ok(atom(!truth(operand, is_defined)?)),
        ExprKind::UnaryOp { operator: UnaryOperator::Minus, operand } => match evaluate(operand, is_defined)?
        {
            Value::Integer(value) if value > i128::MIN => Ok(Value::Integer(-value)),
            _ => Err(unsupported(operand, "an integer is expected here")),
        },
        ExprKind::Call { target: CallTarget::Local(name), arguments } if &*name.kind == "defined" => {
            match arguments.as_slice() {
                [Expr { kind: ExprKind::Atom(name) | ExprKind::Variable(name), .. }] => {
                    Ok(atom(is_defined(name)))
                }
                _ => Err(unsupported(expr, "`defined` takes the name of a macro")),
            }
        }
        ExprKind::BinaryOp { operator, left, right } => {
            let (left, right) = (evaluate(left, is_defined)?, evaluate(right, is_defined)?);
            operation(*operator, &left, &right).ok_or_else(|| unsupported(expr, "this has no value here"))
        }
        _ => Err(unsupported(expr, "conditions have integers, atoms, strings, operators and `defined`")),
    }
}

fn operation(operator: BinaryOperator, left: &Value, right: &Value) -> Option<Value> {
    let order = left.cmp(right);
    Some(atom(match operator {
        BinaryOperator::Equal | BinaryOperator::ExactlyEqual => order == Ordering::Equal,
        BinaryOperator::NotEqual | BinaryOperator::NotExactlyEqual => order != Ordering::Equal,
        BinaryOperator::Less => order == Ordering::Less,
        BinaryOperator::LessEqual => order != Ordering::Greater,
        BinaryOperator::Greater => order == Ordering::Greater,
        BinaryOperator::GreaterEqual => order != Ordering::Less,
        BinaryOperator::And => as_bool(left)? && as_bool(right)?,
        BinaryOperator::Or => as_bool(left)? || as_bool(right)?,
        BinaryOperator::Xor => as_bool(left)? != as_bool(right)?,
        _ => {
            let (Value::Integer(left), Value::Integer(right)) = (left, right) else { return None };
            return integer_operation(operator, *left, *right).map(Value::Integer);
        }
    }))
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Atom(name) if &**name == "true" => Some(true),
        Value::Atom(name) if &**name == "false" => Some(false),
        _ => None,
    }
}

fn atom(value: bool) -> Value {
    Value::Atom(if value { "true" } else { "false" }.into())
}

fn unsupported(expr: &Expr, label: &str) -> Box<Diagnostic> {
    let message = "the condition of `-if` cannot be decided";
    Box::new(Diagnostic::error("erlang::condition", message, expr.span, label))
}
