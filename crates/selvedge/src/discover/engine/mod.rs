//! The search for laws, size by size (Walker's thesis, §7.3.4).
//!
//! For each size: the schemas are made of smaller ones, the ground terms of their most general terms are
//! explored, schemas that need not be part of larger ones are marked, and the new terms are compared with
//! all others. What differs from CoCo: neither relation is a congruence, so a schema is left out of larger
//! ones only where that loses nothing (`prune`); terms of one size are compared, too; and laws are found by
//! hashing.

mod explained;
mod explore;
mod grid;
mod prune;

pub(crate) use grid::{Instance, Schema, Side, at, odometer, odometer_while, strides};

use super::behaviour::World;
use super::judge::Judge;
use super::law::{Figures, Laws};
use super::limits::Limits;
use super::progress::Progress;
use super::signature::{Datum, Vocabulary};
use super::table::{Interned, RowId, Table};
use super::term::Effect;
use super::term::generate::{Arguments, Holed, Part, PartUse, compounds};
use super::term::ground::{Code, CodeReader, Grounder, Program, ValueId, Values};
use crate::explorer::TestName;
use prune::Known;
use std::sync::Arc;
use std::time::Instant;

/// The number of a ground term.
pub(crate) type GroundId = u32;

/// No row yet.
pub(crate) const NO_ROW: RowId = RowId::MAX;

/// Everything that is known of ground terms.
pub(crate) struct Engine {
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) worlds: Vec<Arc<dyn World>>,
    pub(crate) limits: Limits,
    /// The name of explorations in messages.
    pub(crate) name: TestName,
    pub(crate) seeds: Vec<Datum>,
    pub(crate) values: Values,
    /// The value of each constant.
    pub(crate) constants: Vec<ValueId>,
    /// The values of each type that variables have.
    pub(crate) domains: Vec<Vec<ValueId>>,
    pub(crate) grounds: Interned<Code>,
    /// The row of each ground term: what is observed.
    pub(crate) observed: Vec<RowId>,
    /// The row of each ground term with results and the whole state, if it was asked for.
    pub(crate) whole: Vec<RowId>,
    /// The runs of each ground term, and how many could not be observed.
    pub(crate) runs: Vec<(u32, u32)>,
    pub(crate) table: Table,
    pub(crate) schemas: Vec<Schema>,
    pub(crate) figures: Figures,
    pub(crate) notes: Vec<String>,
    pub(crate) left_out: Vec<String>,
    known: Known,
    started: Instant,
    /// How many schemas were not looked at.
    pub(crate) skipped: usize,
    /// Whether a limit has ended the search.
    pub(crate) is_cut_short: bool,
}

impl Engine {
    pub(crate) fn new(
        vocabulary: Vocabulary,
        worlds: Vec<Arc<dyn World>>,
        seeds: Vec<Datum>,
        limits: Limits,
    ) -> Engine {
        let mut values = Values::default();
        let constants = vocabulary.constants.iter().map(|known| values.number(known.value.clone())).collect();
        let of_type = |of: &super::signature::Type| (of.values)(limits.values);
        let mut number = |of| of_type(of).into_iter().map(|value| values.number(value)).collect();
        let domains = vocabulary.types.iter().map(&mut number).collect();
        Engine {
            vocabulary: Arc::new(vocabulary),
            worlds,
            limits,
            // Not the name of the test: `SELVEDGE_REPLAY` is about the run of a counterexample.
            name: TestName::of_function(&format!("{} (laws)", TestName::of_current_thread())),
            seeds,
            values,
            constants,
            domains,
            grounds: Interned::default(),
            observed: Vec::new(),
            whole: Vec::new(),
            runs: Vec::new(),
            table: Table::default(),
            schemas: Vec::new(),
            figures: Figures::default(),
            notes: Vec::new(),
            left_out: Vec::new(),
            known: Known::default(),
            started: Instant::now(),
            skipped: 0,
            is_cut_short: false,
        }
    }

    /// Looks for laws up to the size. There is a list for each signature, and one for the laws between two.
    pub(crate) fn discover(mut self) -> Vec<Laws> {
        let mut judge = Judge::new(&self);
        let mut arguments: Vec<Arguments> = self.worlds.iter().map(|_| Arguments::default()).collect();
        let progress = Progress::new(&self.limits, &self.name);
        for size in 1..=self.limits.size {
            let first_new = self.schemas.len();
            self.make_schemas(&mut arguments, size);
            self.explore_schemas(first_new, &|engine: &Engine| {
                let figures = Figures { schemas: engine.schemas.len(), ..engine.figures };
                progress.show(size, &figures, judge.law_count(), engine.elapsed());
            });
            if self.is_cut_short {
                let what =
                    format!("terms of size {size} and larger were not looked at: {}", self.limit_text());
                self.notes.push(what);
                self.schemas.truncate(first_new);
                break;
            }
            self.mark_parts(first_new);
            self.mark_explained(first_new);
            judge.judge(&self, first_new);
            self.figures.size = size;
            self.figures.schemas = self.schemas.len();
            progress.show(size, &self.figures, judge.law_count(), self.started.elapsed());
        }
        self.figures.schemas = self.schemas.len();
        self.note_types();
        let laws = judge.into_laws(&mut self);
        progress.end(self.figures.size, &self.figures, laws.iter().map(|list| list.laws.len()).sum());
        laws
    }

    /// Whether a limit is reached.
    pub(crate) fn is_over(&self) -> bool {
        let bytes = || self.table_bytes();
        self.limits.max_time.is_some_and(|time| self.started.elapsed() >= time)
            || self.limits.max_memory.is_some_and(|max| bytes() >= max)
    }

    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    fn limit_text(&self) -> &'static str {
        match self.limits.max_time {
            Some(time) if self.started.elapsed() >= time => "the limit of time is reached",
            _ => "the limit of memory is reached",
        }
    }

    /// The bytes of the tables, roughly.
    pub(crate) fn table_bytes(&self) -> usize {
        let grids: usize = self.schemas.iter().map(|schema| 4 * schema.grid.len() + 200).sum();
        grids + self.table.bytes() + self.values.bytes() + self.grounds.len() * 160
    }

    /// Makes the schemas of this size, with their grids of ground terms.
    fn make_schemas(&mut self, arguments: &mut [Arguments], size: usize) {
        let vocabulary = self.vocabulary.clone();
        for (world, arguments) in arguments.iter_mut().enumerate() {
            self.extend_arguments(arguments, world);
            let calls = arguments.calls(&vocabulary, world, size);
            let mut parts: Vec<Vec<Part<'_>>> = (0..size).map(|_| Vec::new()).collect();
            for (number, schema) in self.schemas.iter().enumerate() {
                if schema.world == world && schema.size < size {
                    parts[schema.size].push(Part { number, schema: &schema.holed, place: schema.place });
                }
            }
            let made = compounds(&vocabulary, world, &parts, size);
            let made = made.into_iter().map(|(holed, parts)| (holed, parts.to_vec()));
            let made: Vec<_> = calls.into_iter().map(|holed| (holed, Vec::new())).chain(made).collect();
            drop(parts);
            let mut skipped = 0;
            for (holed, parts) in made {
                if self.assignments(&holed.holes) > self.limits.max_assignments {
                    skipped += 1;
                } else {
                    self.add_schema(holed, parts, world, size);
                }
            }
            self.skipped += skipped;
            if skipped > 0 {
                let max = self.limits.max_assignments;
                self.notes.push(format!(
                    "{skipped} schemas of size {size} were not looked at: they have more than {max} assignments"
                ));
            }
        }
    }

    /// How many assignments holes of these types have.
    pub(crate) fn assignments(&self, types: &[super::signature::TypeIndex]) -> usize {
        types.iter().map(|of| self.domains[usize::from(*of)].len()).fold(1, usize::saturating_mul)
    }

    /// Adds a schema, with the ground terms of its most general term.
    fn add_schema(&mut self, holed: Holed<Effect>, parts: Vec<usize>, world: usize, size: usize) {
        let is_foreground =
            holed.term.ops().iter().any(|op| self.vocabulary.ops[usize::from(*op)].is_foreground);
        let sizes: Vec<usize> = holed.holes.iter().map(|of| self.domains[usize::from(*of)].len()).collect();
        let mut grid = Vec::with_capacity(self.assignments(&holed.holes));
        odometer(&sizes, |places| {
            let assignment: Vec<ValueId> = places
                .iter()
                .zip(&holed.holes)
                .map(|(place, of)| self.domains[usize::from(*of)][*place])
                .collect();
            grid.push(self.ground(&holed.term, &assignment));
        });
        let strides = strides(&sizes);
        let (place, same, is_explained) = (PartUse::Anywhere, None, false);
        self.schemas.push(Schema {
            holed,
            parts,
            world,
            size,
            is_foreground,
            grid,
            strides,
            place,
            same,
            is_explained,
        });
    }

    /// The number of the term with these values.
    pub(crate) fn ground(&mut self, term: &Effect, assignment: &[ValueId]) -> GroundId {
        let code = self.grounder().ground(term, assignment);
        let ground = self.grounds.number(code);
        if self.observed.len() < self.grounds.len() {
            self.observed.resize(self.grounds.len(), NO_ROW);
            self.whole.resize(self.grounds.len(), NO_ROW);
            self.runs.resize(self.grounds.len(), (0, 0));
        }
        ground
    }

    /// A ground term as it runs.
    pub(crate) fn program(&self, ground: GroundId) -> Program {
        let code = self.grounds.get(ground);
        CodeReader { code, values: &self.values, vocabulary: &self.vocabulary }.program()
    }

    pub(crate) fn grounder(&mut self) -> Grounder<'_> {
        Grounder { values: &mut self.values, pures: &self.vocabulary.pures, constants: &self.constants }
    }

    /// Says of which types not all values were tried.
    fn note_types(&mut self) {
        for (of, domain) in self.vocabulary.types.iter().zip(&self.domains) {
            let tried = domain.len();
            match (of.count)() {
                Some(count) if count <= tried => {}
                Some(count) => self.notes.push(format!("{}: {tried} of {count} values were tried", of.name)),
                None => self.notes.push(format!("{}: the first {tried} values were tried", of.name)),
            }
        }
        if self.figures.unobserved > 0 {
            self.notes.push(format!(
                "{} of {} runs could not be observed, and were left out",
                self.figures.unobserved, self.figures.runs
            ));
        }
        self.figures.table_bytes = self.table_bytes();
    }
}
