//! Names of domains, of their elements, and of atoms.

use super::{integers, load, named, parse, rendered};
use expect_test::{Expect, expect};
use num_bigint::BigInt;
use selvedge_lang::erlang::domain::{AtomSet, BinaryOperation, Domain, Match, Outcome, Truth};

#[track_caller]
fn domain(texts: &[&str]) -> Domain {
    let (domain, diagnostics) = parse(texts);
    domain.unwrap_or_else(|| panic!("{}", rendered(&diagnostics)))
}

#[track_caller]
fn names(texts: &[&str], expected: &Expect) {
    let domain = integers(texts);
    let names: Vec<&str> = domain.elements().map(|element| domain.name(element)).collect();
    expected.assert_eq(&names.join(" "));
}

#[test]
fn elements_have_the_names_of_their_numbers() {
    names(&["parity"], &expect!["even odd ?int"]);
    names(&["sign"], &expect!["neg zero pos nonpos nonneg nonzero ?int"]);
    names(&["intervals(0, 10)"], &expect!["<0 <10 ?int 0..9 >=0 >=10"]);
    names(&["intervals( -1 , 0, 1)"], &expect!["<-1 <0 <1 ?int -1 -1..0 >=-1 0 >=0 >=1"]);
    names(
        &["sign", "parity"],
        &expect![
            "neg&even neg&odd neg zero pos&even pos&odd pos nonpos&even nonpos nonneg&even nonneg nonzero&even odd nonzero even ?int"
        ],
    );
    names(
        &["parity", "intervals(0, 1)"],
        &expect!["even&<0 even&<1 even 0 even&>=0 even&>=1 odd&<0 odd odd&>=0 <0 <1 ?int >=0 >=1"],
    );
    names(&["parity", "parity"], &expect!["even odd ?int"]);
}

#[test]
fn an_element_of_a_product_has_several_names() {
    let domain = integers(&["parity", "sign"]);
    assert_eq!(named(&domain, "even&zero"), named(&domain, "zero"));
    assert_eq!(named(&domain, "?int&zero"), named(&domain, "zero"));
    assert_eq!(named(&domain, "even&?int"), named(&domain, "even"));
    assert_eq!(domain.named("odd&zero"), None);
    assert_eq!(domain.alpha(&BigInt::from(3)), named(&domain, "odd&pos"));
    assert_eq!(domain.domain_name(), "parity * sign");
}

#[test]
fn a_product_knows_more_than_its_components() {
    let domain = integers(&["parity", "sign"]);
    let outcomes =
        domain.binary(BinaryOperation::Subtract, named(&domain, "even&pos"), named(&domain, "odd&neg"));
    assert_eq!(outcomes, [Outcome::Integer(named(&domain, "odd&pos"))]);
}

#[test]
fn several_domains_are_their_product() {
    let both = domain(&["depth(2)", "parity", "depth(3)", "atoms(a)", "atoms(b)"]);
    assert_eq!(both.depth, Some(3));
    assert_eq!(both.integers.expect("parity").len(), 3);
    let atoms = both.atoms.expect("atoms");
    assert!(["a", "b", "true", "false"].iter().all(|atom| atoms.is_exact(atom)));
    assert!(domain(&["concrete"]).is_concrete() && domain(&[]).is_concrete());
    assert!(!domain(&[" depth(1) "]).is_concrete());
}

#[test]
fn atoms_are_kept_or_taken_together() {
    let atoms = domain(&["atoms(ok, state = {idle, 'Busy'})"]).atoms.expect("atoms");
    let state = atoms.named("state").expect("a set");
    assert_eq!(atoms.alpha("ok"), None);
    assert_eq!(atoms.alpha("Busy"), Some(state));
    assert_eq!(atoms.alpha("error"), Some(AtomSet::OTHER));
    assert_eq!([AtomSet::ANY, AtomSet::OTHER].map(|set| atoms.name(set)), ["?atom", "?other"]);
    assert_eq!(atoms.len(), 3);
    assert_eq!(atoms.matches(state, "idle"), Match::Maybe);
    assert_eq!(atoms.matches(state, "ok"), Match::No);
    assert_eq!(atoms.matches(AtomSet::OTHER, "ok"), Match::No);
    assert_eq!(atoms.matches(AtomSet::ANY, "ok"), Match::Maybe);
    assert!(atoms.is_at_most(AtomSet::ANY, state) && !atoms.is_at_most(state, AtomSet::ANY));
    assert_eq!(atoms.equal(state, AtomSet::OTHER), Truth::False);
    assert_eq!(atoms.equal(state, state), Truth::Unknown);
}

#[test]
fn a_least_value_is_added_only_where_there_is_none() {
    let text = "domain d values a, b order a < b alpha n = 0 -> b; otherwise -> a";
    let (domain, diagnostics) = load(text);
    assert_eq!(rendered(&diagnostics), "");
    let domain = domain.and_then(|domain| domain.integers).expect("a domain");
    assert_eq!(domain.len(), 2);
    assert_eq!(domain.least(), named(&domain, "a"));
    let (domain, _) = load(&text.replace("order a < b", ""));
    assert_eq!(domain.and_then(|domain| domain.integers).expect("a domain").len(), 3);
}

#[track_caller]
fn refused(texts: &[&str], expected: &Expect) {
    let (domain, diagnostics) = parse(texts);
    assert!(domain.is_none());
    expected.assert_eq(&rendered(&diagnostics));
}

#[test]
fn names_that_are_no_domain_are_refused() {
    refused(
        &["partiy"],
        &expect![[r#"
        error[domain::unknown]: there is no domain `partiy`
         --> --domain:1:1
          |
        1 | partiy
          | ^^^^^^ no such file
          |
          = help: did you mean `parity`?
    "#]],
    );
    refused(
        &["octagons"],
        &expect![[r#"
        error[domain::unknown]: there is no domain `octagons`
         --> --domain:1:1
          |
        1 | octagons
          | ^^^^^^^^ no such file
          |
          = help: built in are `parity`, `sign`, `intervals(0, 10)`, `depth(2)`, `atoms(a, b)` and `concrete`
    "#]],
    );
    refused(
        &["depth"],
        &expect![[r#"
        error[domain::syntax]: arguments are missing
         --> --domain:1:1
          |
        1 | depth
          | ^^^^^
          |
          = help: name the depth that is kept: `depth(2)`
    "#]],
    );
    refused(
        &["depth(0)"],
        &expect![[r#"
        error[domain::depth]: a depth is at least 1
         --> --domain:1:7
          |
        1 | depth(0)
          |       ^
    "#]],
    );
    refused(
        &["depth(1, 2)"],
        &expect![[r#"
        error[domain::depth]: `depth` has one argument
         --> --domain:1:10
          |
        1 | depth(1, 2)
          |          ^
    "#]],
    );
    refused(
        &["parity(2)"],
        &expect![[r#"
        error[domain::syntax]: `parity` has no arguments
         --> --domain:1:1
          |
        1 | parity(2)
          | ^^^^^^^^^
    "#]],
    );
}

#[test]
fn arguments_of_the_wrong_kind_are_refused() {
    refused(
        &["intervals(3, 1)"],
        &expect![[r#"
        error[domain::cut-points]: the cut points do not ascend
         --> --domain:1:14
          |
        1 | intervals(3, 1)
          |              ^ not larger than the last
    "#]],
    );
    refused(
        &["intervals(a)"],
        &expect![[r#"
        error[domain::syntax]: `a` does not belong here
         --> --domain:1:11
          |
        1 | intervals(a)
          |           ^ expected an integer
    "#]],
    );
    refused(
        &["intervals(1) )"],
        &expect![[r#"
        error[domain::syntax]: `)` does not belong here
         --> --domain:1:14
          |
        1 | intervals(1) )
          |              ^ expected nothing more
    "#]],
    );
}

#[test]
fn atoms_are_in_one_set() {
    refused(
        &["atoms(a, s = {a, b})"],
        &expect![[r#"
        error[domain::atoms]: `a` is named already
         --> --domain:1:10
          |
        1 | atoms(a, s = {a, b})
          |          ^ an atom is kept, or in one set
    "#]],
    );
    refused(
        &["atoms(s = {a})"],
        &expect![[r#"
        error[domain::atoms]: the set `s` has one atom
         --> --domain:1:7
          |
        1 | atoms(s = {a})
          |       ^
          |
          = help: keep the atom itself: `atoms(a)`
    "#]],
    );
    refused(
        &["atoms(X)"],
        &expect![[r#"
        error[domain::syntax]: `X` does not belong here
         --> --domain:1:7
          |
        1 | atoms(X)
          |       ^ expected an atom
    "#]],
    );
}

#[test]
fn products_that_make_no_sense_are_refused() {
    refused(
        &["parity", "concrete"],
        &expect![[r#"
        error[domain::concrete]: `concrete` abstracts nothing, and another domain does
         --> --domain:1:1
          |
        1 | concrete
          | ^^^^^^^^
          |
          = help: leave it out
    "#]],
    );
    let many = "intervals(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21)";
    refused(
        &[many, "parity"],
        &expect![[r#"
        error[domain::product]: the product distinguishes more than 256 sets of integers
         --> --domain:1:1
          |
        1 | parity
          | ^^^^^^
          |
          = help: use fewer domains, or coarser ones
    "#]],
    );
}
