//! Answers as text.

use super::Terminal;
use crate::protocol::{Command, Message};
use crate::snapshot::{Alternatives, Answer, LimitKind, Mode, Paths, SearchOrder, TimelineEvent};
use crate::view::{MoveView, ProcessStatus, SourcePlace, ValueView};

/// A step with more moves is shown without its middle.
const MAX_MOVES: usize = 40;

impl Terminal {
    /// What a command that changed the session has to say.
    pub(super) fn snapshot_text(&mut self, command: &Command) -> String {
        if let Command::Expressions { .. } = command {
            let lines = self.snapshot.expressions.iter().map(|it| format!("{} = {}\n", it.text, it.value));
            return lines.collect();
        }
        if let Command::Judge { .. } = command {
            return self.verdict_lines();
        }
        let mut text = match &self.snapshot.answer {
            Some(answer) => answer_text(answer),
            None => String::new(),
        };
        if let Some(Answer::FoundStep { length, .. }) = self.snapshot.answer {
            let card = self.snapshot.stack.last().filter(|_| self.program.can_branch);
            let here = (self.snapshot.position - length, self.snapshot.position, None);
            let (from, to, cycle) = card.map_or(here, |card| (card.from, card.to, card.cycle));
            text += &self.moves(from, to);
            if let Some(cycle) = cycle {
                text += &format!("and so on for ever: position {to} is position {cycle}\n");
            }
        }
        text += &self.position_text();
        if !self.snapshot.strips.is_empty() {
            text += &self.verdict_lines();
        }
        text
    }

    /// The moves from one position to another.
    pub(super) fn moves(&mut self, from: usize, to: usize) -> String {
        let mut text = String::new();
        let mut at = from;
        while at < to {
            if at == from + MAX_MOVES / 2 && to - from > MAX_MOVES {
                let next = to - MAX_MOVES / 2;
                text += &format!("       ... {} moves\n", next - at);
                at = next;
                continue;
            }
            let end = to.min(at + MAX_MOVES / 2);
            match self.engine.handle(&Command::Timeline { from: at, to: end }, &mut ()) {
                Message::Timeline { timeline } => {
                    text.extend(timeline.events.iter().map(|event| self.event_line(event)));
                }
                Message::Error { text: error } => return format!("error: {error}\n"),
                _ => {}
            }
            at = end;
        }
        text
    }

    fn event_line(&self, event: &TimelineEvent) -> String {
        let width = self.program.processes.iter().map(|process| process.name.len()).max().unwrap_or(0);
        let process = self.process_name(&event.made);
        let place = event.made.place.as_ref().map_or_else(String::new, |place| self.place_text(place));
        let changes = event.changes.iter().map(|(name, old, new)| format!("{name}: {old} -> {new}"));
        let mut rest = changes.collect::<Vec<_>>().join(", ");
        if let Some(printed) = event.made.printed.as_ref().filter(|printed| !printed.is_empty()) {
            rest = format!("prints {printed}  {rest}");
        }
        let line =
            format!("{:>6}  {process:width$}  {:24} {place:9} {rest}", event.position, event.made.text);
        line.trim_end().to_owned() + "\n"
    }

    /// `line 12`, or with the file if it is another one than that of the title.
    fn place_text(&self, place: &SourcePlace) -> String {
        match place.file == self.program.title {
            true => format!("line {}", place.line),
            false => format!("{}:{}", place.file, place.line),
        }
    }

    fn process_name(&self, made: &MoveView) -> &str {
        let rows = &self.snapshot.state.processes;
        match made.process {
            None => "-",
            Some(process) => {
                let known = self.program.processes.get(process as usize).map(|it| it.name.as_str());
                known.or_else(|| rows.get(process as usize).map(|row| row.name.as_str())).unwrap_or("?")
            }
        }
    }

    /// Where the reader is: the position and the values there.
    pub(super) fn position_text(&self) -> String {
        let snapshot = &self.snapshot;
        let values: Vec<String> = snapshot.state.values.iter().map(value_text).collect();
        let mut text =
            format!("position {} of {}: {}\n", snapshot.position, snapshot.length, values.join(", "));
        if let Some(end) = &snapshot.state.end {
            let kind = match end.kind {
                crate::view::EndKind::Ended => "the end",
                crate::view::EndKind::Deadlock => "deadlock",
                crate::view::EndKind::Error => "error",
                crate::view::EndKind::Cut => "cut off",
                crate::view::EndKind::Recorded => "the end of the recording",
            };
            text += &format!("{kind}: {}\n", end.text);
        }
        text
    }

    /// The state, and what each process can do there.
    pub(super) fn state_text(&self) -> String {
        let mut text = self.position_text();
        let width = self.snapshot.state.processes.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for row in &self.snapshot.state.processes {
            let what = match row.status {
                ProcessStatus::Ready => {
                    let moves =
                        row.moves.iter().map(|made| format!("{}: {}{}", made.number, made.text, place(made)));
                    moves.collect::<Vec<_>>().join(" | ")
                }
                ProcessStatus::Waiting => {
                    let awaited = row.waits_for.clone().unwrap_or_else(|| "something".to_owned());
                    let holder =
                        row.holder.and_then(|holder| self.snapshot.state.processes.get(holder as usize));
                    let holder = holder
                        .map_or_else(String::new, |holder| format!(", last changed by {}", holder.name));
                    format!("waits for {awaited}{holder}")
                }
                ProcessStatus::Ended => "has ended".to_owned(),
                ProcessStatus::NotStarted => "has not started".to_owned(),
            };
            text += &format!("  {:width$}  {what}\n", row.name);
        }
        for made in &self.snapshot.other_moves {
            text += &format!("  {}: {}\n", made.number, made.text);
        }
        text
    }

    pub(super) fn stack_text(&self) -> String {
        if self.snapshot.stack.is_empty() {
            return "the stack is empty\n".to_owned();
        }
        let line = |(number, card): (usize, &crate::snapshot::Card)| {
            let alternative = format!("alternative {}", card.alternative);
            let rest = if card.is_exhausted { ", the last" } else { "" };
            let cycle = card.cycle.map_or_else(String::new, |cycle| format!(", back to position {cycle}"));
            let moves = plural(card.to - card.from, "move");
            format!(
                "  {number}  {}: positions {} to {}, {moves}, {alternative}{rest}{cycle}\n",
                card.formula, card.from, card.to
            )
        };
        (1..).zip(&self.snapshot.stack).map(line).collect()
    }

    pub(super) fn alternatives_text(&mut self, alternatives: &Alternatives) -> String {
        let mut text = String::new();
        for item in &alternatives.items {
            let mark = if item.alternative == alternatives.chosen { '*' } else { ' ' };
            let moves: Vec<String> =
                item.moves.iter().map(|made| format!("{} {}", self.process_name(made), made.text)).collect();
            let common =
                if item.common > 0 { format!("{} in common, then ", item.common) } else { String::new() };
            let moves = if moves.is_empty() { "nothing else".to_owned() } else { moves.join("; ") };
            let cycle = if item.cycle.is_some() { ", for ever" } else { "" };
            text += &format!(
                "{mark}{:>3}  {}: {common}{moves}{cycle}\n",
                item.alternative,
                plural(item.length, "move")
            );
        }
        if alternatives.is_exhausted {
            text += "there are no more\n";
        }
        text
    }

    fn verdict_lines(&self) -> String {
        let line = |strip: &crate::snapshot::StripHead| match strip.first_violation {
            Some(position) => format!("{}: violated at position {position}\n", strip.formula),
            None if strip.holds => format!("{}: holds on this run\n", strip.formula),
            None if self.snapshot.cycle.is_some() => {
                format!("{}: does not hold on this run, which goes on for ever\n", strip.formula)
            }
            None => format!("{}: does not hold on this run, but may on a longer one\n", strip.formula),
        };
        self.snapshot.strips.iter().map(line).collect()
    }

    pub(super) fn options_text(&self) -> String {
        let options = &self.options;
        let order = match options.order {
            SearchOrder::BreadthFirst => "breadth-first",
            SearchOrder::DepthFirst => "depth-first",
            SearchOrder::Memoryless => "memoryless",
        };
        let mode = match options.mode {
            Mode::Minimal => "minimal",
            Mode::Maximal => "maximal",
            Mode::EveryEnd => "every-end",
        };
        let paths = match options.paths {
            Paths::Subset => "subset",
            Paths::All => "all",
        };
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        format!(
            "order {order}, mode {mode}, paths {paths}, limit {}, states {}, same-end {}, same-sequence {}\n",
            options.limit,
            options.states,
            yes(options.same_end),
            yes(options.same_sequence)
        )
    }
}

fn place(made: &MoveView) -> String {
    made.place.as_ref().map_or_else(String::new, |place| format!(" (line {})", place.line))
}

/// `turn = 0`, or `fork = [0, 1]`; a changed value has a star.
fn value_text(value: &ValueView) -> String {
    if value.parts.is_empty() {
        let mark = if value.old.is_some() { "*" } else { "" };
        return format!("{} = {}{mark}", value.name, value.value);
    }
    let part = |part: &ValueView| {
        let mark = if part.old.is_some() { "*" } else { "" };
        format!("{}{mark}", part.value)
    };
    format!("{} = [{}]", value.name, value.parts.iter().map(part).collect::<Vec<_>>().join(", "))
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn answer_text(answer: &Answer) -> String {
    let visited_text = |visited: u64| plural(visited as usize, "state");
    match answer {
        Answer::FoundStep { length, alternative, visited, is_at_limit } => {
            let limit = if *is_at_limit { "; as long as the limit allows" } else { "" };
            let searched =
                if *visited > 0 { format!(", {} visited", visited_text(*visited)) } else { String::new() };
            format!("found: {}, alternative {alternative}{searched}{limit}\n", plural(*length, "move"))
        }
        Answer::None { found_before, is_unsatisfiable, visited } => {
            let what =
                if *found_before > 0 { "no further sequence; the step is gone" } else { "no such sequence" };
            let why =
                if *is_unsatisfiable { "; no finite sequence at all satisfies the formula" } else { "" };
            format!("{what}{why} ({} visited)\n", visited_text(*visited))
        }
        Answer::Limit { limit, found_before, visited } => {
            let further = if *found_before > 0 { "no further sequence" } else { "no such sequence" };
            let limit = match limit {
                LimitKind::Length => "within the limit of its length; there may be longer ones",
                LimitKind::States => "within the limit of visited states; there may be others",
            };
            format!("{further} {limit} ({} visited)\n", visited_text(*visited))
        }
        Answer::Cancelled { visited } => format!("cancelled ({} visited)\n", visited_text(*visited)),
        Answer::Position { position, text } => format!("position {position}: {text}\n"),
        Answer::Said { text } => format!("{text}\n"),
    }
}
