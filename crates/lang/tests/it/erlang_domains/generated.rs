//! Random domains, and products of them, against enumeration of numbers. `SELVEDGE_LONG=1` draws many more.

use super::enumeration::Reference;
use super::{Domain, DomainText, Source, load, rendered};
use selvedge_lang::erlang::domain::{BinaryOperation, IntegerDomain};
use selvedge_testkit::Random;

/// How many cases are drawn.
fn count(cases: usize) -> usize {
    if selvedge_testkit::is_long_run() { 20 * cases } else { cases }
}

/// A random condition on `n`.
fn condition(random: &mut Random, depth: usize) -> String {
    let number = random.below(17) as i64 - 8;
    let modulus = random.below(4) + 1;
    match random.below(if depth == 0 { 4 } else { 7 }) {
        0 => format!("n {} {number}", random.pick(&["=", "/=", "<", "<=", ">", ">="])),
        1 => format!("n % {modulus} = {}", random.below(modulus)),
        2 => format!("n in {number}..{}", number + random.below(5) as i64),
        3 => format!("n in {{{number}, {}, 7}}", number + 2),
        4 => format!("not ({})", condition(random, depth - 1)),
        5 => format!("({}) and {}", condition(random, depth - 1), condition(random, 0)),
        _ => format!("({}) or {}", condition(random, depth - 1), condition(random, 0)),
    }
}

/// A random file without lines about operations; any order may be, if it has no cycle.
fn file(random: &mut Random) -> String {
    let count = random.below(5) + 1;
    let names: Vec<String> = (0..count).map(|value| format!("v{value}")).collect();
    let mut text = format!("domain d\nvalues {}\n", names.join(", "));
    for high in 1..count {
        for low in 0..high {
            if random.below(3) == 0 {
                text += &format!("order v{low} < v{high}\n");
            }
        }
    }
    text += "alpha\n";
    for _ in 0..random.below(4) {
        text += &format!("  {} -> v{}\n", condition(random, 2), random.below(count));
    }
    let last = if random.below(3) == 0 { "?int".to_owned() } else { format!("v{}", random.below(count)) };
    text + &format!("  otherwise -> {last}\n")
}

/// A random line about an operation.
fn row(random: &mut Random, values: usize) -> String {
    let mut value = || match random.below(values + 1) {
        0 => "?int".to_owned(),
        number => format!("v{}", number - 1),
    };
    let [a, b, c, d] = std::array::from_fn(|_| value());
    let error = random.pick(&["", ", error"]);
    match random.below(12) {
        0 => format!("{} {a} -> {c}, {d}\n", random.pick(&["-", "bnot", "abs"])),
        1 => format!("{a} {} {b} -> {}\n", random.pick(&["<", "="]), random.pick(&["true", "false"])),
        _ => {
            let operation = random.pick(&BinaryOperation::ALL);
            format!("{a} {operation} {b} -> {c}, {d}{error}\n")
        }
    }
}

fn product(files: &[String]) -> Option<IntegerDomain> {
    let texts: Vec<DomainText> =
        (0..files.len()).map(|file| DomainText::new("d", &file.to_string())).collect();
    let find = |name: &str| {
        let index: usize = name.parse().expect("a number");
        Ok(Source::new(name, files[index].as_str()))
    };
    let (domain, diagnostics) = Domain::parse(&texts, &find);
    // A product may be too large.
    let is_product = diagnostics.iter().any(|one| one.diagnostic.code == "domain::product");
    assert!(domain.is_some() || is_product, "{}\n{}", files.join("\n"), rendered(&diagnostics));
    domain.map(|domain| domain.integers.expect("integers"))
}

#[test]
fn random_domains_cover_all_results() {
    let mut random = Random(1);
    for _ in 0..count(60) {
        let text = file(&mut random);
        let domain = product(&[text]).expect("one domain");
        Reference::new(&domain).check_all();
    }
}

#[test]
fn random_products_cover_all_results() {
    let mut random = Random(2);
    let mut checked = 0;
    while checked < count(20) {
        let files: Vec<String> = (0..2 + random.below(2)).map(|_| file(&mut random)).collect();
        let Some(domain) = product(&files).filter(|domain| domain.len() <= 24) else { continue };
        Reference::new(&domain).check_all();
        checked += 1;
    }
}

/// A random file with lines that the loader takes.
fn file_with_rows(random: &mut Random) -> String {
    let mut text = file(random);
    let values = (0..9).take_while(|value| text.contains(&format!("v{value}"))).count();
    for _ in 0..12 {
        let longer = text.clone() + &row(random, values);
        if load(&longer).0.is_some() {
            text = longer;
        }
    }
    text
}

#[test]
fn random_lines_that_are_taken_cover_all_results() {
    let mut random = Random(3);
    let mut rows = 0;
    for _ in 0..count(40) {
        let text = file_with_rows(&mut random);
        rows += text.lines().filter(|line| line.contains("->") && !line.starts_with("  ")).count();
        let domain = product(&[text]).expect("one domain");
        Reference::new(&domain).check_all();
    }
    assert!(rows > 100, "{rows} lines were taken");
}

#[test]
fn random_products_of_files_with_lines_cover_all_results() {
    let mut random = Random(4);
    let mut checked = 0;
    while checked < count(10) {
        let files: Vec<String> = (0..2).map(|_| file_with_rows(&mut random)).collect();
        let Some(domain) = product(&files).filter(|domain| domain.len() <= 24) else { continue };
        Reference::new(&domain).check_all();
        checked += 1;
    }
}
