//! What `selvedge graph` draws: one function for each kind of drawing.

use super::{Arguments, note};
use crate::check::check_one;
use crate::failure::Failure;
use crate::model_file;
use selvedge_draw::{Emphasis, Graph, Node};
use selvedge_lang::{Program, Property, SystemOptions};
use selvedge_ltl::buchi::TranslateError;
use selvedge_ltl::output::Listing;
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::AtomText;
use selvedge_ltl::{Alphabet, Formula, Prop};
use selvedge_model::{Negation, Picture, Verdict, draw_product, draw_run, draw_states};

/// A drawing, framed, and what was left out of it.
pub(super) struct Drawn {
    pub(super) graph: Graph,
    pub(super) cut: Option<String>,
}

/// The flow graphs, side by side.
pub(super) fn flow<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Drawn, Failure> {
    let names = program.flow_graph_names();
    if let Some(name) = arguments.process.iter().find(|name| !names.contains(&name.as_str())) {
        let known = model_file::listed(names.into_iter());
        return Err(Failure::Usage(format!("{} has no process `{name}`; it has: {known}", source.name)));
    }
    let is_wanted =
        |name: &str| arguments.process.is_empty() || arguments.process.iter().any(|wanted| wanted == name);
    let wanted: Vec<usize> = (0..names.len()).filter(|index| is_wanted(names[*index])).collect();
    let mut whole = Graph::new(format!("flow graphs of {}", source.name));
    let mut drawn = 0;
    for index in &wanted {
        let graph = program.draw_flow_graph(*index);
        if drawn > 0 && whole.node_count() + graph.node_count() > arguments.max_nodes {
            break;
        }
        whole.part(&graph);
        drawn += 1;
    }
    let left_out = wanted.len() - drawn;
    if left_out == 0 {
        return Ok(Drawn { graph: whole, cut: None });
    }
    let more = format!("… and {left_out} more process{}", if left_out == 1 { "" } else { "es" });
    whole.node(Node::new(more).emphasis(Emphasis::Muted).class("cut"));
    let cut = format!("{left_out} of {} processes are not drawn; --max-nodes draws more", wanted.len());
    Ok(Drawn { graph: whole, cut: Some(cut) })
}

/// The state space, with what holds of the property's propositions if one is given.
pub(super) fn states<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Drawn, Failure> {
    let what = format!("states of {}", source.name);
    let subject = match given(program, source, arguments)? {
        Some(property) => Subject::new(program, property, arguments)?,
        None => return Ok(framed(&draw_states(&bare(program, arguments)?, &what, &[], arguments.max_nodes))),
    };
    let Subject { system, .. } = &subject;
    Ok(framed(&draw_states(system, &subject.title(&what), &subject.propositions(), arguments.max_nodes)))
}

/// The automaton of the property's negation.
pub(super) fn automaton<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Drawn, Failure> {
    let property = needed(program, source, arguments)?;
    let (alphabet, mut negation) = negated(&property)?;
    let what = format!("the automaton of its negation{}", acceptance(&negation));
    let title = title(&property, &what);
    let listing = Listing::of_buchi(title, &alphabet, &mut negation.translator.bdds, &negation.automaton);
    Ok(Drawn { graph: listing.to_graph().framed(), cut: None })
}

/// The states of the program together with those of the automaton.
pub(super) fn product<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Drawn, Failure> {
    let property = needed(program, source, arguments)?;
    let (_, mut negation) = negated(&property)?;
    let subject = Subject::new(program, property, arguments)?;
    let what =
        format!("the product of {} with the automaton of its negation{}", source.name, acceptance(&negation));
    let Subject { system, .. } = &subject;
    let propositions = subject.propositions();
    let picture =
        draw_product(system, &mut negation, &subject.title(&what), &propositions, arguments.max_nodes);
    Ok(framed(&picture))
}

/// A run that violates the property; `None`, with a note that says why, if there is none.
pub(super) fn counterexample<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Option<Drawn>, Failure> {
    let property = needed(program, source, arguments)?;
    let Arguments { fair, exact, timeout, max_nodes, .. } = *arguments;
    let (system, report, propositions) = check_one(program, &property, fair, exact, timeout)?;
    let name = &property.name;
    let (run, what) = match &report.verdict {
        Verdict::Violated(run) => (run, "is violated by this run"),
        Verdict::MayBeViolated(run) => (run, "may be violated by this run"),
        Verdict::Holds => {
            note(&format!("{}: {name} holds, so that there is no counterexample to draw", source.name));
            return Ok(None);
        }
        Verdict::Limit(limit) => {
            let message = format!("{}: {name}: no violation within the limit of {limit}", source.name);
            return Err(Failure::Limit(message));
        }
    };
    let length = run.prefix.len() + run.cycle.len().saturating_sub(1);
    if length > max_nodes {
        let message = format!("the run has {length} states; --max-nodes {length} draws them");
        return Err(Failure::Limit(message));
    }
    let graph = draw_run(&system, run, &title(&property, what), &propositions);
    Ok(Some(Drawn { graph: graph.framed(), cut: None }))
}

/// The property of the command line, if there is one.
fn given<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Option<Property<P::Atom>>, Failure> {
    match (&arguments.property, &arguments.ltl) {
        (Some(name), _) => model_file::property(program, source, name).map(|property| Some(property.clone())),
        (None, Some(text)) => model_file::formula(program, "--ltl".to_owned(), text).map(Some),
        (None, None) => Ok(None),
    }
}

/// The same where there must be one: if none is given, the file's only one.
fn needed<P: Program>(
    program: &P,
    source: &Source,
    arguments: &Arguments,
) -> Result<Property<P::Atom>, Failure> {
    if let Some(property) = given(program, source, arguments)? {
        return Ok(property);
    }
    match program.properties() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::Usage(format!("{} has no properties; give a formula with --ltl", source.name))),
        several => {
            let names = model_file::listed(several.iter().map(|property| property.name.as_str()));
            Err(Failure::Usage(format!("{}: which property? --property takes one of: {names}", source.name)))
        }
    }
}

/// A program seen with a property's eyes: states have what the property asks for.
struct Subject<P: Program> {
    system: P::System,
    property: Property<P::Atom>,
    alphabet: Alphabet<P::Atom>,
}

impl<P: Program> Subject<P> {
    fn new(program: &P, property: Property<P::Atom>, arguments: &Arguments) -> Result<Subject<P>, Failure> {
        let (alphabet, _) = numbered(&property)?;
        let options = SystemOptions { exact: arguments.exact };
        let system =
            program.system(alphabet.names(), options).map_err(|error| Failure::Usage(error.message))?;
        Ok(Subject { system, property, alphabet })
    }

    /// The texts of the propositions, by number.
    fn propositions(&self) -> Vec<String> {
        self.alphabet.names().iter().map(ToString::to_string).collect()
    }

    fn title(&self, what: &str) -> String {
        title(&self.property, what)
    }
}

/// The property, and below it what is drawn of it.
fn title(property: &Property<impl AtomText>, what: &str) -> String {
    format!("{}: {}\n{what}", property.name, property.formula)
}

/// The program with no property in mind.
fn bare<P: Program>(program: &P, arguments: &Arguments) -> Result<P::System, Failure> {
    let options = SystemOptions { exact: arguments.exact };
    program.system(&[], options).map_err(|error| Failure::Usage(error.message))
}

fn numbered<A: Clone + Eq>(property: &Property<A>) -> Result<(Alphabet<A>, Formula<Prop>), Failure> {
    let mut alphabet = Alphabet::default();
    let numbered = alphabet
        .number(&property.formula)
        .map_err(|error| Failure::Usage(format!("property {} has {error}", property.name)))?;
    Ok((alphabet, numbered))
}

fn negated<A: Clone + Eq>(property: &Property<A>) -> Result<(Alphabet<A>, Negation), Failure> {
    let (alphabet, formula) = numbered(property)?;
    let refuse = |error: TranslateError| match error {
        TranslateError::TooLarge(_) => Failure::Limit(format!("property {}: {error}", property.name)),
        TranslateError::FutureBelowPast => Failure::Usage(format!("property {}: {error}", property.name)),
    };
    Ok((alphabet, Negation::of(&formula).map_err(refuse)?))
}

/// What the drawing of an automaton without marks cannot show.
fn acceptance(negation: &Negation) -> &'static str {
    if negation.automaton.mark_count == 0 { ", where every infinite run is accepted" } else { "" }
}

/// The picture under its title.
fn framed(picture: &Picture) -> Drawn {
    let count = picture.graph.node_count();
    let cut = || format!("only the first {count} states are drawn; --max-nodes draws more");
    Drawn { graph: picture.graph.framed(), cut: (!picture.is_whole).then(cut) }
}
