//! Laws as the source of tests.

use super::Laws;
use std::fmt::Write;

impl Laws {
    /// The source of a test for each law. The expression makes the signature: `mvar()`.
    #[must_use]
    pub fn to_tests(&self, signature: &str) -> String {
        let mut text = String::new();
        for (number, law) in self.laws.iter().enumerate() {
            let _ = write!(
                text,
                "#[test]\nfn law_{}() {{\n    {signature}.check({:?}).assert();\n}}\n\n",
                number + 1,
                law.to_string()
            );
        }
        text
    }
}
