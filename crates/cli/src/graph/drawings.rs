//! The drawings of `selvedge graph`: one function for each kind.

use super::plan::PropertyChoice;
use crate::check::{Decision, ReachedLimit, SearchPlan, decide_property};
use crate::failure::Failure;
use crate::model_file;
use crate::phrases::join_names;
use crate::standard_error::print_note;
use selvedge_draw::{Emphasis, Graph, Node};
use selvedge_lang::{Program, Property, SystemOptions};
use selvedge_ltl::buchi::TranslateError;
use selvedge_ltl::output::Listing;
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{Negation, Picture, System, Verdict, draw_product, draw_run, draw_states};
use std::fmt::Display;

/// The model to draw, and the size of the drawing.
pub(super) struct Model<'m, P> {
    pub(super) program: &'m P,
    pub(super) source: &'m Source,
    pub(super) max_nodes: usize,
}

/// A drawing in its frame.
pub(super) struct DrawnGraph {
    pub(super) graph: Graph,
    /// What is left out, in words.
    pub(super) omission: Option<String>,
}

impl<P: Program> Model<'_, P> {
    /// The flow graphs of these processes, or of all, side by side.
    pub(super) fn draw_flow_graphs(&self, processes: &[String]) -> Result<DrawnGraph, Failure> {
        let names = self.program.flow_graph_names();
        if names.is_empty() && processes.is_empty() {
            let file = &self.source.name;
            return Err(Failure::Usage(format!("{file} has no flow graphs; --of states draws its states")));
        }
        if let Some(name) = processes.iter().find(|name| !names.contains(&name.as_str())) {
            let (file, known) = (&self.source.name, join_names(names.into_iter()));
            return Err(Failure::Usage(format!("{file} has no process `{name}`; it has: {known}")));
        }
        let is_selected = |name: &str| processes.is_empty() || processes.iter().any(|own| own == name);
        let selected: Vec<usize> = (0..names.len()).filter(|index| is_selected(names[*index])).collect();
        let mut whole = Graph::new(format!("flow graphs of {}", self.source.name));
        let mut drawn = 0;
        for index in &selected {
            let graph = self.program.draw_flow_graph(*index);
            if drawn > 0 && whole.node_count() + graph.node_count() > self.max_nodes {
                break;
            }
            whole.part(&graph);
            drawn += 1;
        }
        let left_out = selected.len() - drawn;
        if left_out == 0 {
            return Ok(DrawnGraph { graph: whole, omission: None });
        }
        let more = format!("… and {left_out} more process{}", if left_out == 1 { "" } else { "es" });
        whole.node(Node::new(more).emphasis(Emphasis::Muted).class("cut"));
        let all = selected.len();
        let omission = format!("{left_out} of {all} processes are not drawn; --max-nodes draws more");
        Ok(DrawnGraph { graph: whole, omission: Some(omission) })
    }

    /// The reachable states, with the propositions of the property that hold in them.
    pub(super) fn draw_states(
        &self,
        choice: Option<&PropertyChoice>,
        is_exact: bool,
    ) -> Result<DrawnGraph, Failure> {
        let description = format!("states of {}", self.source.name);
        let (system, title, propositions) = match choice {
            None => (self.build_system(&[], is_exact)?, description, Vec::new()),
            Some(choice) => {
                let property = self.property(choice)?;
                let (alphabet, _) = number(&property)?;
                let system = self.build_system(alphabet.names(), is_exact)?;
                (system, title(&property, &description), texts(&alphabet))
            }
        };
        Ok(frame(&system, &draw_states(&system, &title, &propositions, self.max_nodes)))
    }

    /// The automaton of the property's negation.
    pub(super) fn draw_automaton(&self, choice: Option<&PropertyChoice>) -> Result<DrawnGraph, Failure> {
        let property = self.chosen_or_only_property(choice)?;
        let (alphabet, mut negation) = negate(&property)?;
        let description = format!("the automaton of its negation{}", describe_acceptance(&negation));
        let title = title(&property, &description);
        let listing = Listing::of_buchi(title, &alphabet, &mut negation.translator.bdds, &negation.automaton);
        Ok(DrawnGraph { graph: listing.to_graph().framed(), omission: None })
    }

    /// The product of the states with the automaton of the property's negation.
    pub(super) fn draw_product(
        &self,
        choice: Option<&PropertyChoice>,
        is_exact: bool,
    ) -> Result<DrawnGraph, Failure> {
        let property = self.chosen_or_only_property(choice)?;
        let (alphabet, mut negation) = negate(&property)?;
        let system = self.build_system(alphabet.names(), is_exact)?;
        let (file, acceptance) = (&self.source.name, describe_acceptance(&negation));
        let description = format!("the product of {file} with the automaton of its negation{acceptance}");
        let (title, propositions) = (title(&property, &description), texts(&alphabet));
        let picture = draw_product(&system, &mut negation, &title, &propositions, self.max_nodes);
        Ok(frame(&system, &picture))
    }

    /// A run that violates the property; `None`, with a note, if there is none.
    pub(super) fn draw_counterexample(
        &self,
        choice: Option<&PropertyChoice>,
        search: &SearchPlan,
    ) -> Result<Option<DrawnGraph>, Failure> {
        let property = self.chosen_or_only_property(choice)?;
        let Decision { system, report, propositions } = decide_property(self.program, &property, search)?;
        let (file, name) = (&self.source.name, &property.name);
        let (run, description) = match &report.verdict {
            Verdict::Violated(run) => (run, "is violated by this run"),
            Verdict::MayBeViolated(run) => (run, "may be violated by this run"),
            Verdict::Holds => {
                print_note(&format!("{file}: {name} holds, so that there is no counterexample to draw"));
                return Ok(None);
            }
            Verdict::Limit(limit) => {
                let limit = ReachedLimit::new(*limit, system.first_cut());
                let detail = limit.advice().map_or(String::new(), |advice| format!(": {advice}"));
                let message =
                    format!("{file}: {name}: no violation within the limit of {}{detail}", limit.name());
                return Err(Failure::Limit(message));
            }
        };
        let length = run.prefix.len() + run.cycle.len().saturating_sub(1);
        if length > self.max_nodes {
            let message = format!("the run has {length} states; --max-nodes {length} draws them");
            return Err(Failure::Limit(message));
        }
        let graph = draw_run(&system, run, &title(&property, description), &propositions);
        Ok(Some(DrawnGraph { graph: graph.framed(), omission: None }))
    }

    /// The chosen property; without a choice, the only property of the file.
    fn chosen_or_only_property(&self, choice: Option<&PropertyChoice>) -> Result<Property<P::Atom>, Failure> {
        if let Some(choice) = choice {
            return self.property(choice);
        }
        let file = &self.source.name;
        match self.program.properties() {
            [only] => Ok(only.clone()),
            [] => Err(Failure::Usage(format!("{file} has no properties; give a formula with --ltl"))),
            several => {
                let names = join_names(several.iter().map(|property| property.name.as_str()));
                Err(Failure::Usage(format!("{file}: which property? --property takes one of: {names}")))
            }
        }
    }

    fn property(&self, choice: &PropertyChoice) -> Result<Property<P::Atom>, Failure> {
        match choice {
            PropertyChoice::Named(name) => {
                model_file::find_property(self.program, self.source, name).cloned()
            }
            PropertyChoice::Formula(text) => {
                model_file::parse_property(self.program, "--ltl".to_owned(), text)
            }
        }
    }

    /// The system whose states observe these atoms.
    fn build_system(&self, atoms: &[P::Atom], is_exact: bool) -> Result<P::System, Failure> {
        let options = SystemOptions { exact: is_exact, ..SystemOptions::default() };
        self.program.system(atoms, options).map_err(|diagnostic| Failure::Usage(diagnostic.message))
    }
}

/// The property, and below it a description of the drawing.
fn title(property: &Property<impl AtomText>, description: &str) -> String {
    format!("{}: {}\n{description}", property.name, property.formula)
}

/// The texts of the propositions, by number.
fn texts(alphabet: &Alphabet<impl Display>) -> Vec<String> {
    alphabet.names().iter().map(ToString::to_string).collect()
}

fn number<A: Clone + Eq>(property: &Property<A>) -> Result<(Alphabet<A>, Formula<Prop>), Failure> {
    let mut alphabet = Alphabet::default();
    let numbered = alphabet
        .number(&property.formula)
        .map_err(|error| Failure::Usage(format!("property {} has {error}", property.name)))?;
    Ok((alphabet, numbered))
}

fn negate<A: Clone + Eq>(property: &Property<A>) -> Result<(Alphabet<A>, Negation), Failure> {
    let (alphabet, formula) = number(property)?;
    let refuse = |error: TranslateError| match error {
        TranslateError::TooLarge(_) => Failure::Limit(format!("property {}: {error}", property.name)),
        TranslateError::FutureBelowPast => Failure::Usage(format!("property {}: {error}", property.name)),
    };
    Ok((alphabet, Negation::of(&formula).map_err(refuse)?))
}

/// The drawing of an automaton without acceptance marks does not show how it accepts; the title says so.
fn describe_acceptance(negation: &Negation) -> &'static str {
    if negation.automaton.mark_count == 0 { ", where every infinite run is accepted" } else { "" }
}

/// The picture in its frame.
fn frame(system: &impl System, picture: &Picture) -> DrawnGraph {
    let count = picture.graph.node_count();
    let omission = |limit| match ReachedLimit::new(limit, system.first_cut()).advice() {
        Some(advice) => format!("a bound cut off some steps: {advice}"),
        None => format!("only the first {count} states are drawn; --max-nodes draws more"),
    };
    DrawnGraph { graph: picture.graph.framed(), omission: picture.limit.map(omission) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::toy::Toy;

    #[test]
    fn a_program_without_flow_graphs_is_drawn_by_its_states() {
        let (program, source) = (Toy::new(&[(0, 0, 1)], &[]), Source::new("toy.erl", ""));
        let model = Model { program: &program, source: &source, max_nodes: 10 };
        let Err(refused) = model.draw_flow_graphs(&[]) else { panic!("there is nothing to draw") };
        assert_eq!(refused.message(), "toy.erl has no flow graphs; --of states draws its states");
        let drawn = model.draw_states(None, false).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert!(drawn.omission.is_none() && drawn.graph.node_count() == 2);
    }

    #[test]
    fn a_drawing_without_the_steps_that_a_bound_cut_off_says_so() {
        let program = Toy { cut_off: Some(1), ..Toy::new(&[(0, 0, 1)], &[]) };
        let source = Source::new("toy.erl", "");
        let model = Model { program: &program, source: &source, max_nodes: 10 };
        let drawn = model.draw_states(None, false).unwrap_or_else(|failure| panic!("{failure:?}"));
        let omission =
            "a bound cut off some steps: line 12: node 1 is too far away (--max-distance raises the limit)";
        assert_eq!(drawn.omission.as_deref(), Some(omission));
        assert!(drawn.graph.to_dot().contains("cut"));
        assert!(!drawn.graph.to_dot().contains("deadlock"));
    }
}
