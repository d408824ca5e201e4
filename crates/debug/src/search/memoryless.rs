//! By growing depth, without a store of visited states.
//!
//! The memoryless search of Gunter and Peled, §5, after Godefroid's VeriSoft: for each length, all paths of
//! this length, of which no more than the one at hand is kept. It takes time where the others take memory.
//! A target that re-reaches states by running again needs no more than the moves.
//!
//! Promise: with both filters off, every path within the limit that satisfies the formula in the mode is
//! reported once, shorter ones first. States that are not on the path are forgotten.

use super::filter::Filter;
use super::{Context, Outcome, Path, Stop, goes_on_behind_accepting};
use crate::snapshot::{Mode, SearchOptions};
use crate::target::{Move, QuestionId, StateId};
use selvedge_ltl::progression::{Cursor, SharedProgression, Status};

pub(super) struct Memoryless {
    question: QuestionId,
    progression: SharedProgression,
    is_begun: bool,
    /// The length of the paths at hand.
    length: usize,
    stack: Vec<Frame>,
    /// The numbers of the moves between the frames.
    moves: Vec<u32>,
    /// Has a path of this length been met?
    is_met: bool,
    /// Has a path as long as the limit allows moves at its end?
    is_cut: bool,
}

struct Frame {
    state: StateId,
    cursor: Cursor,
    /// Its moves, once they are asked for.
    moves: Option<Vec<Move>>,
    followed: usize,
    /// States from this one on came after it.
    mark: Option<StateId>,
}

impl Memoryless {
    pub(super) fn new(question: QuestionId, progression: SharedProgression) -> Memoryless {
        Memoryless {
            question,
            progression,
            is_begun: false,
            length: 0,
            stack: Vec::new(),
            moves: Vec::new(),
            is_met: false,
            is_cut: false,
        }
    }

    pub(super) fn next(
        &mut self,
        start: StateId,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Outcome, Stop> {
        if !self.is_begun {
            self.begin(start, context)?;
            self.is_begun = true;
        }
        loop {
            while !self.stack.is_empty() {
                if let Some(path) = self.advance(options, filter, context)? {
                    return Ok(Outcome::Alternative(path));
                }
            }
            if !self.is_met || self.length >= options.limit {
                return Ok(Outcome::Exhausted { is_cut: self.is_cut });
            }
            self.begin(start, context)?;
            self.length += 1;
            self.is_met = false;
        }
    }

    fn begin(&mut self, start: StateId, context: &mut Context<'_>) -> Result<(), Stop> {
        let cursor = self.progression.start();
        let frame = self.enter(cursor, start, context)?;
        self.stack.extend(frame);
        Ok(())
    }

    /// A frame for the state after this remainder; `None` if the remainder is false.
    fn enter(
        &mut self,
        from: Cursor,
        state: StateId,
        context: &mut Context<'_>,
    ) -> Result<Option<Frame>, Stop> {
        context.visit(self.moves.len())?;
        let label = context.target.label(self.question, state).map_err(Stop::Failed)?;
        let cursor = self.progression.step(from, label);
        let is_dead = self.progression.status(cursor) == Status::False;
        let mark = context.target.next_state();
        Ok((!is_dead).then_some(Frame { state, cursor, moves: None, followed: 0, mark }))
    }

    /// Reports the path of the stack, makes it longer, or goes back.
    fn advance(
        &mut self,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Path>, Stop> {
        let top = self.stack.len() - 1;
        let is_accepting = self.progression.holds_at_end(self.stack[top].cursor);
        if self.moves.len() == self.length {
            self.is_met = true;
            let is_followed = !is_accepting || goes_on_behind_accepting(options.mode);
            if self.length == options.limit && is_followed && !self.is_cut {
                self.is_cut = self.has_moves(context)?;
            }
            let path = if is_accepting { self.report(options, filter, context)? } else { None };
            self.leave(context);
            return Ok(path);
        }
        if is_accepting && !goes_on_behind_accepting(options.mode) {
            self.leave(context);
            return Ok(None);
        }
        match self.next_move(filter, context)? {
            None => self.leave(context),
            Some((number, made)) => {
                let entered = self.enter(self.stack[top].cursor, made.to, context)?;
                self.stack[top].followed = number + 1;
                if let Some(frame) = entered {
                    self.moves.push(number as u32);
                    self.stack.push(frame);
                }
            }
        }
        Ok(None)
    }

    /// The next move of the state on top of the stack.
    fn next_move(
        &mut self,
        filter: &Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<(usize, Move)>, Stop> {
        let top = self.stack.len() - 1;
        if self.stack[top].moves.is_none() {
            let mut moves = Vec::new();
            context.target.moves(self.stack[top].state, &mut moves).map_err(Stop::Failed)?;
            self.stack[top].moves = Some(moves);
        }
        let frame = &self.stack[top];
        let moves = frame.moves.as_deref().unwrap_or_default();
        let is_again = |number: usize| moves[..number].iter().any(|earlier| earlier.to == moves[number].to);
        let numbers =
            (frame.followed..moves.len()).find(|number| filter.tells_moves_apart() || !is_again(*number));
        Ok(numbers.map(|number| (number, moves[number])))
    }

    /// Has the state on top of the stack a move behind which the formula may hold?
    fn has_moves(&mut self, context: &mut Context<'_>) -> Result<bool, Stop> {
        let Frame { state, cursor, .. } = self.stack[self.stack.len() - 1];
        let mut moves = Vec::new();
        context.target.moves(state, &mut moves).map_err(Stop::Failed)?;
        for made in moves {
            if self.enter(cursor, made.to, context)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The path of the stack, which satisfies the formula, if it is a new step.
    fn report(
        &mut self,
        options: &SearchOptions,
        filter: &mut Filter,
        context: &mut Context<'_>,
    ) -> Result<Option<Path>, Stop> {
        let Frame { state, cursor, .. } = self.stack[self.stack.len() - 1];
        let rest = options.limit - self.length;
        let is_maximal_mode = options.mode == Mode::Maximal;
        if is_maximal_mode && self.has_extension(state, cursor, rest, context)? {
            return Ok(None);
        }
        let same = |frame: &Frame| (frame.state, frame.cursor) == (state, cursor);
        let before = self.stack.iter().position(same).filter(|place| *place < self.length);
        let cycle = before.filter(|_| is_maximal_mode);
        let is_at_limit = is_maximal_mode && rest == 0 && cycle.is_none() && self.has_moves(context)?;
        let states: Vec<StateId> = self.stack.iter().map(|frame| frame.state).collect();
        let path = Path { moves: self.moves.clone(), cycle, is_at_limit };
        Ok(filter.admit(context.target, &states).then_some(path))
    }

    /// Does a sequence of at least one and at most `rest` more moves satisfy the formula?
    fn has_extension(
        &mut self,
        state: StateId,
        cursor: Cursor,
        rest: usize,
        context: &mut Context<'_>,
    ) -> Result<bool, Stop> {
        let mut todo = vec![(state, cursor, rest)];
        let mut moves = Vec::new();
        while let Some((state, cursor, rest)) = todo.pop() {
            if rest == 0 {
                continue;
            }
            moves.clear();
            context.target.moves(state, &mut moves).map_err(Stop::Failed)?;
            for made in &moves {
                if let Some(frame) = self.enter(cursor, made.to, context)? {
                    if self.progression.holds_at_end(frame.cursor) {
                        return Ok(true);
                    }
                    todo.push((made.to, frame.cursor, rest - 1));
                }
            }
        }
        Ok(false)
    }

    /// Goes back by a move, and forgets the states behind it.
    fn leave(&mut self, context: &mut Context<'_>) {
        if let Some(mark) = self.stack.pop().and_then(|frame| frame.mark) {
            context.target.forget(mark);
        }
        self.moves.pop();
    }
}
