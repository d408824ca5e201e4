//! The alternatives of the last step, side by side.

use super::Engine;
use super::listener::Listener;
use super::show::flat;
use crate::search::{Outcome, Path, Stop, replay};
use crate::snapshot::{ALTERNATIVE_MOVES, AlternativeView, Alternatives, LimitKind};

/// At most so many alternatives at a time.
const MAX_ALTERNATIVES: usize = 200;

impl Engine {
    /// Some alternatives of the last step, searched as far as needed.
    pub(super) fn alternatives(
        &mut self,
        first: usize,
        count: usize,
        listener: &mut dyn Listener,
    ) -> Result<Alternatives, String> {
        let (first, count) = (first.max(1), count.min(MAX_ALTERNATIVES));
        let limit = self.find_alternatives(first + count - 1, listener)?;
        let Some(step) = self.stack.steps.last() else { return Ok(Alternatives::default()) };
        let (from, chosen) = (step.from, step.chosen);
        let own = step.path().moves.clone();
        let paths: Vec<Path> = step.alternatives.iter().skip(first - 1).take(count).cloned().collect();
        let mut answer = Alternatives {
            formula: step.formula.clone(),
            from,
            first,
            items: Vec::new(),
            chosen: chosen + 1,
            is_exhausted: step.is_exhausted,
            limit,
        };
        for (place, path) in paths.iter().enumerate() {
            let item = self.alternative(path, &own, first + place, from)?;
            answer.items.push(item);
        }
        Ok(answer)
    }

    /// Searches until so many alternatives are known; says which limit stopped it.
    fn find_alternatives(
        &mut self,
        wanted: usize,
        listener: &mut dyn Listener,
    ) -> Result<Option<LimitKind>, String> {
        let Some(step) = self.stack.steps.last_mut() else { return Ok(None) };
        let mut limit = None;
        while step.alternatives.len() < wanted && !step.is_exhausted && limit.is_none() {
            match step.search.next(&mut *self.target, listener) {
                Outcome::Alternative(path) => step.alternatives.push(path),
                Outcome::Exhausted { is_cut } => {
                    step.is_exhausted = true;
                    limit = is_cut.then_some(LimitKind::Length);
                }
                Outcome::Stopped(Stop::States | Stop::Cancelled) => limit = Some(LimitKind::States),
                Outcome::Stopped(Stop::Failed(error)) => return Err(error.to_string()),
            }
        }
        // A memoryless search has forgotten the states of the run.
        let chosen = step.chosen;
        self.stack.choose(&mut *self.target, chosen).map_err(|error| error.to_string())?;
        Ok(limit)
    }

    fn alternative(
        &mut self,
        path: &Path,
        chosen: &[u32],
        number: usize,
        from: usize,
    ) -> Result<AlternativeView, String> {
        let start = self.stack.states[from];
        let states = replay(&mut *self.target, start, &path.moves).map_err(|error| error.to_string())?;
        let common = path.moves.iter().zip(chosen).take_while(|(one, other)| one == other).count();
        let shown = common..path.moves.len().min(common + ALTERNATIVE_MOVES);
        let moves = shown.map(|place| self.target.describe(states[place], path.moves[place])).collect();
        let end = flat(&self.target.values(states[states.len() - 1]));
        Ok(AlternativeView {
            alternative: number,
            length: path.moves.len(),
            common,
            moves,
            end,
            cycle: path.cycle,
        })
    }
}
