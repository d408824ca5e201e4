//! Abstract domains of Erlang programs: against enumeration of numbers, and on the domains of Huch's paper.

mod diagnostics;
mod enumeration;
mod generated;
mod mutations;
mod naming;
mod paper;

use selvedge_lang::erlang::domain::{Domain, DomainText, Element, IntegerDomain, SourceDiagnostic};
use selvedge_ltl::source::Source;
use std::path::PathBuf;

/// The domains that the texts name, with their diagnostics. A name is that of a file of `models/`.
fn parse(texts: &[&str]) -> (Option<Domain>, Vec<SourceDiagnostic>) {
    let texts: Vec<DomainText> = texts.iter().map(|text| DomainText::new("--domain", text)).collect();
    Domain::parse(&texts, &|name| {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/erlang/domains");
        let text = std::fs::read_to_string(folder.join(name)).map_err(|_| "no such file".to_owned())?;
        Ok(Source::new(name, text))
    })
}

/// The domain of a text in place of a file.
fn load(text: &str) -> (Option<Domain>, Vec<SourceDiagnostic>) {
    let texts = [DomainText::new("--domain", "own.domain")];
    Domain::parse(&texts, &|name| Ok(Source::new(name, text)))
}

fn rendered(diagnostics: &[SourceDiagnostic]) -> String {
    diagnostics.iter().map(|one| one.diagnostic.render(&one.source, false) + "\n").collect()
}

/// The integers of a domain without errors.
#[track_caller]
fn integers(texts: &[&str]) -> IntegerDomain {
    let (domain, diagnostics) = parse(texts);
    let Some(domain) = domain else { panic!("{}", rendered(&diagnostics)) };
    domain.integers.expect("a domain of integers")
}

#[track_caller]
fn loaded(text: &str) -> IntegerDomain {
    let (domain, diagnostics) = load(text);
    let Some(domain) = domain else { panic!("{text}\n{}", rendered(&diagnostics)) };
    domain.integers.expect("a domain of integers")
}

#[track_caller]
fn named(domain: &IntegerDomain, name: &str) -> Element {
    domain.named(name).unwrap_or_else(|| panic!("{} has no element {name}", domain.domain_name()))
}
