//! Attributes of Erlang files that say what to check.

use expect_test::{Expect, expect};
use selvedge_lang::erlang::declarations::{Declarations, declarations};
use selvedge_lang::erlang::syntax::{Options, SourceMap, parse};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Source;

/// The attributes, before a function `loop/1` and the function `main/0`.
fn read(attributes: &str) -> (Declarations, Vec<Diagnostic>, SourceMap) {
    let text = format!("-module(m).\n{attributes}\nloop(X) -> loop(X).\nmain() -> loop(1).\n");
    let mut sources = SourceMap::default();
    let (module, errors) = parse(Source::new("m.erl", text), &mut sources, &Options::default());
    assert!(errors.is_empty(), "{errors:?}");
    let (declarations, diagnostics) = declarations(&module, &sources);
    (declarations, diagnostics, sources)
}

/// What is understood, without an error.
#[track_caller]
fn check(attributes: &str, expect: &Expect) {
    let (declarations, diagnostics, sources) = read(attributes);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut lines = Vec::new();
    for property in &declarations.properties {
        let (name, expect) = (&property.name, property.expect);
        let (text, options) = (property.formula.text(), property.options.len());
        lines.push(format!("property {name}: {text}, {expect:?}, {options} options"));
        lines.push(format!("  at {}: {}", sources.position(property.span), sources.text(property.span)));
    }
    for (domain, span) in &declarations.domains {
        lines.push(format!("domain {domain} at {}: {}", sources.position(*span), sources.text(*span)));
    }
    for (word, functions) in [("server", &declarations.servers), ("terminating", &declarations.terminating)] {
        lines.extend(functions.iter().map(|function| format!("{word} {}", function.kind)));
    }
    expect.assert_eq(&lines.join("\n"));
}

/// The errors and warnings.
#[track_caller]
fn refused(attributes: &str, expect: &Expect) {
    let (_, diagnostics, sources) = read(attributes);
    let shown: Vec<String> = diagnostics.iter().map(|one| sources.render(one, false)).collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn attributes_are_properties_domains_servers_and_terminating_functions() {
    check(
        "-property({mutex, \"G !({enter,@1} & {enter,@2})\"}).\n\
         -property({live, \"F done\", violated}).\n\
         -property({maybe_live, \"F a\", may_be_violated}).\n\
         -property({'other one', \"F b\", 'may-be-violated', [{fair, weak}]}).\n\
         -property({fair, \"F c\", [{fair, weak}, {fair, strong}]}).\n\
         -domain(\"depth(2)\").\n-domain([\"parity\", \"atoms(a, b)\"]).\n\
         -server(loop/1).\n-terminating([loop/1, main/0]).\n-vsn(1).",
        &expect![[r#"
            property mutex: G !({enter,@1} & {enter,@2}), None, 0 options
              at m.erl:2:20: G !({enter,@1} & {enter,@2})
            property live: F done, Some(Violated), 0 options
              at m.erl:3:19: F done
            property maybe_live: F a, Some(MayBeViolated), 0 options
              at m.erl:4:25: F a
            property other one: F b, Some(MayBeViolated), 1 options
              at m.erl:5:26: F b
            property fair: F c, None, 2 options
              at m.erl:6:19: F c
            domain depth(2) at m.erl:7:10: depth(2)
            domain parity at m.erl:8:11: parity
            domain atoms(a, b) at m.erl:8:21: atoms(a, b)
            server loop/1
            terminating loop/1
            terminating main/0"#]],
    );
}

#[test]
fn a_formula_in_several_strings_or_with_escapes_has_the_place_of_the_whole() {
    check(
        "-property({two, \"F {a, \"\n    \"b}\"}).\n-property({text, \"F {a, \\\"b\\\"}\"}).",
        &expect![[r#"
            property two: F {a, b}, None, 0 options
              at m.erl:2:17: "F {a, "
                "b}"
            property text: F {a, "b"}, None, 0 options
              at m.erl:4:18: "F {a, \"b\"}""#]],
    );
}

#[test]
fn a_mistake_in_a_formula_is_shown_in_its_string() {
    refused(
        "-property({p, \"G !({enter,@1} & {enter,X})\"}).",
        &expect![[r#"
        error[erlang::variable]: `X` is a variable, which nothing binds here
         --> m.erl:2:40
          |
        2 | -property({p, "G !({enter,@1} & {enter,X})"}).
          |                                        ^ not bound
          |
          = help: operators of the logic stand between terms, not inside of them
          = help: the atom is written `'X'`; a process is named by its number, `@1`, or by `forall i:`"#]],
    );
    refused(
        "-property({p, \"F {\\\"a\\\", Y}\"}).",
        &expect![[r#"
        error[erlang::variable]: `Y` is a variable, which nothing binds here
         --> m.erl:2:15
          |
        2 | -property({p, "F {\"a\", Y}"}).
          |               ^^^^^^^^^^^^^^ not bound
          |
          = help: operators of the logic stand between terms, not inside of them
          = help: the atom is written `'Y'`; a process is named by its number, `@1`, or by `forall i:`
          = help: that is column 9 of the formula's text, at `Y`"#]],
    );
    refused(
        "-property({p, \"F a G\"}).\n-property({q, \"\"}).",
        &expect![[r#"
        error[ltl::expected-operator]: expected an operator, found `G`
         --> m.erl:2:20
          |
        2 | -property({p, "F a G"}).
          |                    ^ two formulas need an operator between them
          |
          = help: the operators are `&`, `|`, `->`, `<->`, `U`, `R`, `W`, `M`, `S`, `T`
        error[ltl::expected-formula]: expected a formula, found the end
         --> m.erl:2:21
          |
        2 | -property({p, "F a G"}).
          |                    -^ something is missing here
          |                    |
          |                    this operator needs a formula after it
        error[ltl::expected-formula]: the formula is empty
         --> m.erl:3:16
          |
        3 | -property({q, ""}).
          |                ^ nothing is written here
          |
          = help: write `true` for the formula that always holds"#]],
    );
}

#[test]
fn a_macro_is_shown_where_it_is_used() {
    refused(
        "-define(P, \"F Done\").\n-property({p, ?P}).",
        &expect![[r#"
        error[erlang::variable]: `Done` is a variable, which nothing binds here
         --> m.erl:3:15
          |
        3 | -property({p, ?P}).
          |               ^^ not bound
          |
          = help: the atom is written `'Done'`; a process is named by its number, `@1`, or by `forall i:`
          = help: that is column 3 of the formula's text, at `Done`"#]],
    );
}

#[test]
fn values_of_other_shapes_are_refused() {
    refused(
        "-property(mutex).\n-property({p}).",
        &expect![[r#"
        error[erlang::attribute]: `-property` cannot have this value
         --> m.erl:2:11
          |
        2 | -property(mutex).
          |           ^^^^^
          |
          = help: it is written `-property({name, "formula"}).`, perhaps with a verdict and options: `-property({name, "formula", violated, [{fair, weak}]}).`
        error[erlang::attribute]: `-property` cannot have this value
         --> m.erl:3:11
          |
        3 | -property({p}).
          |           ^^^
          |
          = help: it is written `-property({name, "formula"}).`, perhaps with a verdict and options: `-property({name, "formula", violated, [{fair, weak}]}).`"#]],
    );
    refused(
        "-property({p, done}).\n-property({\"p\", \"F a\"}).",
        &expect![[r#"
        error[erlang::attribute]: `-property` cannot have this value
         --> m.erl:2:15
          |
        2 | -property({p, done}).
          |               ^^^^
          |
          = help: it is written `-property({name, "formula"}).`, perhaps with a verdict and options: `-property({name, "formula", violated, [{fair, weak}]}).`
        error[erlang::attribute]: `-property` cannot have this value
         --> m.erl:3:12
          |
        3 | -property({"p", "F a"}).
          |            ^^^
          |
          = help: it is written `-property({name, "formula"}).`, perhaps with a verdict and options: `-property({name, "formula", violated, [{fair, weak}]}).`"#]],
    );
    refused(
        "-property({p, \"F a\", maybe_violated}).\n-property({p, \"F a\", holds, weak}).",
        &expect![[r#"
            error[erlang::attribute]: `maybe_violated` is no verdict
             --> m.erl:2:22
              |
            2 | -property({p, "F a", maybe_violated}).
              |                      ^^^^^^^^^^^^^^
              |
              = help: a property is expected to be `holds`, `violated` or `may_be_violated`
            error[erlang::attribute]: `-property` cannot have this value
             --> m.erl:3:29
              |
            3 | -property({p, "F a", holds, weak}).
              |                             ^^^^
              |
              = help: it is written `-property({name, "formula"}).`, perhaps with a verdict and options: `-property({name, "formula", violated, [{fair, weak}]}).`"#]],
    );
}

#[test]
fn domains_are_strings_and_functions_have_their_arity() {
    refused(
        "-domain(parity).\n-server(loop).",
        &expect![[r#"
        error[erlang::attribute]: `-domain` cannot have this value
         --> m.erl:2:9
          |
        2 | -domain(parity).
          |         ^^^^^^
          |
          = help: it is written `-domain("depth(2)").`
        error[erlang::attribute]: `-server` cannot have this value
         --> m.erl:3:9
          |
        3 | -server(loop).
          |         ^^^^
          |
          = help: it is written `-server(loop/1).`"#]],
    );
}

#[test]
fn names_are_declared_once_and_functions_have_to_be_there() {
    refused(
        "-property({p, \"F a\"}).\n-property({p, \"F b\"}).",
        &expect![[r#"
        error[erlang::attribute]: a property `p` is declared already
         --> m.erl:3:12
          |
        2 | -property({p, "F a"}).
          |            - declared here
        3 | -property({p, "F b"}).
          |            ^ declared again"#]],
    );
    refused(
        "-server(loop/2).\n-terminating(mian/0).\n-terminating(size/1).",
        &expect![[r#"
        error[erlang::attribute]: the module has no function `loop/2`
         --> m.erl:2:9
          |
        2 | -server(loop/2).
          |         ^^^^^^
          |
          = help: did you mean `loop/1`?
        error[erlang::attribute]: the module has no function `mian/0`
         --> m.erl:3:14
          |
        3 | -terminating(mian/0).
          |              ^^^^^^
          |
          = help: did you mean `main/0`?
        error[erlang::attribute]: the module has no function `size/1`
         --> m.erl:4:14
          |
        4 | -terminating(size/1).
          |              ^^^^^^"#]],
    );
}

#[test]
fn an_attribute_that_is_nearly_one_of_these_gets_a_warning() {
    refused(
        "-propertie({p, \"F a\"}).\n-author(me).\n-compile(export_all).\n-doc(false).",
        &expect![[r#"
            warning[erlang::attribute]: the attribute `-propertie` has no meaning
             --> m.erl:2:2
              |
            2 | -propertie({p, "F a"}).
              |  ^^^^^^^^^ ignored
              |
              = help: did you mean `-property`?"#]],
    );
}

#[test]
fn the_attributes_of_all_models_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/erlang");
    let mut properties = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "erl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut sources = SourceMap::default();
        let name = path.display().to_string();
        let (module, errors) = parse(Source::new(name.clone(), text), &mut sources, &Options::default());
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let (declarations, diagnostics) = declarations(&module, &sources);
        assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
        for property in &declarations.properties {
            property.formula.unfold(&[0, 1, 2, 3]).expect("a small formula");
        }
        properties += declarations.properties.len();
    }
    assert!(properties > 30, "{properties} properties");
}
