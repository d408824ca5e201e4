//! Tables of figures, as Markdown.

use crate::Samples;

/// A table; its name is that of its marks in a page.
pub struct Table {
    pub name: &'static str,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(name: &'static str, columns: &[&str]) -> Table {
        Table { name, head: columns.iter().map(|&column| column.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.head.len(), "{}: a cell for each column, not {cells:?}", self.name);
        println!("{}", line(&cells));
        self.rows.push(cells);
    }

    /// The cells of a ratio: its median, and its least and its greatest value.
    pub fn ratio(ratio: &Samples) -> [String; 2] {
        let (median, min, max) = (number(ratio.median()), number(ratio.min()), number(ratio.max()));
        let spread = if min == "-" { min } else { format!("{min} to {max}") };
        [median, spread]
    }

    /// Columns whose cells all start with digits are set to the right.
    pub fn markdown(&self) -> String {
        let is_number = |column: usize| {
            let mut cells = self.rows.iter().map(|row| &row[column]).filter(|cell| !cell.is_empty());
            cells.all(|cell| cell.starts_with(|char: char| char.is_ascii_digit()))
        };
        let rules = (0..self.head.len()).map(|column| if is_number(column) { "--:" } else { "---" });
        let rule = rules.collect::<Vec<_>>().join("|");
        let lines = [line(&self.head), format!("|{rule}|")];
        lines.into_iter().chain(self.rows.iter().map(|row| line(row))).collect::<Vec<_>>().join("\n")
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// A figure with three significant digits, or all digits before the point; `-` if it is none.
pub fn number(figure: f64) -> String {
    if !figure.is_finite() {
        return "-".to_owned();
    }
    let digits = match figure.abs() {
        0.0 => 0,
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        size => (2.0 - size.log10().floor()).min(9.0) as usize,
    };
    format!("{figure:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::{Table, number};

    #[test]
    fn numbers_have_three_digits() {
        let check = |figure: f64, expected: &str| assert_eq!(number(figure), expected);
        check(1_234_567.8, "1234568");
        check(123.4, "123");
        check(99.96, "100");
        check(12.34, "12.3");
        check(9.996, "10.0");
        check(1.0, "1.00");
        check(0.051_26, "0.0513");
        check(0.0, "0");
        check(f64::NAN, "-");
    }

    #[test]
    fn columns_of_numbers_are_set_to_the_right() {
        let mut table = Table::new("t", &["a", "b"]);
        table.row(vec!["x".to_owned(), "1.0".to_owned()]);
        table.row(vec!["y".to_owned(), String::new()]);
        assert_eq!(table.markdown(), "| a | b |\n|---|--:|\n| x | 1.0 |\n| y |  |");
    }
}
