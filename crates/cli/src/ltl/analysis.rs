//! `selvedge ltl` without further options: normal form, class, stutter invariance, satisfiability, validity.

use super::formula_context::FormulaContext;
use super::plan::ReportFormat;
use crate::failure::{Failure, Outcome};
use crate::phrases::format_count;
use selvedge_ltl::Word;
use selvedge_ltl::finite::Dfa;
use selvedge_ltl::nnf::Reading;
use selvedge_ltl::simplify::{Simplifier, syntactic_class};
use serde_json::{Value, json};
use std::io::Write;

/// The answers. An answer that a limit prevents is that failure.
struct Analysis {
    normal: String,
    simplified: String,
    class: String,
    stutter_invariant: Result<bool, Failure>,
    /// A word that satisfies the formula.
    model: Result<Option<Word>, Failure>,
    /// A word that violates the formula.
    countermodel: Result<Option<Word>, Failure>,
    /// The size of the automaton, in words.
    automaton: Result<String, Failure>,
}

pub(super) fn run(
    context: &mut FormulaContext,
    format: ReportFormat,
    output: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let analysis = match context.reading {
        Reading::Infinite => analyse_infinite(context),
        Reading::Finite => analyse_finite(context),
    }?;
    match format {
        ReportFormat::Json => writeln!(output, "{}", analysis.json(context))?,
        ReportFormat::Text => analysis.write_text(context, output)?,
    }
    analysis.outcome()
}

impl Analysis {
    fn json(&self, context: &FormulaContext) -> Value {
        let word = |answer: &Result<Option<Word>, Failure>| match answer {
            Ok(word) => word.as_ref().map(|word| show_word(context, word)),
            Err(_) => None,
        };
        let has_word = |answer: &Result<Option<Word>, Failure>| answer.as_ref().ok().map(Option::is_some);
        json!({
            "formula": context.formula.named.to_string(),
            "reading": if context.reading == Reading::Finite { "finite" } else { "infinite" },
            "normal_form": self.normal,
            "simplified": self.simplified,
            "class": self.class,
            "stutter_invariant": self.stutter_invariant.as_ref().ok(),
            "satisfiable": has_word(&self.model),
            "valid": has_word(&self.countermodel).map(|violable| !violable),
            "model": word(&self.model),
            "countermodel": word(&self.countermodel),
        })
    }

    fn write_text(&self, context: &FormulaContext, output: &mut dyn Write) -> std::io::Result<()> {
        let yes_or_no = |answer: &bool| if *answer { "yes" } else { "no" }.to_owned();
        let satisfiable = show_answer(&self.model, |word| match word {
            Some(word) => format!("yes, by  {}", show_word(context, word)),
            None => "no".to_owned(),
        });
        let valid = show_answer(&self.countermodel, |word| match word {
            Some(word) => format!("no, not on  {}", show_word(context, word)),
            None => "yes".to_owned(),
        });
        let rows = [
            ("formula", context.formula.named.to_string()),
            ("normal form", self.normal.clone()),
            ("simplified", self.simplified.clone()),
            ("class", self.class.clone()),
            ("stutter-invariant", show_answer(&self.stutter_invariant, yes_or_no)),
            ("satisfiable", satisfiable),
            ("valid", valid),
            ("automaton", show_answer(&self.automaton, String::clone)),
        ];
        for (name, value) in rows {
            writeln!(output, "{name:18} {value}")?;
        }
        Ok(())
    }

    /// The first limit that prevented an answer is the failure of the command.
    fn outcome(self) -> Result<Outcome, Failure> {
        let failures =
            [self.stutter_invariant.err(), self.model.err(), self.countermodel.err(), self.automaton.err()];
        match failures.into_iter().flatten().next() {
            Some(failure) => Err(failure),
            None => Ok(Outcome::Yes),
        }
    }
}

fn show_word(context: &FormulaContext, word: &Word) -> String {
    word.display(&context.alphabet).to_string()
}

fn show_answer<T>(answer: &Result<T, Failure>, show: impl Fn(&T) -> String) -> String {
    match answer {
        Ok(value) => show(value),
        Err(failure) => format!("unknown: {}", failure.render(false).trim_end()),
    }
}

fn analyse_infinite(context: &mut FormulaContext) -> Result<Analysis, Failure> {
    let nnf = context.nnf;
    let translator = &mut context.translator;
    let simplified = translator.simplify(nnf);
    let negation = translator.arena.negate(nnf);
    let class = match (translator.is_safety(nnf), translator.is_guarantee(nnf)) {
        (Err(error), _) | (_, Err(error)) => format!("unknown: {error}"),
        (Ok(is_safety), Ok(is_guarantee)) => match exact_class(is_safety, is_guarantee) {
            Some(class) => class.to_owned(),
            None => {
                let class = syntactic_class(&translator.arena, simplified);
                format!("{class} (by its syntax; neither safety nor guarantee)")
            }
        },
    };
    let automaton = translator.translate(nnf);
    let automaton = automaton.map(|automaton| describe_size(automaton.state_count(), "buchi"));
    let (stutter, model, countermodel) =
        (translator.is_stutter_invariant(nnf), translator.model(nnf), translator.model(negation));
    Ok(Analysis {
        normal: context.show(nnf),
        simplified: context.show(simplified),
        class,
        stutter_invariant: stutter.map_err(Failure::from),
        model: model.map_err(Failure::from),
        countermodel: countermodel.map_err(Failure::from),
        automaton: automaton.map_err(Failure::from),
    })
}

fn analyse_finite(context: &mut FormulaContext) -> Result<Analysis, Failure> {
    let nnf = context.nnf;
    let arena = &mut context.translator.arena;
    let simplified = Simplifier::new(Reading::Finite).simplify(arena, nnf);
    let dfa = Dfa::from_formula(arena, nnf, context.limits.states)?;
    let class = exact_class(dfa.is_safety(), dfa.is_guarantee()).unwrap_or("neither safety nor guarantee");
    Ok(Analysis {
        normal: context.show(nnf),
        simplified: context.show(simplified),
        class: class.to_owned(),
        stutter_invariant: Ok(dfa.is_stutter_invariant()),
        model: Ok(dfa.shortest_accepted()),
        countermodel: Ok(dfa.complement().shortest_accepted()),
        automaton: Ok(describe_size(dfa.states().len(), "finite")),
    })
}

/// The name of the class, if the formula is a safety or a guarantee formula.
fn exact_class(is_safety: bool, is_guarantee: bool) -> Option<&'static str> {
    match (is_safety, is_guarantee) {
        (true, true) => Some("safety and guarantee"),
        (true, false) => Some("safety"),
        (false, true) => Some("guarantee"),
        (false, false) => None,
    }
}

fn describe_size(states: usize, kind: &str) -> String {
    format!("{} (--automaton {kind} shows it)", format_count(states as u64, "state"))
}
