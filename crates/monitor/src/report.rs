//! The verdicts at the end of a run.

use selvedge_ltl::progression::Verdict;
use std::fmt;

/// All verdicts, the worst first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// A verdict for each property.
    pub judgements: Vec<Judgement>,
    /// Limits that were reached: what was not checked.
    pub notes: Vec<String>,
}

/// The verdict on a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The name of the property.
    pub name: String,
    /// The formula or the template as text.
    pub formula: String,
    /// The verdict; for a template, the worst verdict of its instances. `None` for a template without
    /// instances.
    pub verdict: Option<Verdict>,
    /// For a template, the number of its instances.
    pub instances: Option<u64>,
    /// Were instances freed? Then an instance that was made again counts twice.
    pub is_at_most: bool,
    /// An instance of a template with this verdict: its values, or its formula.
    pub example: Option<String>,
    /// An antecedent that never happened, and without which the formula says nothing.
    pub vacuous: Option<String>,
    /// What is left of an open formula.
    pub remainder: Option<String>,
    /// The events that were dropped before it was decided. If there are any, the verdict is of the steps
    /// that were seen, and need not be that of the run.
    pub dropped: u64,
}

impl Judgement {
    /// A number that is greater for worse verdicts.
    pub(crate) fn rank(verdict: Option<Verdict>) -> u8 {
        match verdict {
            None => 0,
            Some(Verdict::True) => 1,
            Some(Verdict::PresumablyTrue) => 2,
            Some(Verdict::PresumablyFalse) => 3,
            Some(Verdict::False) => 4,
        }
    }

    /// The verdict in words.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            None => "no instance",
            Some(Verdict::True) => "proven",
            Some(Verdict::PresumablyTrue) => "presumably true",
            Some(Verdict::PresumablyFalse) => "presumably false",
            Some(Verdict::False) => "violated",
        }
    }
}

impl Report {
    /// Is some property violated?
    pub fn has_violations(&self) -> bool {
        self.judgements.iter().any(|judgement| judgement.verdict == Some(Verdict::False))
    }

    /// The verdict on the property with this name.
    pub fn get(&self, name: &str) -> Option<&Judgement> {
        self.judgements.iter().find(|judgement| judgement.name == name)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |text: fn(&Judgement) -> &str| self.judgements.iter().map(|j| text(j).len()).max();
        let words = width(|judgement| judgement.word()).unwrap_or(0);
        let names = width(|judgement| &judgement.name).unwrap_or(0);
        for judgement in &self.judgements {
            write!(f, "{:words$}  {:names$}  {}", judgement.word(), judgement.name, judgement.formula)?;
            if let Some(count) = judgement.instances.filter(|count| *count > 0) {
                let plural = if count == 1 { "" } else { "s" };
                let at_most = if judgement.is_at_most { "at most " } else { "" };
                write!(f, "  [{at_most}{count} instance{plural}")?;
                match &judgement.example {
                    Some(example) => write!(f, ", such as {example}]")?,
                    None => write!(f, "]")?,
                }
            }
            if let Some(antecedent) = &judgement.vacuous {
                write!(f, "  (vacuous: `{antecedent}` never happened)")?;
            }
            if judgement.dropped > 0 {
                write!(f, "  (unsure: {})", dropped_text(judgement.dropped))?;
            }
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))
    }
}

/// A number of dropped events in words.
pub(crate) fn dropped_text(count: u64) -> String {
    if count == 1 { "1 event was dropped".to_owned() } else { format!("{count} events were dropped") }
}
