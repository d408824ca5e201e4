//! A page whose figures are between marks: `<!-- begin NAME -->` and `<!-- end NAME -->`, each on a line of
//! its own. The text outside of the marks is written by hand and stays.

/// The page with the text between the marks of this name replaced.
///
/// # Errors
///
/// The page has not exactly one pair of such marks, in this order.
pub fn replaced(page: &str, name: &str, text: &str) -> Result<String, String> {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->\n"));
    let is_once = |mark: &str| page.matches(mark).count() == 1;
    if !is_once(&begin) || !is_once(&end) {
        return Err(format!("the page needs one `{}` and one `{}`", begin.trim(), end.trim()));
    }
    let (before, rest) = page.split_once(&begin).expect("the mark is there");
    let Some((_, after)) = rest.split_once(&end) else {
        return Err(format!("`{}` comes before `{}`", end.trim(), begin.trim()));
    };
    // An empty line on both sides: Markdown needs it before a table.
    Ok(format!("{before}{begin}\n{}\n\n{end}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    const PAGE: &str = "head\n<!-- begin a -->\nold\n<!-- end a -->\nfoot\n";

    #[test]
    fn only_the_text_between_the_marks_changes() {
        let once = replaced(PAGE, "a", "new").unwrap();
        assert_eq!(once, "head\n<!-- begin a -->\n\nnew\n\n<!-- end a -->\nfoot\n");
        assert_eq!(replaced(&once, "a", "new\n").unwrap(), once);
    }

    #[test]
    fn marks_that_are_missing_or_twice_are_told() {
        assert!(replaced(PAGE, "b", "").unwrap_err().contains("begin b"));
        assert!(replaced(&PAGE.repeat(2), "a", "").is_err());
        assert!(replaced("<!-- end a -->\n<!-- begin a -->\n", "a", "").unwrap_err().contains("before"));
    }
}
