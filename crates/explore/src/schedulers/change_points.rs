//! Places in a run where a scheduler changes its mind, spread evenly over the length that a run is thought
//! to have.
//!
//! Nobody knows how long the next run will be. The longest run so far is the guess; before the first run it
//! is [`FIRST_GUESS`]. Drawing them takes the generator of the run, so a run depends on its seed, its number
//! and that guess.

use crate::checkpoint::Reader;
use crate::random::Random;
use crate::trace::Trace;

/// How many steps the first run is thought to have.
pub const FIRST_GUESS: usize = 100;

/// The change points of the present run.
#[derive(Clone, Debug)]
pub(crate) struct ChangePoints {
    count: usize,
    /// At which step, from 1, and the number of the change point, from 1; sorted.
    points: Vec<(usize, usize)>,
    /// The points before this one are passed.
    next: usize,
    steps: usize,
    guess: Guess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    /// The user knows.
    Fixed(usize),
    /// The longest run so far.
    Longest(usize),
}

impl ChangePoints {
    pub(crate) fn new(count: usize) -> ChangePoints {
        ChangePoints { count, points: Vec::new(), next: 0, steps: 0, guess: Guess::Longest(0) }
    }

    /// Runs have at most so many steps.
    pub(crate) fn set_steps(&mut self, steps: usize) {
        self.guess = Guess::Fixed(steps);
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The length of the longest run so far, as text; nothing where that does not matter.
    pub(crate) fn save(&self) -> String {
        match self.guess {
            Guess::Fixed(_) => String::new(),
            Guess::Longest(steps) => format!("longest {steps}\n"),
        }
    }

    /// From text.
    pub(crate) fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        if let Guess::Longest(steps) = &mut self.guess {
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

    /// How many steps a run is thought to have; at least one.
    pub(crate) fn steps(&self) -> usize {
        match self.guess {
            Guess::Fixed(steps) => steps.max(1),
            Guess::Longest(0) => FIRST_GUESS,
            Guess::Longest(steps) => steps,
        }
    }

    /// A run begins: its change points are drawn, each of them among all steps.
    pub(crate) fn begin(&mut self, random: &mut Random) {
        let steps = self.steps();
        self.points.clear();
        self.points.extend((1..=self.count).map(|number| (random.below(steps).unwrap_or(0) + 1, number)));
        self.points.sort_unstable();
        self.next = 0;
        self.steps = 0;
    }

    /// The number of the next change point, if it is at the step that is about to be taken; it is passed by
    /// that.
    #[inline]
    pub(crate) fn pass(&mut self) -> Option<usize> {
        let (_, number) = self.points.get(self.next).filter(|(step, _)| *step == self.steps + 1)?;
        self.next += 1;
        Some(*number)
    }

    /// A step is done. Returns whether there were change points at it that nobody passed.
    #[inline]
    pub(crate) fn step(&mut self) -> bool {
        let passed = std::iter::from_fn(|| self.pass()).count() > 0;
        self.steps += 1;
        passed
    }

    /// A run has ended.
    pub(crate) fn finish(&mut self, run: &Trace) {
        if let Guess::Longest(steps) = &mut self.guess {
            *steps = run.len().max(*steps);
        }
    }
}
