//! Change points: steps at which a scheduler changes priorities or weights, uniformly distributed over a
//! run.
//!
//! The length of a run is not known in advance. The estimate is the length of the longest run so far; before
//! the first run it is [`FIRST_LENGTH_ESTIMATE`]. The generator of the run draws the change points, so a run
//! depends on its seed, its number and that estimate.

use crate::checkpoint::Reader;
use crate::random::Random;
use crate::trace::Trace;

/// The estimated length of the first run.
pub const FIRST_LENGTH_ESTIMATE: usize = 100;

/// The change points of the current run.
#[derive(Clone, Debug)]
pub(crate) struct ChangePoints {
    count: usize,
    /// The step of each change point, from 1, and its number, from 1; sorted.
    points: Vec<(usize, usize)>,
    /// The index of the first point that is not passed.
    next: usize,
    steps: usize,
    length: Length,
}

/// The number of steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    /// The user sets it.
    Fixed(usize),
    /// The estimate is the length of the longest run so far; 0 before the first run.
    Longest(usize),
}

impl ChangePoints {
    pub(crate) fn new(count: usize) -> ChangePoints {
        ChangePoints { count, points: Vec::new(), next: 0, steps: 0, length: Length::Longest(0) }
    }

    /// Sets the greatest number of steps of a run.
    pub(crate) fn set_steps(&mut self, steps: usize) {
        self.length = Length::Fixed(steps);
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The checkpoint as text: the length of the longest run, if it is the estimate.
    pub(crate) fn save(&self) -> String {
        match self.length {
            Length::Fixed(_) => String::new(),
            Length::Longest(steps) => format!("longest {steps}\n"),
        }
    }

    /// Continues from a checkpoint.
    pub(crate) fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        if let Length::Longest(steps) = &mut self.length {
            if !reader.advance_if("longest") {
                return Err("the length of the longest run is missing".to_owned());
            }
            *steps = reader.number()?;
        }
        Ok(())
    }

    pub(crate) fn set_count(&mut self, count: usize) {
        self.count = count;
    }

    /// The estimated number of steps of a run, at least one.
    pub(crate) fn steps(&self) -> usize {
        match self.length {
            Length::Fixed(steps) => steps.max(1),
            Length::Longest(0) => FIRST_LENGTH_ESTIMATE,
            Length::Longest(steps) => steps,
        }
    }

    /// A run begins: draws each change point among all steps.
    pub(crate) fn begin(&mut self, random: &mut Random) {
        let steps = self.steps();
        self.points.clear();
        self.points.extend((1..=self.count).map(|number| (random.below(steps).unwrap_or(0) + 1, number)));
        self.points.sort_unstable();
        self.next = 0;
        self.steps = 0;
    }

    /// Passes a change point at the next step, if there is one, and returns its number.
    #[inline]
    pub(crate) fn pass(&mut self) -> Option<usize> {
        let (_, number) = self.points.get(self.next).filter(|(step, _)| *step == self.steps + 1)?;
        self.next += 1;
        Some(*number)
    }

    /// Counts an executed step. Returns whether it had change points that were not passed before.
    #[inline]
    pub(crate) fn step(&mut self) -> bool {
        let passed = std::iter::from_fn(|| self.pass()).count() > 0;
        self.steps += 1;
        passed
    }

    /// A run has ended.
    pub(crate) fn finish(&mut self, run: &Trace) {
        if let Length::Longest(steps) = &mut self.length {
            *steps = run.len().max(*steps);
        }
    }
}
