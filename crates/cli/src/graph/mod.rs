//! `selvedge graph`: drawings of models.
//!
//! [`drawings`] has one function for each kind of drawing; this file chooses the function and writes the
//! drawing.

mod arguments;
mod drawings;
mod plan;

pub(crate) use arguments::Arguments;

use crate::failure::{Failure, Outcome};
use crate::graph_json::graph_json;
use crate::model_file::{self, ModelCommand};
use crate::standard_error::print_note;
use arguments::Format;
use drawings::{DrawnGraph, Model};
use plan::{Drawing, GraphPlan};
use selvedge_lang::Program;
use selvedge_ltl::source::Source;
use serde_json::Value;
use std::io::Write;

/// Draws the model. The answer is no if the drawing is a counterexample and the property has none.
pub(crate) fn run(arguments: Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let plan = GraphPlan::new(arguments)?;
    let source = model_file::read(&plan.file)?;
    let command = DrawModel { source: &source, plan: &plan };
    let drawn = model_file::with_program(&source, &plan.reading, command)?;
    let Some(drawn) = drawn else { return Ok(Outcome::No) };
    if let Some(omission) = &drawn.omission {
        print_note(omission);
    }
    let text = render(&drawn, plan.format);
    match &plan.output {
        None => output.write_all(text.as_bytes())?,
        Some(file) => std::fs::write(file, text)
            .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?,
    }
    Ok(Outcome::Yes)
}

/// The command on one model.
struct DrawModel<'p> {
    source: &'p Source,
    plan: &'p GraphPlan,
}

impl ModelCommand for DrawModel<'_> {
    type Answer = Option<DrawnGraph>;

    fn run<P: Program>(self, program: P) -> Result<Option<DrawnGraph>, Failure> {
        let model = Model { program: &program, source: self.source, max_nodes: self.plan.max_nodes };
        draw(&model, &self.plan.drawing)
    }
}

/// `None` if the property has no counterexample.
fn draw<P: Program>(model: &Model<'_, P>, drawing: &Drawing) -> Result<Option<DrawnGraph>, Failure> {
    Ok(Some(match drawing {
        Drawing::FlowGraphs { processes } => model.draw_flow_graphs(processes)?,
        Drawing::States { property, is_exact } => model.draw_states(property.as_ref(), *is_exact)?,
        Drawing::Automaton { property } => model.draw_automaton(property.as_ref())?,
        Drawing::Product { property, is_exact } => model.draw_product(property.as_ref(), *is_exact)?,
        Drawing::Counterexample { property, search } => {
            return model.draw_counterexample(property.as_ref(), search);
        }
    }))
}

fn render(drawn: &DrawnGraph, format: Format) -> String {
    match format {
        Format::Dot => drawn.graph.to_dot(),
        Format::Svg => drawn.graph.bundled().to_svg(),
        Format::Json => {
            let mut object = graph_json(&drawn.graph);
            object["whole"] = Value::Bool(drawn.omission.is_none());
            format!("{object}\n")
        }
    }
}
