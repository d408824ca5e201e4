//! `selvedge ltl` without further options: what kind of formula it is.

use super::{Format, Question};
use crate::failure::{Failure, Outcome};
use selvedge_ltl::Word;
use selvedge_ltl::finite::Dfa;
use selvedge_ltl::nnf::Reading;
use selvedge_ltl::simplify::{Simplifier, syntactic_class};
use serde_json::json;
use std::io::Write;

/// What is found out; a question that a limit left open has the limit as its answer.
struct Analysis {
    normal: String,
    simplified: String,
    class: String,
    stutter_invariant: Result<bool, Failure>,
    /// A word that satisfies the formula, and one that does not.
    model: Result<Option<Word>, Failure>,
    countermodel: Result<Option<Word>, Failure>,
    automaton: Result<String, Failure>,
}

pub(super) fn run(
    question: &mut Question,
    format: Format,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let analysis = match question.reading {
        Reading::Infinite => infinite(question),
        Reading::Finite => finite(question),
    }?;
    let show_word = |word: &Word| word.display(&question.alphabet).to_string();
    if format == Format::Json {
        let word = |answer: &Result<Option<Word>, Failure>| match answer {
            Ok(word) => word.as_ref().map(show_word),
            Err(_) => None,
        };
        let known = |answer: &Result<Option<Word>, Failure>, some: bool| {
            answer.as_ref().ok().map(|word| word.is_some() == some)
        };
        let value = json!({
            "formula": question.formula.to_string(),
            "reading": if question.reading == Reading::Finite { "finite" } else { "infinite" },
            "normal_form": analysis.normal,
            "simplified": analysis.simplified,
            "class": analysis.class,
            "stutter_invariant": analysis.stutter_invariant.as_ref().ok(),
            "satisfiable": known(&analysis.model, true),
            "valid": known(&analysis.countermodel, false),
            "model": word(&analysis.model),
            "countermodel": word(&analysis.countermodel),
        });
        writeln!(output, "{value}")?;
        return analysis.outcome();
    }
    let yes_no = |answer: bool| if answer { "yes" } else { "no" }.to_owned();
    let stutter = answer(&analysis.stutter_invariant, |yes| yes_no(*yes));
    let satisfiable = answer(&analysis.model, |word| match word {
        Some(word) => format!("yes, by  {}", show_word(word)),
        None => "no".to_owned(),
    });
    let valid = answer(&analysis.countermodel, |word| match word {
        Some(word) => format!("no, not on  {}", show_word(word)),
        None => "yes".to_owned(),
    });
    let rows = [
        ("formula", question.formula.to_string()),
        ("normal form", analysis.normal.clone()),
        ("simplified", analysis.simplified.clone()),
        ("class", analysis.class.clone()),
        ("stutter-invariant", stutter),
        ("satisfiable", satisfiable),
        ("valid", valid),
        ("automaton", answer(&analysis.automaton, String::clone)),
    ];
    for (name, value) in rows {
        writeln!(output, "{name:18} {value}")?;
    }
    analysis.outcome()
}

fn answer<T>(result: &Result<T, Failure>, show: impl Fn(&T) -> String) -> String {
    match result {
        Ok(value) => show(value),
        Err(failure) => format!("unknown: {}", failure.render(false).trim_end()),
    }
}

impl Analysis {
    /// An analysis that a limit left incomplete exits as one.
    fn outcome(self) -> Result<Outcome, Failure> {
        let failed =
            [self.stutter_invariant.err(), self.model.err(), self.countermodel.err(), self.automaton.err()];
        match failed.into_iter().flatten().next() {
            Some(failure) => Err(failure),
            None => Ok(Outcome::Yes),
        }
    }
}

fn infinite(question: &mut Question) -> Result<Analysis, Failure> {
    let nnf = question.nnf;
    let translator = &mut question.translator;
    let simplified = translator.simplify(nnf);
    let negation = translator.arena.negate(nnf);
    let class = match (translator.is_safety(nnf), translator.is_guarantee(nnf)) {
        (Ok(true), Ok(true)) => "safety and guarantee".to_owned(),
        (Ok(true), Ok(false)) => "safety".to_owned(),
        (Ok(false), Ok(true)) => "guarantee".to_owned(),
        (Err(error), _) | (_, Err(error)) => format!("unknown: {error}"),
        _ => format!(
            "{} (by its syntax; neither safety nor guarantee)",
            syntactic_class(&translator.arena, simplified)
        ),
    };
    let automaton = translator.translate(nnf).map(|automaton| {
        let count = automaton.state_count();
        format!("{count} state{} (--automaton buchi shows it)", if count == 1 { "" } else { "s" })
    });
    let (stutter, model, countermodel) =
        (translator.is_stutter_invariant(nnf), translator.model(nnf), translator.model(negation));
    Ok(Analysis {
        normal: question.show(nnf),
        simplified: question.show(simplified),
        class,
        stutter_invariant: stutter.map_err(Failure::from),
        model: model.map_err(Failure::from),
        countermodel: countermodel.map_err(Failure::from),
        automaton: automaton.map_err(Failure::from),
    })
}

fn finite(question: &mut Question) -> Result<Analysis, Failure> {
    let nnf = question.nnf;
    let store = &mut question.translator.arena;
    let simplified = Simplifier::new(Reading::Finite).simplify(store, nnf);
    let dfa = Dfa::from_formula(store, nnf, question.limits.states)?;
    let class = match (dfa.is_safety(), dfa.is_guarantee()) {
        (true, true) => "safety and guarantee".to_owned(),
        (true, false) => "safety".to_owned(),
        (false, true) => "guarantee".to_owned(),
        (false, false) => "neither safety nor guarantee".to_owned(),
    };
    let count = dfa.states().len();
    Ok(Analysis {
        normal: question.show(nnf),
        simplified: question.show(simplified),
        class,
        stutter_invariant: Ok(dfa.is_stutter_invariant()),
        model: Ok(dfa.shortest_accepted()),
        countermodel: Ok(dfa.complement().shortest_accepted()),
        automaton: Ok(format!(
            "{count} state{} (--automaton finite shows it)",
            if count == 1 { "" } else { "s" }
        )),
    })
}
