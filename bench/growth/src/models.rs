//! Models: philosophers and a ring, by ours with and without reduction, SPIN, Maude and stateright.
//!
//! SPIN's time is that of the verifier it generates, without its compilation.

use crate::series::{Answer, Tool, own_process};
use selvedge_bench::models::{self, MODELS, Model, Size};
use selvedge_bench::stateright::{self, philosophers::Philosophers, ring::Ring};
use selvedge_bench::tools::{
    self, ALL_STATES, CUT_SHORT, Measurement, PropertyKind, SearchMode, SpinVerifier,
};
use selvedge_bench_harness::child::{End, Ended, Limits};
use std::ops::RangeInclusive;

pub(crate) const NAMES: [&str; 2] = ["philosophers", "ring"];

const REDUCED: &str = "selvedge, reduced";
const WHOLE: &str = "selvedge";
const SPIN: &str = "SPIN";
const MAUDE: &str = "Maude";
const STATERIGHT: &str = "stateright";

/// The largest size.
const LARGEST: usize = 40;

struct ModelTool {
    tool: &'static str,
    model: String,
}

pub(crate) fn tools(model: &str) -> Vec<Box<dyn Tool>> {
    let tool = |tool| Box::new(ModelTool { tool, model: model.to_owned() }) as Box<dyn Tool>;
    [REDUCED, WHOLE, SPIN, MAUDE, STATERIGHT].map(tool).into()
}

fn philosophers() -> &'static Model {
    MODELS.iter().find(|model| model.name == "philosophers").expect("the model is there")
}

/// The constants of philosophers; they live as long as the process.
fn size(n: usize) -> Size {
    let constants: &'static [(&'static str, i64)] = Box::leak(Box::new([("N", n as i64)]));
    Size { constants, is_large: false, is_large_for_ltl: false }
}

impl Tool for ModelTool {
    fn name(&self) -> &'static str {
        self.tool
    }

    fn sizes(&self) -> RangeInclusive<usize> {
        2..=LARGEST
    }

    fn point(&self, n: usize, limits: Limits) -> Result<(Answer, Ended), String> {
        let is_ring = self.model == "ring";
        let (measured, ended) = match self.tool {
            SPIN => {
                let verifier = if is_ring {
                    SpinVerifier::new(&models::ring(n).promela, false, &[])?
                } else {
                    SpinVerifier::of_model(philosophers(), &size(n), PropertyKind::Safety, &[])?
                };
                let ended = verifier.run(limits)?;
                (verifier.measurement(&ended)?, ended)
            }
            MAUDE => {
                let input = if is_ring {
                    tools::maude_search(&models::ring(n).maude)
                } else {
                    models::philosophers_in_maude(n)
                };
                let ended = tools::maude(&input, limits)?;
                (tools::maude_measurement(&ended)?, ended)
            }
            _ => return own_process(self.tool, &self.model, n, limits),
        };
        if matches!(ended.end, End::Time | End::Memory) || measured.verdict == CUT_SHORT {
            return Ok((Answer::Cut, ended));
        }
        Ok((Answer::Verdict(answer(&measured), measured.states), ended))
    }
}

/// A search for bad states that visits all states found none.
fn answer(measured: &Measurement) -> String {
    if measured.verdict == ALL_STATES { "holds".to_owned() } else { measured.verdict.clone() }
}

/// Searches, in this process. The number of states, and the verdict.
pub(crate) fn point(tool: &str, model: &str, n: usize) -> String {
    let ours = |mode| {
        if model == "ring" {
            let ring = models::ring(n);
            tools::selvedge_text(&ring.declared, &tools::NO_CONSTANTS, &ring.property, mode)
        } else {
            tools::selvedge(philosophers(), &size(n), PropertyKind::Safety, mode)
        }
    };
    let measured = match (tool, model) {
        (REDUCED, _) => ours(SearchMode::Reduced),
        (WHOLE, _) => ours(SearchMode::Whole),
        (STATERIGHT, "ring") => stateright::check(Ring { count: n }),
        (STATERIGHT, _) => stateright::check(Philosophers { count: n }),
        (other, _) => panic!("there is no tool {other}"),
    };
    format!("{} {}", measured.states, answer(&measured))
}
