//! A formula with the alphabet, the arena and the translator that questions about it need.

use crate::failure::Failure;
use selvedge_ltl::buchi::{Limits, Translator};
use selvedge_ltl::nnf::{FormulaArena, Nnf, Reading};
use selvedge_ltl::source::Source;
use selvedge_ltl::syntax::{Names, parse};
use selvedge_ltl::{Alphabet, Formula, Prop};

/// The formula of the command line, in every form that a question needs.
pub(super) struct FormulaContext {
    pub(super) formula: ParsedFormula,
    pub(super) alphabet: Alphabet<String>,
    pub(super) translator: Translator,
    pub(super) nnf: Nnf,
    pub(super) reading: Reading,
    pub(super) limits: Limits,
}

/// A formula with names, and with the numbers of the alphabet instead.
pub(super) struct ParsedFormula {
    pub(super) named: Formula<String>,
    pub(super) numbered: Formula<Prop>,
}

impl FormulaContext {
    pub(super) fn new(text: &str, reading: Reading, limits: Limits) -> Result<FormulaContext, Failure> {
        let mut alphabet = Alphabet::default();
        let formula = ParsedFormula::parse("<formula>", text, &mut alphabet)?;
        let mut translator = Translator::new(FormulaArena::default(), limits);
        let nnf = translator.arena.formula(&formula.numbered);
        Ok(FormulaContext { formula, alphabet, translator, nnf, reading, limits })
    }

    /// Parses a second formula over the same alphabet.
    pub(super) fn parse_other(&mut self, text: &str) -> Result<ParsedFormula, Failure> {
        ParsedFormula::parse("<other>", text, &mut self.alphabet)
    }

    /// A formula of the arena as text.
    pub(super) fn show(&self, formula: Nnf) -> String {
        self.show_numbered(&self.translator.arena.to_formula(formula))
    }

    /// A numbered formula as text.
    pub(super) fn show_numbered(&self, formula: &Formula<Prop>) -> String {
        formula.map(&mut |prop| self.alphabet.name(*prop).clone()).to_string()
    }
}

impl ParsedFormula {
    /// New propositions are added to the alphabet.
    fn parse(name: &str, text: &str, alphabet: &mut Alphabet<String>) -> Result<ParsedFormula, Failure> {
        let refuse = |diagnostics| Failure::Input(Source::new(name, text), diagnostics);
        let named = parse(text, &Names).into_result().map_err(refuse)?;
        let numbered =
            alphabet.number(&named).map_err(|error| Failure::Usage(format!("the formula has {error}")))?;
        Ok(ParsedFormula { named, numbered })
    }
}
