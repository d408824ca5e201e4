//! Processes that are created: `process worker(job) max 3: ..` and `create worker(1)`.
//!
//! The declared processes are all there from the beginning; each waits until it is created.
//! `created(worker)` is an array of flags, one a process. So `create worker(e)` is
//!
//! ```text
//! choose atomic await created(worker)[0] = 0; created(worker)[0] := 1; job := e end
//!      | atomic await created(worker)[0] = 1 and created(worker)[1] = 0; .. end
//!      | .. end
//! ```
//!
//! with the `job` of the created process, and `process worker: S` is
//!
//! ```text
//! process worker(k): end: await created(worker)[k - 1] = 1; S
//! ```
//!
//! The first process that is not yet created is taken. A process that has ended is not created anew: `max`
//! bounds how many are created in a run.
//!
//! Promise: nothing else of the language knows of creation.

use super::ast::{Block, Process, Statement, StatementKind};
use crate::flow_graph::{Cell, Operator, Variable};
use crate::syntax::declare::Builder;
use crate::syntax::resolve::{Creatable, Scope};
use crate::syntax::tree::{Expr, ExprKind, Name};
use selvedge_ltl::source::Span;

/// Declares the flags of a process that is created at most so often.
pub(super) fn declare_creatable(process: &Process, count: usize, builder: &mut Builder<'_>) {
    let Some((_, parameters)) = &process.created else { return };
    let flags = flags_of(&process.name.text);
    let variable = Variable::new(flags.clone(), Some(count.max(1)), Cell::Int(0));
    builder.scope.declare(flags, variable);
    let parameters = parameters.iter().map(|parameter| parameter.text.clone()).collect();
    builder.scope.creatable.insert(process.name.text.clone(), Creatable { count, parameters });
}

/// The statements of the process with this number, from 0, that is created.
pub(super) fn created_body(process: &Process, number: usize) -> Block {
    let span = process.name.span;
    let is_created = flag_is(&process.name.text, number, 1, span);
    let mut body = vec![
        Statement { kind: StatementKind::End, span },
        Statement { kind: StatementKind::Await(is_created), span },
    ];
    body.extend(process.body.iter().cloned());
    body
}

/// What `create` stands for; or how many arguments it needs, or `None` if no such process is created.
pub(super) fn creation(
    scope: &Scope,
    name: &Name,
    arguments: &[Expr],
    span: Span,
) -> Result<Statement, Option<usize>> {
    let Creatable { count, parameters } = scope.creatable.get(&name.text).ok_or(None)?;
    if parameters.len() != arguments.len() {
        return Err(Some(parameters.len()));
    }
    let branch = |number: usize| {
        let is_free = flag_is(&name.text, number, 0, span);
        let is_next = match number.checked_sub(1) {
            Some(before) => binary(Operator::And, flag_is(&name.text, before, 1, span), is_free),
            None => is_free,
        };
        let one = Expr { kind: ExprKind::Int(1), span };
        let mut block = vec![
            Statement { kind: StatementKind::Await(is_next), span },
            Statement { kind: StatementKind::Assign(flag(&name.text, number, span), one), span },
        ];
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let local = format!("{parameter}@{}({})", name.text, number + 1);
            let local = Expr { kind: ExprKind::Name(local), span };
            block.push(Statement { kind: StatementKind::Assign(local, argument.clone()), span });
        }
        vec![Statement { kind: StatementKind::Atomic(block), span }]
    };
    Ok(Statement { kind: StatementKind::Choose((0..*count).map(branch).collect()), span })
}

fn flags_of(process: &str) -> String {
    format!("created({process})")
}

fn flag(process: &str, number: usize, span: Span) -> Expr {
    let index = Expr { kind: ExprKind::Int(number as i64), span };
    Expr { kind: ExprKind::Element(Name { text: flags_of(process), span }, Box::new(index)), span }
}

fn flag_is(process: &str, number: usize, value: i64, span: Span) -> Expr {
    binary(Operator::Equal, flag(process, number, span), Expr { kind: ExprKind::Int(value), span })
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}
