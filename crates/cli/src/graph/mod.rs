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
use crate::model_file;
use crate::standard_error::print_note;
use arguments::Format;
use drawings::{DrawnGraph, Model};
use plan::{Drawing, GraphPlan};
use serde_json::Value;
use std::io::Write;

/// Draws the model. The answer is no if the drawing is a counterexample and the property has none.
pub(crate) fn run(arguments: Arguments, output: &mut dyn Write) -> Result<Outcome, Failure> {
    let plan = GraphPlan::new(arguments)?;
    let source = model_file::read(&plan.file)?;
    let program = model_file::load(&source, &plan.settings)?;
    let model = Model { program: &program, source: &source, max_nodes: plan.max_nodes };
    let Some(drawn) = draw(&model, &plan.drawing)? else { return Ok(Outcome::No) };
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

/// `None` if the property has no counterexample.
fn draw(model: &Model<'_>, drawing: &Drawing) -> Result<Option<DrawnGraph>, Failure> {
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
