//! What a file says to the model checker, as attributes that `erlc` takes too.
//!
//! - `-property({mutex, "G !(a & b)"}).`: a property; `-property({live, "F done", violated}).` with the
//!   verdict that it should get, and a list of options may follow;
//! - `-domain("depth(2)").`: an abstract domain;
//! - `-server(loop/1).`: a process that waits in this function is idle, not stuck;
//! - `-terminating(size/1).`: the function terminates, which is taken on trust.
//!
//! Promise: an attribute of these names is read completely or refused with its place, and messages about a
//! formula point into its string unless escapes or macros are in the way. An attribute whose name is nearly
//! one of these gets a warning, since Erlang itself has no meaning for either.

use super::formula::{self, QuantifiedFormula};
use super::syntax::SourceMap;
use super::syntax::tree::{Attribute, Expr, ExprKind, FormKind, FunctionName, Module, Name, NameArity, Node};
use crate::Expect;
use crate::syntax::suggest::nearest;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::Span;

/// The names of attributes that have a meaning here.
const NAMES: [&str; 4] = ["property", "domain", "server", "terminating"];

/// The attributes of a module.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// The properties, in the order of the text.
    pub properties: Vec<DeclaredProperty>,
    /// The texts of domains, and their places: inside of the quotes, or the whole string if that is not
    /// written as it reads.
    pub domains: Vec<(Name, Span)>,
    /// The functions of servers.
    pub servers: Vec<FunctionName>,
    /// The functions that are said to terminate.
    pub terminating: Vec<FunctionName>,
}

/// `-property({name, "formula", violated, [option]}).`
#[derive(Clone, Debug)]
pub struct DeclaredProperty {
    /// Its name.
    pub name: Name,
    /// The place of its name.
    pub name_span: Span,
    /// The place of its formula.
    pub span: Span,
    /// The formula.
    pub formula: QuantifiedFormula,
    /// The verdict that the file expects.
    pub expect: Option<Expect>,
    /// Terms that say how to check it, `{fair, weak}` say; not read yet.
    pub options: Vec<Expr>,
}

/// Reads the attributes of a module: what was understood, and what is wrong.
pub fn declarations(module: &Module, sources: &SourceMap) -> (Declarations, Vec<Diagnostic>) {
    let mut reader =
        Reader { module, sources, declarations: Declarations::default(), diagnostics: Vec::new() };
    for form in &module.forms {
        if let FormKind::Attribute(attribute) = &form.kind
            && let Err(diagnostic) = reader.attribute(attribute)
        {
            reader.diagnostics.push(diagnostic);
        }
    }
    (reader.declarations, reader.diagnostics)
}

/// The functions that an attribute names, one or a list each time; what is no function was refused before.
pub(crate) fn declared_functions(module: &Module, attribute: &str) -> Vec<NameArity> {
    let values = module.attributes(attribute).flat_map(|attribute| &attribute.values).flat_map(parts);
    values.filter_map(Expr::as_name_arity).collect()
}

struct Reader<'a> {
    module: &'a Module,
    sources: &'a SourceMap,
    declarations: Declarations,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn attribute(&mut self, attribute: &Attribute) -> Result<(), Diagnostic> {
        let name: &str = &attribute.name.kind;
        if !NAMES.contains(&name) {
            if let Some(meant) = nearest(name, NAMES) {
                self.diagnostics.push(unknown(&attribute.name.kind, attribute.name.span, meant));
            }
            return Ok(());
        }
        let [value] = attribute.values.as_slice() else {
            let message = format!("`-{name}` has one value");
            return Err(Diagnostic::error("erlang::attribute", message, attribute.name.span, "")
                .help(format!("it is written {}", shape(name))));
        };
        match name {
            "property" => self.property(value),
            "domain" => {
                for text in parts(value) {
                    let text_of = text.as_string().ok_or_else(|| wrong(name, text.span))?;
                    let place = self.inside(text, text_of).unwrap_or(text.span);
                    self.declarations.domains.push((text_of.clone(), place));
                }
                Ok(())
            }
            _ => {
                for function in parts(value) {
                    let known = function.as_name_arity().ok_or_else(|| wrong(name, function.span))?;
                    let function = Node::new(function.span, known);
                    self.check_function(&function)?;
                    let list = if name == "server" {
                        &mut self.declarations.servers
                    } else {
                        &mut self.declarations.terminating
                    };
                    list.push(function);
                }
                Ok(())
            }
        }
    }

    fn property(&mut self, value: &Expr) -> Result<(), Diagnostic> {
        let ExprKind::Tuple(elements) = &value.kind else { return Err(wrong("property", value.span)) };
        let [name, text, rest @ ..] = elements.as_slice() else { return Err(wrong("property", value.span)) };
        let name_text = name.as_atom().ok_or_else(|| wrong("property", name.span))?;
        let formula_text = text.as_string().ok_or_else(|| wrong("property", text.span))?;
        let (expect, options) = match rest {
            [] => (None, None),
            [Expr { kind: ExprKind::List { .. } | ExprKind::Nil, .. }] => (None, rest.first()),
            [expect] => (Some(verdict(expect)?), None),
            [expect, options] => (Some(verdict(expect)?), Some(options)),
            [.., last] => return Err(wrong("property", last.span)),
        };
        if let Some(earlier) = self.declarations.properties.iter().find(|one| one.name == *name_text) {
            let message = format!("a property `{name_text}` is declared already");
            return Err(Diagnostic::error("erlang::attribute", message, name.span, "declared again")
                .context(earlier.name_span, "declared here"));
        }
        let inside = self.inside(text, formula_text);
        let place = inside.unwrap_or(text.span);
        match formula::parse_at(formula_text, place, inside.is_some()) {
            Ok(formula) => self.declarations.properties.push(DeclaredProperty {
                name: name_text.clone(),
                name_span: name.span,
                span: place,
                formula,
                expect,
                options: options.map(listed).transpose()?.unwrap_or_default(),
            }),
            Err(diagnostics) => self.diagnostics.extend(diagnostics),
        }
        Ok(())
    }

    /// The place of a string's text, if the string is written as it reads.
    fn inside(&self, string: &Expr, text: &str) -> Option<Span> {
        let written = self.sources.text(string.span).strip_prefix('"')?.strip_suffix('"')?;
        (written == text).then(|| Span::new(string.span.start + 1, string.span.end - 1))
    }

    /// An error unless the module has the function.
    fn check_function(&self, function: &FunctionName) -> Result<(), Diagnostic> {
        let known = || self.module.functions().map(|known| (&*known.name.kind, known.arity));
        let wanted = (&*function.kind.name, function.kind.arity);
        if known().any(|one| one == wanted) {
            return Ok(());
        }
        let message = format!("the module has no function `{}/{}`", wanted.0, wanted.1);
        let diagnostic = Diagnostic::error("erlang::attribute", message, function.span, "");
        let same_name = known().find(|(name, _)| *name == wanted.0);
        let nearest = nearest(wanted.0, known().map(|(name, _)| name));
        let near = same_name.or_else(|| known().find(|(name, _)| nearest == Some(*name)));
        Err(match near {
            Some((name, arity)) => diagnostic.help(format!("did you mean `{name}/{arity}`?")),
            None => diagnostic,
        })
    }
}

/// The elements of a list; or the one value.
fn parts(value: &Expr) -> &[Expr] {
    match &value.kind {
        ExprKind::List { elements, tail: None } => elements,
        ExprKind::Nil => &[],
        _ => std::slice::from_ref(value),
    }
}

/// The elements of a list of options.
fn listed(value: &Expr) -> Result<Vec<Expr>, Diagnostic> {
    match &value.kind {
        ExprKind::List { tail: None, .. } | ExprKind::Nil => Ok(parts(value).to_vec()),
        _ => Err(wrong("property", value.span)),
    }
}

fn verdict(expr: &Expr) -> Result<Expect, Diagnostic> {
    const VERDICTS: [(&str, Expect); 4] = [
        ("holds", Expect::Holds),
        ("violated", Expect::Violated),
        ("may_be_violated", Expect::MayBeViolated),
        ("may-be-violated", Expect::MayBeViolated),
    ];
    let name = expr.as_atom().ok_or_else(|| wrong("property", expr.span))?;
    let known = VERDICTS.iter().find(|(text, _)| *text == &**name);
    known.map(|(_, verdict)| *verdict).ok_or_else(|| {
        let message = format!("`{name}` is no verdict");
        Diagnostic::error("erlang::attribute", message, expr.span, "")
            .help("a property is expected to be `holds`, `violated` or `may_be_violated`")
    })
}

/// A value that an attribute cannot have.
fn wrong(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("erlang::attribute", format!("`-{name}` cannot have this value"), span, "")
        .help(format!("it is written {}", shape(name)))
}

fn shape(name: &str) -> &'static str {
    match name {
        "property" => {
            "`-property({name, \"formula\"}).`, perhaps with a verdict and options: `-property({name, \"formula\", violated, [{fair, weak}]}).`"
        }
        "domain" => "`-domain(\"depth(2)\").`",
        "server" => "`-server(loop/1).`",
        _ => "`-terminating(size/1).`",
    }
}

fn unknown(name: &str, span: Span, meant: &str) -> Diagnostic {
    let message = format!("the attribute `-{name}` has no meaning");
    Diagnostic::warning("erlang::attribute", message, span, "ignored")
        .help(format!("did you mean `-{meant}`?"))
}
