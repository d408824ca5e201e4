//! The reduced product of integer domains (Cousot and Cousot, 1979): what all of them know about a number.
//!
//! A tuple of elements stands for the numbers that each of its elements stands for. Tuples that stand for
//! no number are dropped, and of tuples that stand for the same numbers one is kept, with the shortest
//! name. The regions of the product are the common refinement of those of its components, so operations
//! on the product know more than the operations of the components: `even&pos` minus `odd&neg` is
//! `odd&pos`.
//!
//! Promise: a ⊑ b in the product if, and only if, every number that b stands for is one that a stands for.

use super::bit_set::BitSet;
use super::integers::{ANY_INTEGER, Element, IntegerDomain, MAX_ELEMENTS, Parts};
use super::order::Order;
use super::regions::{Grid, Regions};
use super::rows::{Component, Rows};
use rustc_hash::FxHashMap;

/// Names that are kept of tuples that stand for the same numbers.
const MAX_NAMES: usize = 8;

/// The product of at least one domain; an error is a sentence.
pub(super) fn product(domains: Vec<IntegerDomain>) -> Result<IntegerDomain, String> {
    match <[IntegerDomain; 1]>::try_from(domains) {
        Ok([only]) => Ok(only),
        Err(domains) => of_several(&domains),
    }
}

fn of_several(domains: &[IntegerDomain]) -> Result<IntegerDomain, String> {
    let mut grid = Grid::default();
    domains.iter().for_each(|domain| grid.merge(&domain.regions.grid()));
    let too_many = || format!("the product distinguishes more than {MAX_ELEMENTS} sets of integers");
    let regions = Regions::new(&grid).ok_or_else(too_many)?;
    // For each component and each of its elements, the regions of the product.
    let gammas: Vec<Vec<BitSet>> = domains.iter().map(|domain| refined(domain, &regions)).collect();
    let tuples = Tuples::of(domains, &gammas, regions.len()).ok_or_else(too_many)?;
    let element_of: FxHashMap<BitSet, Element> =
        tuples.sets.iter().enumerate().map(|(index, set)| (*set, Element::new(index))).collect();
    let alpha = (0..regions.len()).map(|region| {
        let number = regions.representative(region);
        let elements = domains.iter().zip(&gammas).map(|(domain, gamma)| gamma[domain.alpha(number).index()]);
        element_of[&elements.fold(BitSet::below(regions.len()), |all, set| all.intersection(&set))]
    });
    let mut product = IntegerDomain::new(Parts {
        name: domains.iter().map(IntegerDomain::domain_name).collect::<Vec<_>>().join(" * "),
        names: tuples.names,
        aliases: tuples.aliases,
        order: Order::of_sets(&tuples.sets),
        alpha: alpha.collect(),
        regions,
    });
    product.assumptions = domains.iter().flat_map(|domain| domain.assumptions.iter().cloned()).collect();
    let components =
        domains.iter().zip(gammas).filter_map(|(domain, gamma)| component(domain, gamma, &product));
    product.rows = Rows::Product(components.collect());
    Ok(product)
}

/// For each element, its regions of a finer division.
fn refined(domain: &IntegerDomain, fine: &Regions) -> Vec<BitSet> {
    let coarse = fine.inside(&domain.regions);
    let set = |element: Element| {
        let is_inside = |region: &usize| domain.gamma_of(element).contains(coarse[*region]);
        (0..fine.len()).filter(is_inside).collect()
    };
    domain.elements().map(set).collect()
}

/// A component with rows, as seen from the product.
fn component(domain: &IntegerDomain, gamma: Vec<BitSet>, product: &IntegerDomain) -> Option<Component> {
    let Rows::Own(rows) = &domain.rows else { return None };
    if rows.unary.is_empty() && rows.binary.is_empty() {
        return None;
    }
    let project = |element: Element| {
        let set = product.gamma_of(element);
        let covers = domain.elements().filter(|own| set.is_subset(&gamma[own.index()]));
        covers.min_by_key(|own| gamma[own.index()].len()).unwrap_or(domain.least())
    };
    let projection = product.elements().map(project).collect();
    Some(Component { rows: rows.clone(), projection, gamma })
}

/// The tuples that are kept.
#[derive(Default)]
struct Tuples {
    sets: Vec<BitSet>,
    names: Vec<String>,
    aliases: FxHashMap<String, Element>,
}

impl Tuples {
    /// `None` if there are too many.
    fn of(domains: &[IntegerDomain], gammas: &[Vec<BitSet>], regions: usize) -> Option<Tuples> {
        let mut known: Vec<Tuple> = vec![Tuple { set: BitSet::below(regions), names: vec![Vec::new()] }];
        for (domain, gamma) in domains.iter().zip(gammas) {
            let mut index_of: FxHashMap<BitSet, usize> = FxHashMap::default();
            let mut next: Vec<Tuple> = Vec::new();
            for tuple in &known {
                for element in domain.elements() {
                    let set = tuple.set.intersection(&gamma[element.index()]);
                    let name = (element != domain.least()).then(|| domain.name(element));
                    let names = tuple.names.iter().map(|names| [names.as_slice(), &[name]].concat());
                    let index = *index_of.entry(set).or_insert(next.len());
                    match next.get_mut(index) {
                        Some(same) => same.names.extend(names),
                        None => next.push(Tuple { set, names: names.collect() }),
                    }
                }
            }
            next.retain(|tuple| !tuple.set.is_empty());
            for tuple in &mut next {
                tuple.names.sort_by_key(|names| names.iter().flatten().count());
                tuple.names.truncate(MAX_NAMES);
            }
            if next.len() > MAX_ELEMENTS {
                return None;
            }
            known = next;
        }
        Some(Tuples::named(known))
    }

    fn named(tuples: Vec<Tuple>) -> Tuples {
        let mut all = Tuples::default();
        for (index, tuple) in tuples.into_iter().enumerate() {
            let names = || tuple.names.iter().flat_map(|names| [short_name(names), long_name(names)]);
            let free = names().find(|name| !all.aliases.contains_key(name));
            // Quoted names may look like those of tuples.
            all.names.push(free.unwrap_or_else(|| format!("{}#{index}", long_name(&tuple.names[0]))));
            for name in names() {
                all.aliases.entry(name).or_insert(Element::new(index));
            }
            all.sets.push(tuple.set);
        }
        all
    }
}

/// Tuples that stand for the same numbers; `None` in place of a least element.
struct Tuple<'a> {
    set: BitSet,
    names: Vec<Vec<Option<&'a str>>>,
}

/// The names without least elements, `even&pos`.
fn short_name(names: &[Option<&str>]) -> String {
    let parts: Vec<&str> = names.iter().flatten().copied().collect();
    if parts.is_empty() { ANY_INTEGER.to_owned() } else { parts.join("&") }
}

/// Every name, `even&?int`.
fn long_name(names: &[Option<&str>]) -> String {
    names.iter().map(|name| name.unwrap_or(ANY_INTEGER)).collect::<Vec<_>>().join("&")
}
