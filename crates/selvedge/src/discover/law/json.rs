//! Laws as JSON.

use super::Laws;

impl Laws {
    /// The laws as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let laws: Vec<String> = self.laws.iter().map(|law| format!("{:?}", law.to_string())).collect();
        format!("{{\"laws\":[{}]}}", laws.join(","))
    }
}
