//! From the syntax tree of a file to its domain.
//!
//! Names are resolved, the order is closed and checked, `?int` is added where no value is below all others,
//! and `alpha` is evaluated on each region. A value is superfluous if it is not the greatest lower bound of
//! α(n) for the numbers n that it stands for (Huch, Lemma 1.2): it stands for no number, or for the same
//! numbers as another value. Regions make that exact.

use super::super::bit_set::CAPACITY;
use super::super::integers::{ANY_INTEGER, Element, IntegerDomain, MAX_ELEMENTS, Outcome, Parts};
use super::super::order::Order;
use super::super::regions::{Grid, Regions};
use super::super::rows::{Rows, WrittenRows};
use super::check;
use super::tree::{Name, Row, RowHead, RowResult, Tree};
use crate::syntax::suggest::nearest;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::source::{Source, Span};

/// The domain, if there are no errors.
pub(super) fn build(
    tree: &Tree,
    source: &Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<IntegerDomain> {
    let names = Names::declare(tree, diagnostics)?;
    let order = order(tree, &names, diagnostics)?;
    let (regions, alpha) = alpha(tree, &names, diagnostics)?;
    let mut domain = IntegerDomain::new(Parts {
        name: tree.name.as_ref().map_or_else(|| source.name.clone(), |name| name.text.clone()),
        names: names.texts.clone(),
        aliases: FxHashMap::default(),
        order,
        regions,
        alpha,
    });
    superfluous(tree, &domain, diagnostics);
    let rows = rows(tree, &names, diagnostics)?;
    domain.assumptions = check::check(&domain, &rows, source, diagnostics);
    domain.rows = Rows::Own(written(&rows));
    Some(domain)
}

/// The values of a domain.
struct Names {
    texts: Vec<String>,
    by_text: FxHashMap<String, Element>,
}

impl Names {
    fn declare(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Option<Names> {
        let mut names = Names { texts: Vec::new(), by_text: FxHashMap::default() };
        let mut is_right = true;
        for value in &tree.values {
            let is_new = names.add(&value.text);
            if !is_new {
                let message = format!("`{}` is declared twice", value.text);
                diagnostics.push(Diagnostic::error("domain::values", message, value.span, ""));
            }
            is_right &= is_new;
        }
        if tree.values.is_empty() {
            let message = "the domain has no values";
            let help = "declare them: `values even, odd`";
            diagnostics.push(Diagnostic::error("domain::values", message, Span::default(), "").help(help));
            return None;
        }
        if !names.by_text.contains_key(ANY_INTEGER) && (names.mentions_any(tree) || !names.has_least(tree)) {
            names.add(ANY_INTEGER);
        }
        if names.texts.len() > MAX_ELEMENTS {
            let message = format!("the domain has more than {MAX_ELEMENTS} values");
            diagnostics.push(Diagnostic::error(
                "domain::values",
                message,
                tree.values[MAX_ELEMENTS - 1].span,
                "",
            ));
            return None;
        }
        is_right.then_some(names)
    }

    /// `false` if there is a value with this name.
    fn add(&mut self, text: &str) -> bool {
        let is_new = !self.by_text.contains_key(text);
        if is_new {
            self.by_text.insert(text.to_owned(), Element::new(self.texts.len()));
            self.texts.push(text.to_owned());
        }
        is_new
    }

    /// Does the file say `?int`, without declaring it?
    fn mentions_any(&self, tree: &Tree) -> bool {
        let in_order = tree.order.iter().flat_map(|(low, high)| [low, high]);
        let in_rows = tree.rows.iter().flat_map(|row| {
            let operands = match &row.head {
                RowHead::Unary(_, a) => vec![a],
                RowHead::Binary(_, a, b) | RowHead::Compare(_, a, b) => vec![a, b],
            };
            let results = match &row.result {
                RowResult::Outcomes { values, .. } => values.as_slice(),
                RowResult::Truth(_) => &[],
            };
            operands.into_iter().chain(results)
        });
        let in_alpha = tree.alpha.iter().map(|clause| &clause.value);
        in_order.chain(in_rows).chain(in_alpha).any(|name| name.text == ANY_INTEGER)
    }

    /// Is one of the declared values below all others? Unknown names are reported later.
    fn has_least(&self, tree: &Tree) -> bool {
        if self.texts.len() > CAPACITY {
            return true;
        }
        let element = |name: &Name| self.by_text.get(&name.text).map(|element| element.index());
        let pairs: Vec<(usize, usize)> =
            tree.order.iter().filter_map(|(low, high)| Some((element(low)?, element(high)?))).collect();
        Order::new(self.texts.len(), &pairs).is_ok_and(|order| order.least().is_some())
    }

    /// The value with this name, or an error.
    fn find(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Option<Element> {
        let found = self.by_text.get(&name.text).copied();
        if found.is_none() {
            let message = format!("`{}` is not a value of this domain", name.text);
            let mut error = Diagnostic::error("domain::unknown-value", message, name.span, "not declared");
            if let Some(near) = nearest(&name.text, self.texts.iter().map(String::as_str)) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            diagnostics.push(error);
        }
        found
    }
}

/// The order, closed. A pair that closes a cycle is an error.
fn order(tree: &Tree, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Option<Order> {
    let len = names.texts.len();
    // `?int` is below everything, whatever the file says of it.
    let any = names.by_text.get(ANY_INTEGER).map(|any| any.index());
    let mut pairs: Vec<(usize, usize)> = match any {
        Some(any) => (0..len).filter(|other| *other != any).map(|other| (any, other)).collect(),
        None => Vec::new(),
    };
    let added = pairs.len();
    let found: Vec<Option<(usize, usize)>> = tree
        .order
        .iter()
        .map(|(low, high)| (names.find(low, diagnostics), names.find(high, diagnostics)))
        .map(|(low, high)| Some((low?.index(), high?.index())))
        .collect();
    pairs.extend(found.into_iter().collect::<Option<Vec<_>>>()?);
    let is_order = |pairs: &[(usize, usize)]| {
        pairs.iter().all(|(low, high)| low != high) && Order::new(len, pairs).is_ok()
    };
    if is_order(&pairs) {
        return Order::new(len, &pairs).ok();
    }
    // The pairs before the one that closes the first cycle are an order, and no longer part is one.
    let counts: Vec<usize> = (added..pairs.len()).collect();
    let last = counts.partition_point(|count| is_order(&pairs[..=*count]));
    let (low, high) = &tree.order[last];
    let message = match low.text == high.text {
        true => format!("`{}` is below itself", low.text),
        false => format!("`{}` and `{}` are each below the other", low.text, high.text),
    };
    let label = "with this, the order has a cycle";
    let help = "the more precise value is the larger one: `?int < even`";
    let error = Diagnostic::error("domain::order", message, low.span.to(high.span), label);
    diagnostics.push(error.help(help));
    None
}

/// The regions of the tests, and the value of each.
fn alpha(tree: &Tree, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Option<(Regions, Vec<Element>)> {
    let mut grid = Grid::default();
    tree.alpha.iter().filter_map(|clause| clause.condition.as_ref()).for_each(|test| test.divide(&mut grid));
    let values: Vec<Option<Element>> =
        tree.alpha.iter().map(|clause| names.find(&clause.value, diagnostics)).collect();
    let values: Vec<Element> = values.into_iter().collect::<Option<_>>()?;
    let span = tree.alpha.iter().map(|clause| clause.span).reduce(Span::to).unwrap_or_default();
    let Some(regions) = Regions::new(&grid) else {
        let message = format!("`alpha` distinguishes more than {CAPACITY} sets of integers");
        let help = "use fewer constants, or remainders by smaller numbers";
        diagnostics.push(Diagnostic::error("domain::alpha", message, span, "").help(help));
        return None;
    };
    let mut is_used = vec![false; tree.alpha.len()];
    let mut alpha = Vec::new();
    for region in 0..regions.len() {
        let n = regions.representative(region);
        let fits = |clause: &super::tree::Clause| clause.condition.as_ref().is_none_or(|test| test.holds(n));
        let Some(clause) = tree.alpha.iter().position(fits) else {
            let message = format!("`alpha` has no value for {}", shown(n));
            let help = "end with `otherwise -> …`";
            diagnostics.push(Diagnostic::error("domain::alpha", message, span, "").help(help));
            return None;
        };
        is_used[clause] = true;
        alpha.push(values[clause]);
    }
    for (clause, _) in tree.alpha.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
        let message = "no number reaches this line of `alpha`";
        diagnostics.push(Diagnostic::warning(
            "domain::alpha",
            message,
            clause.span,
            "earlier lines have them all",
        ));
    }
    Some((regions, alpha))
}

/// Warns of values that add nothing.
fn superfluous(tree: &Tree, domain: &IntegerDomain, diagnostics: &mut Vec<Diagnostic>) {
    for (value, element) in tree.values.iter().zip(domain.elements()) {
        let images = domain.gamma_of(element).iter().map(|region| domain.alpha[region].index());
        let meet = domain.order.meet(images);
        let label = if domain.is_empty(element) {
            "it stands for no number".to_owned()
        } else {
            match meet.map(Element::new) {
                Some(same) if same == element => continue,
                Some(same) => format!("it stands for the same numbers as `{}`", domain.name(same)),
                None => "other values stand for the same numbers".to_owned(),
            }
        };
        let message = format!("`{}` is superfluous", value.text);
        let help = "propositions about it may stay unknown; leave the value out";
        diagnostics.push(Diagnostic::warning("domain::superfluous", message, value.span, label).help(help));
    }
}

/// A row with its names resolved.
pub(super) struct ResolvedRow<'a> {
    pub(super) row: &'a Row,
    pub(super) operands: Vec<Element>,
    pub(super) outcomes: Vec<Outcome>,
}

fn rows<'a>(
    tree: &'a Tree,
    names: &Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<ResolvedRow<'a>>> {
    let mut resolved: Vec<ResolvedRow> = Vec::new();
    let mut first: FxHashMap<(&'static str, Vec<Element>), Span> = FxHashMap::default();
    let mut is_right = true;
    for row in &tree.rows {
        let (operator, operands) = match &row.head {
            RowHead::Unary(operation, a) => (operation.name(), vec![a]),
            RowHead::Binary(operation, a, b) => (operation.name(), vec![a, b]),
            RowHead::Compare(comparison, a, b) => (comparison.name(), vec![a, b]),
        };
        let operands: Vec<Option<Element>> =
            operands.into_iter().map(|name| names.find(name, diagnostics)).collect();
        let (values, error): (&[Name], bool) = match &row.result {
            RowResult::Outcomes { values, error } => (values, *error),
            RowResult::Truth(_) => (&[], false),
        };
        let integers: Vec<Option<Element>> =
            values.iter().map(|name| names.find(name, diagnostics)).collect();
        let operands = operands.into_iter().collect::<Option<Vec<Element>>>();
        let integers = integers.into_iter().collect::<Option<Vec<Element>>>();
        let (Some(operands), Some(integers)) = (operands, integers) else {
            is_right = false;
            continue;
        };
        if let Some(before) = first.insert((operator, operands.clone()), row.span) {
            let message = "the result of this operation is written twice";
            let error = Diagnostic::error("domain::duplicate-row", message, row.span, "again");
            diagnostics.push(error.context(before, "first here").help("separate several results by commas"));
            is_right = false;
        }
        let integers = integers.into_iter().map(Outcome::Integer);
        let mut outcomes: Vec<Outcome> = integers.chain(error.then_some(Outcome::Error)).collect();
        outcomes.sort_unstable();
        outcomes.dedup();
        resolved.push(ResolvedRow { row, operands, outcomes });
    }
    is_right.then_some(resolved)
}

fn written(rows: &[ResolvedRow]) -> WrittenRows {
    let mut written = WrittenRows::default();
    for ResolvedRow { row, operands, outcomes } in rows {
        match (&row.head, &row.result) {
            (RowHead::Unary(operation, _), _) => {
                written.unary.insert((*operation, operands[0]), outcomes.clone());
            }
            (RowHead::Binary(operation, ..), _) => {
                written.binary.insert((*operation, operands[0], operands[1]), outcomes.clone());
            }
            (RowHead::Compare(comparison, ..), RowResult::Truth(truth)) => {
                written.comparisons.insert((*comparison, operands[0], operands[1]), *truth);
            }
            (RowHead::Compare(..), RowResult::Outcomes { .. }) => {}
        }
    }
    written
}

/// A number in a message; a long one is cut.
pub(super) fn shown(n: &BigInt) -> String {
    let digits = n.to_string();
    if digits.len() <= 24 { digits } else { format!("{}… ({} digits)", &digits[..20], digits.len()) }
}
