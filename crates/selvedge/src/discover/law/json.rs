//! Laws as JSON.

use super::{Comparison, Law, Laws};
use crate::explorer::json::{array, object, quoted};

impl Laws {
    /// The laws, their evidence and witnesses, what was left out, remarks and figures, as JSON.
    ///
    /// ```text
    /// {"name": "mvar", "complete": true,
    ///  "laws": [{"law": "read ->- take >>= \\x -> put x", "when": [],
    ///            "left": "read", "relation": "->-", "right": "…",
    ///            "under": [{"interference": "alone", "relation": "==="}, …],
    ///            "evidence": {"seeds": 10, "assignments": 1, "explorations": 40, "runs": 61,
    ///                         "unobserved": 0, "complete": true},
    ///            "witness": {"seed": "Some(0)", "assignment": [], "interference": "put 42",
    ///                        "outcome": "(Some(42), deadlock)", "schedule": "…"}}],
    ///  "no_difference_seen": [], "left_out": [], "notes": […],
    ///  "figures": {"size": 7, "schemas": 20, "ground_terms": …, "explorations": …, "runs": …,
    ///              "unobserved": 0, "table_bytes": …, "seconds": 0.1}}
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let texts = |texts: &[String]| array(texts.iter().map(|text| quoted(text)));
        let figures = self.figures;
        object(&[
            ("name", self.name.as_ref().map_or_else(|| "null".to_owned(), |name| quoted(name))),
            ("complete", self.is_complete.to_string()),
            ("laws", array(self.laws.iter().map(law))),
            ("no_difference_seen", array(self.unsupported.iter().map(law))),
            ("left_out", texts(&self.left_out)),
            ("notes", texts(&self.notes)),
            (
                "figures",
                object(&[
                    ("size", figures.size.to_string()),
                    ("schemas", figures.schemas.to_string()),
                    ("ground_terms", figures.ground_terms.to_string()),
                    ("explorations", figures.explorations.to_string()),
                    ("runs", figures.runs.to_string()),
                    ("unobserved", figures.unobserved.to_string()),
                    ("table_bytes", figures.table_bytes.to_string()),
                    ("seconds", format!("{:.6}", figures.time.as_secs_f64())),
                ]),
            ),
        ])
    }
}

impl Comparison {
    /// The three lists, as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let lists = [("left", &self.left), ("right", &self.right), ("between", &self.between)];
        object(&lists.map(|(name, laws)| (name, laws.to_json())))
    }
}

fn law(law: &Law) -> String {
    let statement = &law.statement;
    let under = law.under.iter().map(|(interference, relation)| {
        object(&[("interference", quoted(interference)), ("relation", quoted(relation.sign()))])
    });
    let evidence = law.evidence;
    let witness = law.witness.as_ref().map_or_else(
        || "null".to_owned(),
        |witness| {
            let assignment = witness
                .assignment
                .iter()
                .map(|(name, value)| object(&[("variable", quoted(name)), ("value", quoted(value))]));
            object(&[
                ("seed", quoted(&witness.seed)),
                ("assignment", array(assignment)),
                ("interference", quoted(&witness.interference)),
                ("outcome", quoted(&witness.outcome)),
                ("schedule", quoted(&witness.run.short().to_string())),
            ])
        },
    );
    object(&[
        ("law", quoted(&statement.to_string())),
        ("when", array(statement.when.iter().map(|when| quoted(when)))),
        ("left", quoted(&statement.left.to_string())),
        ("relation", quoted(statement.relation.sign())),
        ("right", quoted(&statement.right.to_string())),
        ("under", array(under)),
        (
            "evidence",
            object(&[
                ("seeds", evidence.seeds.to_string()),
                ("assignments", evidence.assignments.to_string()),
                ("explorations", evidence.explorations.to_string()),
                ("runs", evidence.runs.to_string()),
                ("unobserved", evidence.unobserved.to_string()),
                ("complete", evidence.is_complete.to_string()),
            ]),
        ),
        ("witness", witness),
    ])
}
