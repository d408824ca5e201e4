//! One formula on every slice of a log.
//!
//! A log is a sequence of lines, each with a *key*. The lines with one key are a *slice*, a word of its own,
//! and the formula is judged on each (Chen and Roşu, Parametric Trace Slicing and Monitoring, TACAS 2009).
//! A log that is not sliced has one key. A letter says which propositions hold in a line; the caller finds
//! that out.
//!
//! Some propositions are set by a [`Clock`] instead: `after(p, d)` holds as soon as `d` has passed since the
//! last line of the slice with `p`. Between two lines of a slice its propositions stay as the first of them
//! left them. When the time of the log, shown by lines of any slice, passes the moment at which a clock
//! becomes true, that moment is a state of the slice, too. So formulas with clocks must be
//! stutter-invariant.
//!
//! Promise: the verdict on each slice, and the line at which it falls, are those of progressing the formula
//! by every state of the slice. Memory is for slices that are open or decided: if there are many, those on
//! which the formula is as it was in the beginning are freed ([`rest`]). A line of a known slice allocates
//! nothing.

mod clocks;
mod path;
mod rest;
mod verdict;

pub use clocks::Clock;
pub use path::{SliceStep, SliceViolation, StepCause};
pub use verdict::SliceReport;

use crate::monitor::describe;
use clocks::Clocks;
use path::SlicePath;
use rest::Rest;
use rustc_hash::FxHashMap;
use selvedge_ltl::progression::{Cursor, SharedProgression, Status};
use selvedge_ltl::stutter::find_stutter_witness;
use selvedge_ltl::{Formula, Letter, Prop};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Slices at rest are freed when so many slices are open.
const DEFAULT_MAX_AT_REST: usize = 1 << 14;

/// The slices that are kept unless the user says otherwise.
pub const DEFAULT_MAX_SLICES: usize = 10_000_000;

/// Judges one formula on every slice of a log.
///
/// ```
/// use selvedge_ltl::Alphabet;
/// use selvedge_monitor::Slices;
/// let mut alphabet = Alphabet::default();
/// let formula = alphabet.number(&"G (request -> !again U answer)".parse().unwrap()).unwrap();
/// let (request, answer, again) = (0b001, 0b100, 0b010);
/// let mut slices = Slices::new(&formula, alphabet.names().to_vec(), Vec::new());
/// slices.step(b"7", 1, request, 0).unwrap();
/// slices.step(b"8", 2, request, 0).unwrap();
/// slices.step(b"7", 3, answer, 0).unwrap();
/// slices.step(b"8", 4, again, 0).unwrap();
/// let violation = slices.next_violation().unwrap();
/// assert_eq!((&*violation.key, violation.line), (&b"8"[..], 4));
/// assert_eq!(slices.report().slices, 2);
/// ```
#[derive(Debug)]
pub struct Slices {
    progression: SharedProgression,
    /// The texts of the propositions, by number.
    names: Vec<String>,
    clocks: Clocks,
    /// By key, the place of the slice, or [`DECIDED`].
    places: FxHashMap<Arc<[u8]>, u32>,
    slices: Vec<Slice>,
    free: Vec<u32>,
    max_slices: usize,
    max_at_rest: usize,
    /// Slices at rest are freed when so many are open.
    free_at: usize,
    /// Were slices freed, so that a key that comes back is counted again?
    has_freed: bool,
    rest: Rest,
    /// Is the formula decided before the first state?
    is_constant: bool,
    violations: VecDeque<SliceViolation>,
    /// So many violations are described; all are counted.
    max_described: u64,
    begun: u64,
    proven: u64,
    violated: u64,
    first_violated: Option<Arc<[u8]>>,
}

/// In the place of a slice: it is proven or violated.
const DECIDED: u32 = u32::MAX;

/// The state of a formula on one slice.
#[derive(Debug)]
struct Slice {
    key: Arc<[u8]>,
    cursor: Cursor,
    /// The propositions that hold since its last state.
    letter: u64,
    /// The number of times that its place was used before.
    generation: u32,
    path: SlicePath,
}

/// There are more slices than may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySlices(pub usize);

impl fmt::Display for TooManySlices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} slices are open or decided", self.0)
    }
}

impl std::error::Error for TooManySlices {}

/// The reason why a formula cannot be judged on slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceError {
    /// It depends on how often a state is repeated.
    NotStutterInvariant {
        /// It holds on this word,
        satisfying: String,
        /// and not on this one, which differs in repeated states alone.
        violating: String,
    },
    /// It is too large to decide whether it depends on that.
    Undecided(String),
}

/// Does the truth of the formula not depend on how often a state is repeated? `names` are the texts of the
/// propositions, for the two words of the error.
///
/// # Errors
/// Two words on which it does, or the reason why that was not decided.
pub fn check_stutter_invariance(formula: &Formula<Prop>, names: &[String]) -> Result<(), SliceError> {
    let mut arena = selvedge_ltl::nnf::FormulaArena::default();
    let root = arena.formula(formula);
    match find_stutter_witness(&arena, root) {
        Ok(None) => Ok(()),
        Ok(Some(witness)) => Err(SliceError::NotStutterInvariant {
            satisfying: describe::word_text(&witness.satisfying, names),
            violating: describe::word_text(&witness.violating, names),
        }),
        Err(error) => Err(SliceError::Undecided(error.to_string())),
    }
}

impl Slices {
    /// A formula before the first line. `names` are the texts of its propositions, by number; the
    /// propositions of the clocks are among them.
    ///
    /// If there are clocks, the formula must be [stutter-invariant](check_stutter_invariance).
    pub fn new(formula: &Formula<Prop>, names: Vec<String>, clocks: Vec<Clock>) -> Slices {
        let mut progression = SharedProgression::new(formula);
        let rest = Rest::new(formula, &mut progression);
        let is_constant = progression.status(progression.start()) != Status::Open;
        Slices {
            progression,
            names,
            clocks: Clocks::new(clocks),
            places: FxHashMap::default(),
            slices: Vec::new(),
            free: Vec::new(),
            max_slices: DEFAULT_MAX_SLICES,
            max_at_rest: DEFAULT_MAX_AT_REST,
            free_at: DEFAULT_MAX_AT_REST,
            has_freed: false,
            rest,
            is_constant,
            violations: VecDeque::new(),
            max_described: u64::MAX,
            begun: 0,
            proven: 0,
            violated: 0,
            first_violated: None,
        }
    }

    /// The most slices that are kept; a formula that is not sliced has one.
    pub fn max_slices(&mut self, max: usize) -> &mut Slices {
        self.max_slices = max;
        self
    }

    /// The number of open slices from which on slices at rest are freed.
    pub fn max_at_rest(&mut self, max: usize) -> &mut Slices {
        (self.max_at_rest, self.free_at) = (max, max);
        self
    }

    /// The most violations that [`next_violation`](Self::next_violation) returns; all are counted.
    pub fn max_described(&mut self, max: u64) -> &mut Slices {
        self.max_described = max;
        self
    }

    /// A line of a slice: `letter` has the propositions that hold in it, and for each clock whose `p` holds
    /// in it the clock's proposition.
    ///
    /// # Errors
    /// If it is the first line of a slice, and there are too many.
    #[inline]
    pub fn step(&mut self, key: &[u8], line: u64, letter: u64, time: i64) -> Result<(), TooManySlices> {
        let place = match self.places.get(key) {
            Some(place) => *place,
            None => self.begin(key)?,
        };
        if place != DECIDED {
            let letter = if self.clocks.are_none() {
                letter
            } else {
                self.clocks.read(place, &self.slices, letter, time)
            };
            self.progress(place, letter, StepCause::Line, line);
        }
        Ok(())
    }

    /// The time of the log goes on, to that of this line: clocks become true. Call it before
    /// [`step`](Self::step), for lines of any slice.
    #[inline]
    pub fn advance(&mut self, time: i64, line: u64) {
        while let Some((place, bits)) = self.clocks.next_due(time, &self.slices) {
            let letter = self.slices[place as usize].letter | bits;
            self.progress(place, letter, StepCause::Clock, line);
        }
    }

    /// Is there a violation that was not taken yet?
    #[inline]
    pub fn has_violations(&self) -> bool {
        !self.violations.is_empty()
    }

    /// The next violation that was not taken yet.
    #[inline]
    pub fn next_violation(&mut self) -> Option<SliceViolation> {
        self.violations.pop_front()
    }

    /// Is every further line without effect? So it is for a formula that is decided on the only slice.
    pub fn is_decided_on(&self, key: &[u8]) -> bool {
        self.places.get(key) == Some(&DECIDED)
    }

    /// The slices that were violated.
    pub fn violated(&self) -> u64 {
        self.violated
    }

    #[cold]
    fn begin(&mut self, key: &[u8]) -> Result<u32, TooManySlices> {
        let open = self.slices.len() - self.free.len();
        if open >= self.free_at || self.places.len() >= self.max_slices {
            self.free_at_rest();
        }
        if self.places.len() >= self.max_slices {
            return Err(TooManySlices(self.max_slices));
        }
        self.begun += 1;
        let (key, cursor): (Arc<[u8]>, _) = (key.into(), self.progression.start());
        let place = match self.free.pop() {
            Some(place) => {
                let slice = &mut self.slices[place as usize];
                (slice.key, slice.cursor, slice.letter) = (key.clone(), cursor, 0);
                place
            }
            None => {
                let path = SlicePath::default();
                self.slices.push(Slice { key: key.clone(), cursor, letter: 0, generation: 0, path });
                u32::try_from(self.slices.len() - 1).expect("fewer than 2^32 slices")
            }
        };
        self.clocks.begin(place);
        self.places.insert(key, place);
        Ok(place)
    }

    /// A state of a slice.
    #[inline]
    fn progress(&mut self, place: u32, letter: u64, cause: StepCause, line: u64) {
        let slice = &mut self.slices[place as usize];
        slice.letter = letter;
        let next = self.progression.step(slice.cursor, Letter::exactly(letter));
        if next != slice.cursor || self.is_constant {
            slice.cursor = next;
            slice.path.add(SliceStep { line, letter, after: next, cause });
            self.moved(place, line);
        }
    }

    /// The remainder of a slice changed.
    fn moved(&mut self, place: u32, line: u64) {
        let slice = &self.slices[place as usize];
        match self.progression.status(slice.cursor) {
            Status::Open => {
                if self.progression.is_large() {
                    self.shrink();
                }
                let slice = &mut self.slices[place as usize];
                if self.rest.is_rest(slice.cursor, &mut self.progression, &self.clocks) {
                    slice.path.clear();
                }
            }
            Status::True => {
                self.proven += 1;
                self.decide(place);
            }
            Status::False => {
                self.violated += 1;
                let key = slice.key.clone();
                self.first_violated.get_or_insert_with(|| key.clone());
                if self.violated <= self.max_described {
                    let (steps, is_cut) = (slice.path.steps(), slice.path.is_cut());
                    let violation = SliceViolation { key, line, steps, is_cut, names: Vec::new() };
                    let described = self.describe(violation);
                    self.violations.push_back(described);
                }
                self.decide(place);
            }
        }
    }

    /// The slice needs no further lines; its key stays known.
    fn decide(&mut self, place: u32) {
        let key = self.slices[place as usize].key.clone();
        self.places.insert(key, DECIDED);
        self.release(place);
    }

    /// Frees the slices on which the formula is as it was in the beginning.
    #[cold]
    fn free_at_rest(&mut self) {
        let at_rest = self.places.values().copied().filter(|place| *place != DECIDED).filter(|place| {
            let slice = &self.slices[*place as usize];
            self.rest.is_rest(slice.cursor, &mut self.progression, &self.clocks)
                && !self.clocks.is_running(*place, slice.letter)
        });
        let at_rest: Vec<u32> = at_rest.collect();
        for place in &at_rest {
            let slice = &mut self.slices[*place as usize];
            self.rest.freed = Some(slice.cursor);
            let key = std::mem::replace(&mut slice.key, Arc::new([]));
            self.places.remove(&key);
            self.release(*place);
        }
        self.has_freed |= !at_rest.is_empty();
        // The next time is far enough for the cost of a slice to be constant.
        let open = self.slices.len() - self.free.len();
        self.free_at = self.max_at_rest.max(2 * open);
    }

    fn release(&mut self, place: u32) {
        let slice = &mut self.slices[place as usize];
        slice.generation = slice.generation.wrapping_add(1);
        slice.path.clear();
        self.free.push(place);
        self.clocks.begin(place);
    }

    /// Drops remainders that no slice needs.
    #[cold]
    fn shrink(&mut self) {
        let cursors =
            self.slices.iter_mut().flat_map(|slice| slice.path.cursors().chain([&mut slice.cursor]));
        self.progression.forget_all_but(cursors.chain(&mut self.rest.freed));
        self.rest.forget();
    }
}
