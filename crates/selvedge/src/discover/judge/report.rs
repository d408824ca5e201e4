//! Laws as they are reported: with names, evidence, witnesses, and the relation under each interference.

use super::FoundLaw;
use super::consequence::each_pair;
use crate::discover::behaviour::{Experiment, Seen, behaviour, explorer};
use crate::discover::engine::{Engine, GroundId, at, odometer_while};
use crate::discover::law::{Evidence, Law, Laws, Witness};
use crate::discover::names::Names;
use crate::discover::table::{Containment, SetId};
use crate::discover::term::ground::world_of;
use crate::discover::term::named::{Relation, Statement};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The laws, by their lists.
pub(super) fn laws(
    engine: &mut Engine,
    found: &[FoundLaw],
    unsupported: &[FoundLaw],
    lists: usize,
) -> Vec<Laws> {
    if !unsupported.is_empty() {
        engine.notes.push("some explorations were cut short; they support no law".to_owned());
    }
    let of_list = |all: &[FoundLaw], number: usize| -> Vec<Law> {
        all.iter().filter(|found| found.list == number).map(|found| law(engine, found)).collect()
    };
    let mut lists: Vec<Laws> = (0..lists)
        .map(|number| Laws {
            name: None,
            laws: of_list(found, number),
            unsupported: of_list(unsupported, number),
            left_out: engine.left_out.clone(),
            notes: engine.notes.clone(),
            figures: engine.figures,
            is_complete: !engine.is_cut_short && unsupported.is_empty() && engine.skipped == 0,
        })
        .collect();
    engine.figures.time = engine.elapsed();
    lists.iter_mut().for_each(|list| list.figures.time = engine.figures.time);
    lists
}

fn law(engine: &Engine, found: &FoundLaw) -> Law {
    let sides = [found.left.term(engine), found.right.term(engine)];
    let names = Names::of_variables(&engine.vocabulary, &sides, &found.types);
    let [left, right] = sides.map(|side| names.term(&engine.vocabulary, &side));
    let when = found.condition.as_ref().map_or_else(Vec::new, |condition| condition.texts(&names.names));
    Law {
        statement: Statement { under: Vec::new(), when, left, relation: found.relation, right },
        under: under(engine, found),
        evidence: evidence(engine, found),
        witness: if found.relation == Relation::Equal { None } else { witness(engine, found, &names) },
    }
}

/// Calls the function with the sets of both sides, the number of the interference and that of the seed.
fn each_cell(
    engine: &Engine,
    found: &FoundLaw,
    pair: (GroundId, GroundId),
    mut visit: impl FnMut(SetId, SetId, usize, usize),
) {
    let seeds = engine.seeds.len();
    let row = |ground: GroundId| engine.table.sets_of(engine.observed[ground as usize]);
    for (place, (one, other)) in row(pair.0).iter().zip(row(pair.1)).enumerate() {
        let seed = place % seeds;
        if found.condition.as_ref().is_none_or(|condition| condition.admits_seed(seed)) {
            visit(*one, *other, place / seeds, seed);
        }
    }
}

/// The relation under each interference.
fn under(engine: &Engine, found: &FoundLaw) -> Vec<(String, Relation)> {
    let mut related = vec![Containment::Equal; engine.vocabulary.interferences.len()];
    each_pair(engine, found, |left, right| {
        each_cell(engine, found, (left, right), |one, other, interference, _| {
            let related = &mut related[interference];
            *related = related.and(engine.table.compare_sets(one, other));
        });
        true
    });
    let relation = |related| match related {
        Containment::Equal => Relation::Equal,
        Containment::Less => Relation::Refines,
        Containment::Greater => Relation::Refined,
        Containment::Neither => unreachable!("a law relates its sides under every interference"),
    };
    engine.vocabulary.interferences.iter().cloned().zip(related.into_iter().map(relation)).collect()
}

fn evidence(engine: &Engine, found: &FoundLaw) -> Evidence {
    let (mut grounds, mut assignments) = (BTreeSet::new(), 0);
    each_pair(engine, found, |left, right| {
        grounds.extend([left, right]);
        assignments += 1;
        true
    });
    let admits = |seed: &usize| found.condition.as_ref().is_none_or(|condition| condition.admits_seed(*seed));
    let seeds = (0..engine.seeds.len()).filter(admits).count();
    let sum = |part: fn(&(u32, u32)) -> u32| {
        grounds.iter().map(|ground| part(&engine.runs[*ground as usize]) as usize).sum()
    };
    let is_complete =
        grounds.iter().all(|ground| engine.table.is_complete(engine.observed[*ground as usize]));
    Evidence {
        seeds,
        assignments,
        explorations: grounds.len() * seeds * engine.vocabulary.interferences.len(),
        runs: sum(|(runs, _)| *runs),
        unobserved: sum(|(_, unobserved)| *unobserved),
        is_complete,
    }
}

/// A behaviour that only the greater side has, with a run: that of the first row in which the sides differ.
fn witness(engine: &Engine, found: &FoundLaw, names: &Names) -> Option<Witness> {
    let sizes: Vec<usize> = found.types.iter().map(|of| engine.domain_size(*of)).collect();
    let sides = if found.relation == Relation::Refines {
        [&found.left, &found.right]
    } else {
        [&found.right, &found.left]
    };
    let strides = sides.map(|side| side.strides(engine, found.types.len()));
    let grids = sides.map(|side| &engine.schemas[side.schema].grid);
    let mut first = None;
    odometer_while(&sizes, |places| {
        let is_admitted = found.condition.as_ref().is_none_or(|condition| condition.admits(places));
        let pair = (grids[0][at(places, &strides[0])], grids[1][at(places, &strides[1])]);
        if is_admitted {
            each_cell(engine, found, pair, |less, greater, interference, seed| {
                if first.is_none() && engine.table.compare_sets(less, greater) == Containment::Less {
                    first = Some((places.to_vec(), pair.1, less, greater, interference, seed));
                }
            });
        }
        first.is_none()
    });
    let (places, ground, less, greater, interference, seed) = first?;
    let of_less = &engine.table.get_set(less).seen;
    let extra = engine.table.get_set(greater).seen.iter().find(|seen| !of_less.contains(seen))?;
    let extra = engine.table.get_seen(*extra);
    let run = run_of(engine, ground, interference, seed, extra)?;
    let value = |variable: usize| {
        let value = engine.domains[usize::from(found.types[variable])][places[variable]];
        format!("{:?}", engine.values.get(value))
    };
    Some(Witness {
        seed: format!("{:?}", engine.seeds[seed]),
        assignment: (0..places.len())
            .map(|variable| (names.names[variable].clone(), value(variable)))
            .collect(),
        interference: engine.vocabulary.interferences[interference].clone(),
        outcome: extra.to_string(),
        run,
    })
}

/// The simplest run of a ground term with this behaviour.
fn run_of(
    engine: &Engine,
    ground: GroundId,
    interference: usize,
    seed: usize,
    wanted: &Seen,
) -> Option<selvedge_explore::Trace> {
    let world = &engine.worlds[world_of(engine.grounds.get(ground), &engine.vocabulary)];
    let experiment = Experiment {
        vocabulary: engine.vocabulary.clone(),
        program: Arc::new(engine.program(ground)),
        seed: engine.seeds[seed].clone(),
        interference,
        wants_result: engine.limits.compares_results,
        wants_state: false,
    };
    let report = explorer(&engine.limits, &engine.name).simplify(true).explore(|| world.run(&experiment));
    let found = report.outcomes().iter().find(|(outcome, _)| behaviour(outcome).as_ref() == Some(wanted));
    found.map(|(_, run)| run.clone())
}
