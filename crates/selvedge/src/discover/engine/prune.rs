//! Which schemas and arguments are left out of larger ones.
//!
//! Neither relation of laws is a congruence: observed by `peek`, `push x1` and `push x >> push x1` are
//! equal, and `>> pop` tells them apart. A schema is left out only where nothing is lost. It takes one step
//! in every run, so no other thread sees it half done; and either it never fails and leaves the state as it
//! is (neutral, Walker's thesis, §7.3.3), or another one is equal to it in results, failures and the whole
//! state, alone and under every interference. Arguments are left out if another one has the same value
//! always.

use super::explained::Same;
use super::{Engine, GroundId, Instance, odometer};
use crate::discover::behaviour::{Experiment, explorer};
use crate::discover::judge::{Fingerprint, View, normal_orders};
use crate::discover::names::Names;
use crate::discover::signature::{Datum, TypeIndex};
use crate::discover::term::generate::{Arguments, Holed, PartUse};
use crate::discover::term::ground::{Grounder, Program, ValueId, world_of};
use crate::discover::term::{Argument, partition};
use selvedge_explore::ThreadId;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is known of schemas and arguments, by the fingerprints of their normal forms.
#[derive(Default)]
pub(super) struct Known {
    fingerprint: Fingerprint,
    schemas: HashMap<u128, usize>,
    /// By their values: see [`Engine::extend_arguments`].
    arguments: HashMap<ArgumentForm, ()>,
    /// Whether each ground term takes one step at most.
    is_one_step: HashMap<GroundId, bool>,
}

/// The signature of an argument, its type, the types of its variables, and its values.
type ArgumentForm = (usize, TypeIndex, Vec<u16>, Vec<Option<ValueId>>);

impl Engine {
    /// Makes the arguments of the next size.
    pub(super) fn extend_arguments(&mut self, arguments: &mut Arguments, world: usize) {
        let vocabulary = self.vocabulary.clone();
        let is_pruned = self.limits.pruning.congruent;
        arguments.extend(&vocabulary, world, &mut |argument: &Holed<Argument>, of: TypeIndex| {
            !is_pruned
                || self.assignments(&argument.holes) > self.limits.max_assignments
                || self.is_new_argument(argument, of, world)
        });
    }

    /// Whether no argument before has the same value always.
    fn is_new_argument(&mut self, argument: &Holed<Argument>, of: TypeIndex, world: usize) -> bool {
        let sizes: Vec<usize> = argument.holes.iter().map(|of| self.domain_size(*of)).collect();
        let kinds: Vec<u16> = argument.holes.iter().map(|of| u16::from(*of)).collect();
        let (domains, pures, constants) = (&self.domains, &self.vocabulary.pures, &self.constants);
        let mut grounder = Grounder { values: &mut self.values, pures, constants };
        let mut value_at = |order: &[usize], places: &[usize]| {
            let mut assignment: Vec<ValueId> =
                argument.holes.iter().map(|of| domains[usize::from(*of)][0]).collect();
            for (hole, place) in order.iter().zip(places) {
                assignment[*hole] = domains[usize::from(argument.holes[*hole])][*place];
            }
            grounder.value(&argument.term, &assignment)
        };
        let mut along = |order: &[usize]| {
            let (mut values, sizes) = (Vec::new(), order.iter().map(|hole| sizes[*hole]).collect::<Vec<_>>());
            odometer(&sizes, |places| values.push(value_at(order, places)));
            values
        };
        let all: Vec<usize> = (0..sizes.len()).collect();
        let values = along(&all);
        if values.contains(&None) {
            return true; // a function that panics says so in its own way
        }
        let orders = normal_orders(&values, &kinds, &sizes);
        let forms = orders.iter().map(|order| (along(order), order));
        let (values, order) = forms.min().expect("there is an order");
        let form = (world, of, order.iter().map(|hole| kinds[*hole]).collect(), values);
        self.known.arguments.insert(form, ()).is_none()
    }

    /// Marks the schemas from this number on that larger ones need not be made of.
    pub(super) fn mark_parts(&mut self, first_new: usize) {
        let initial: Vec<Option<Vec<Datum>>> =
            (0..self.worlds.len()).map(|world| self.initial_states(world)).collect();
        for schema in first_new..self.schemas.len() {
            let (world, size) = (self.schemas[schema].world, self.schemas[schema].size);
            let rows = || self.schemas[schema].grid.iter().map(|ground| self.whole[*ground as usize]);
            if !self.wants_whole(world, size) || !rows().all(|row| self.table.is_complete(row)) {
                continue;
            }
            let is_neutral = self.limits.pruning.neutral
                && rows().all(|row| self.table.never_fails(row))
                && initial[world].as_ref().is_some_and(|initial| self.leaves_state(schema, initial));
            if is_neutral && self.takes_one_step(schema) {
                self.schemas[schema].place = PartUse::Result;
                let text = format!("{}: neutral", self.schema_text(schema));
                self.left_out.push(text);
            } else if self.limits.pruning.congruent {
                self.mark_if_known(schema);
            }
        }
    }

    /// Marks a schema that does the same as one before.
    fn mark_if_known(&mut self, schema: usize) {
        let rows = |ground: GroundId| self.whole[ground as usize];
        let mut view = self.general_view(schema);
        let form = (self.schemas[schema].world, view.normalise(self, &rows), view.kinds());
        let key = self.known.fingerprint.of(&form);
        let Some(first) = self.known.schemas.get(&key).copied() else {
            self.known.schemas.insert(key, schema);
            return;
        };
        let mut of_first = self.general_view(first);
        let is_same = of_first.normalise(self, &rows) == form.1;
        let fails = |ground: &GroundId| self.table.always_fails(self.whole[*ground as usize]);
        // Without a result its type is not known.
        let has_result = !self.schemas[schema].grid.iter().any(fails);
        if !is_same || !has_result {
            return;
        }
        let mut holes = vec![None; self.schemas[first].holed.holes.len()];
        for (of_first, own) in of_first.dimensions.iter().zip(&view.dimensions) {
            holes[of_first.variables[0]] = Some(own.variables[0]);
        }
        if self.takes_one_step(first) && self.takes_one_step(schema) {
            self.schemas[schema].place = PartUse::Nowhere;
            self.left_out.push(self.same_text(schema, first, &holes));
        }
        if self.schemas[first].size < self.schemas[schema].size {
            self.schemas[schema].same = Some(Same { schema: first, holes });
        }
    }

    /// That a schema does the same as another one, whose holes have the values of holes of the first.
    fn same_text(&self, schema: usize, other: usize, holes: &[Option<usize>]) -> String {
        let [own, other] = [schema, other].map(|schema| &self.schemas[schema].holed);
        let mut types = own.holes.clone();
        let names = holes.iter().zip(&other.holes).map(|(hole, of)| match hole {
            Some(hole) => *hole as u8,
            None => {
                types.push(*of);
                types.len() as u8 - 1
            }
        });
        let terms = [own.term.clone(), other.term.rename(&names.collect::<Vec<u8>>())];
        let names = Names::of_variables(&self.vocabulary, &terms, &types);
        let [own, other] = terms.map(|term| names.term(&self.vocabulary, &term));
        format!("{own}: does the same as {other}")
    }

    fn general_view(&self, schema: usize) -> View {
        let holes = self.schemas[schema].holed.holes.len() as u8;
        View::whole(self, &Instance::new(self, schema, (0..holes).collect()))
    }

    fn schema_text(&self, schema: usize) -> String {
        let holed = &self.schemas[schema].holed;
        let general: Vec<u8> = (0..holed.holes.len() as u8).collect();
        let types = partition::variable_types(&general, &holed.holes);
        let names = Names::of_variables(&self.vocabulary, std::slice::from_ref(&holed.term), &types);
        names.term(&self.vocabulary, &holed.term).to_string()
    }

    /// The whole state of each seed before anything is done; `None` if it cannot be seen.
    fn initial_states(&self, world: usize) -> Option<Vec<Datum>> {
        if !self.worlds[world].sees_state() {
            return None;
        }
        let state = |seed: &Datum| {
            let experiment = self.experiment(Arc::new(Program::Nothing), seed, 0, true);
            let explorer = explorer(&self.limits, &self.name);
            let explored = crate::discover::behaviour::explore(&*self.worlds[world], &experiment, explorer);
            match &explored.seen[..] {
                [seen] => seen.state.clone()?.ok(),
                _ => None,
            }
        };
        self.seeds.iter().map(state).collect()
    }

    fn experiment(
        &self,
        program: Arc<Program>,
        seed: &Datum,
        interference: usize,
        wants_state: bool,
    ) -> Experiment {
        let (vocabulary, seed) = (self.vocabulary.clone(), seed.clone());
        Experiment { vocabulary, program, seed, interference, wants_result: false, wants_state }
    }

    /// Whether all runs without interference leave the state as it was.
    fn leaves_state(&self, schema: usize, initial: &[Datum]) -> bool {
        self.schemas[schema].grid.iter().all(|ground| {
            let sets = self.table.sets_of(self.whole[*ground as usize]);
            sets.iter().zip(initial).all(|(set, initial)| {
                let states =
                    self.table.get_set(*set).seen.iter().map(|seen| &self.table.get_seen(*seen).state);
                states.into_iter().all(|state| state.as_ref() == Some(&Ok(initial.clone())))
            })
        })
    }

    /// Whether the schema takes one step at most in every run, alone and under every interference.
    fn takes_one_step(&mut self, schema: usize) -> bool {
        let mut grounds = self.schemas[schema].grid.clone();
        grounds.sort_unstable();
        grounds.dedup();
        grounds.into_iter().all(|ground| match self.known.is_one_step.get(&ground) {
            Some(known) => *known,
            None => {
                let is_one_step = self.ground_takes_one_step(ground);
                self.known.is_one_step.insert(ground, is_one_step);
                is_one_step
            }
        })
    }

    fn ground_takes_one_step(&self, ground: GroundId) -> bool {
        let world = world_of(self.grounds.get(ground), &self.vocabulary);
        let program = Arc::new(self.program(ground));
        let mut cells = (0..self.vocabulary.interferences.len())
            .flat_map(|interference| self.seeds.iter().map(move |seed| (interference, seed)));
        cells.all(|(interference, seed)| {
            let steps =
                |program| self.most_steps(world, &self.experiment(program, seed, interference, false));
            steps(program.clone()) <= steps(Arc::new(Program::Nothing)) + 1
        })
    }

    /// The most steps of the term's thread in a run.
    fn most_steps(&self, world: usize, experiment: &Experiment) -> usize {
        let most = AtomicUsize::new(0);
        let world = &self.worlds[world];
        let body = || world.run(experiment);
        explorer(&self.limits, &self.name).explore_visiting(body, |_, trace| {
            let of_term = trace.all_steps().filter(|step| step.event.id.thread.owner() == TERM_THREAD);
            most.fetch_max(of_term.count(), Ordering::Relaxed);
        });
        most.into_inner()
    }
}

/// The thread of the contained part: the first that the body spawns.
const TERM_THREAD: ThreadId = ThreadId(1);
