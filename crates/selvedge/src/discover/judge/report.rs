//! Laws as they are reported: with names, evidence, and the relation under each interference.

use super::Found;
use super::consequence::each_pair;
use crate::discover::engine::Engine;
use crate::discover::law::{Evidence, Law, Laws};
use crate::discover::names::Names;
use crate::discover::table::Containment;
use crate::discover::term::named::{Relation, Statement};
use std::collections::BTreeSet;

/// The laws, by their lists.
pub(super) fn laws(engine: &mut Engine, found: &[Found], lists: usize) -> Vec<Laws> {
    engine.figures.time = engine.elapsed();
    let list = |number: usize| {
        let laws =
            found.iter().filter(|found| found.list == number).map(|found| law(engine, found)).collect();
        Laws {
            name: None,
            laws,
            unsupported: Vec::new(),
            left_out: engine.left_out.clone(),
            notes: engine.notes.clone(),
            figures: engine.figures,
            is_complete: !engine.is_cut_short,
        }
    };
    (0..lists).map(list).collect()
}

fn law(engine: &Engine, found: &Found) -> Law {
    Law {
        statement: statement(engine, found),
        under: under(engine, found),
        evidence: evidence(engine, found),
        witness: None,
    }
}

/// What the law says.
pub(crate) fn statement(engine: &Engine, found: &Found) -> Statement {
    let sides = [found.left.term(engine), found.right.term(engine)];
    let names = Names::of_variables(&engine.vocabulary, &sides, &found.types);
    let [left, right] = sides.map(|side| names.term(&engine.vocabulary, &side));
    Statement { under: Vec::new(), when: Vec::new(), left, relation: found.relation, right }
}

/// The relation under each interference.
fn under(engine: &Engine, found: &Found) -> Vec<(String, Relation)> {
    let seeds = engine.seeds.len();
    let mut related = vec![Containment::Equal; engine.vocabulary.interferences.len()];
    each_pair(engine, found, |left, right| {
        let [left, right] =
            [left, right].map(|ground| engine.table.sets_of(engine.observed[ground as usize]));
        for (place, (one, other)) in left.iter().zip(right).enumerate() {
            let related = &mut related[place / seeds];
            *related = related.and(engine.table.compare_sets(*one, *other));
        }
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

fn evidence(engine: &Engine, found: &Found) -> Evidence {
    let (mut grounds, mut assignments) = (BTreeSet::new(), 0);
    each_pair(engine, found, |left, right| {
        grounds.extend([left, right]);
        assignments += 1;
        true
    });
    let cells = engine.seeds.len() * engine.vocabulary.interferences.len();
    let sum = |part: fn(&(u32, u32)) -> u32| {
        grounds.iter().map(|ground| part(&engine.runs[*ground as usize]) as usize).sum()
    };
    Evidence {
        seeds: engine.seeds.len(),
        assignments,
        explorations: grounds.len() * cells,
        runs: sum(|(runs, _)| *runs),
        unobserved: sum(|(_, unobserved)| *unobserved),
        is_complete: true,
    }
}
