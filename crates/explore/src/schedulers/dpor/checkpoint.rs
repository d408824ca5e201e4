//! The checkpoint of a reduction between two runs, as text: the paths of all workers, and their shared
//! nodes.
//!
//! ```text
//! places N                      the number of shared nodes
//! place EXPLORED CHILD UNRESTRICTED PENDING HOLDERS FINGERPRINT COUNT
//! sleep EVENT                   an event of the sleep set of the shared node or node before
//! claimed PLACE WORKERS ANY EVENT
//! branch DEPTH WAY EVENT        the wake-up tree, in pre-order; DEPTH from 0;
//!                               WAY is 1 for any alternative, plus 2 if an event may stay asleep
//! part FIGURES                  a worker, or an orphan
//! bounds PREEMPTIONS CUT CUT_BY_PREEMPTIONS
//! node FINGERPRINT COUNT EXPLORED PLACE EVENT
//! deviation                     the event of the node before is the last one of a reversal
//! claim PLACE WORKERS ANY EVENT the worker's next branch at the node before
//! ```
//!
//! PLACE is the number of a shared node, from 0, or `-`.

use super::node::Node;
use super::pruning::Pruning;
use super::shared_node::{Claim, NodeShare, SharedNode, SharedNodeRef, lock};
use super::wakeup_tree::Branch;
use super::{Dpor, Figures};
use crate::checkpoint::{Reader, write_event};
use crate::event::Event;
use crate::schedulers::bounds::Bounds;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

impl Dpor {
    /// Between two runs: the parts of one exploration, as text.
    pub fn save(parts: &[&Dpor]) -> String {
        let paths = || parts.iter().flat_map(|part| part.orphans.iter().chain([&part.nodes]));
        let shares = paths().flatten().filter_map(|node| node.share.as_ref());
        let shared = SharedNodes::reachable_from(shares.map(|share| share.node.clone()).collect());
        let mut text = format!("places {}\n", shared.0.len());
        for node in &shared.0 {
            lock(node).write(&mut text, &shared);
        }
        for part in parts {
            debug_assert!(!part.is_probing(), "a checkpoint is written between two runs");
            let numbers = part.figures.numbers().map(|number| number.to_string()).join(" ");
            let _ = writeln!(text, "part {numbers}");
            if let Some(pruning) = &part.pruning {
                pruning.write(&mut text);
            }
            part.nodes.iter().for_each(|node| node.write(&mut text, &shared));
            for orphan in &part.orphans {
                text.push_str("part 0 0 0 0 0\n");
                orphan.iter().for_each(|node| node.write(&mut text, &shared));
            }
        }
        text
    }

    /// The parts that [`Dpor::save`] wrote. Their bounds are those of [`Dpor::set_bounds`].
    ///
    /// # Errors
    /// A message about text that is not a checkpoint.
    pub fn load(text: &str) -> Result<Vec<Dpor>, String> {
        let mut reader = Reader::new(text);
        let count: usize = if reader.advance_if("places") { reader.number()? } else { 0 };
        let shared = SharedNodes((0..count).map(|_| Arc::new(Mutex::new(SharedNode::default()))).collect());
        for reference in &shared.0 {
            if !reader.advance_if("place") {
                return Err("a place is missing".to_owned());
            }
            let node = SharedNode::read(&mut reader, &shared)?;
            *lock(reference) = node;
        }
        let mut parts: Vec<Dpor> = Vec::new();
        while let Some(word) = reader.next_line() {
            match (word, parts.last_mut()) {
                ("part", _) => {
                    let mut numbers = [0; 5];
                    for number in &mut numbers {
                        *number = reader.number()?;
                    }
                    parts.push(Dpor { figures: Figures::of(numbers), ..Dpor::default() });
                }
                ("bounds", Some(part)) => part.pruning = Some(Pruning::read(&mut reader)?),
                ("node", Some(part)) => part.nodes.push(Node::read(&mut reader, &shared)?),
                (other, _) => return Err(format!("`{other}` does not belong here")),
            }
        }
        Ok(parts)
    }
}

impl Pruning {
    fn write(&self, text: &mut String) {
        let most = self.bounds.preemptions.map_or("-".to_owned(), |most| most.to_string());
        let [cut, by_preemptions] = [self.has_cut, self.has_cut_by_preemptions].map(u8::from);
        let _ = writeln!(text, "bounds {most} {cut} {by_preemptions}");
    }

    /// Reads what changes between runs.
    fn read(reader: &mut Reader<'_>) -> Result<Box<Pruning>, String> {
        let preemptions = match reader.word()? {
            "-" => None,
            word => Some(word.parse().map_err(|_| format!("`{word}` is not a number"))?),
        };
        let [cut, by_preemptions]: [u8; 2] = [reader.number()?, reader.number()?];
        let (has_cut, has_cut_by_preemptions) = (cut != 0, by_preemptions != 0);
        let bounds = Bounds { preemptions, ..Bounds::NONE };
        Ok(Box::new(Pruning { has_cut, has_cut_by_preemptions, ..Pruning::new(bounds) }))
    }
}

/// All shared nodes, by number.
struct SharedNodes(Vec<SharedNodeRef>);

impl SharedNodes {
    /// These nodes, and all nodes below their claims.
    fn reachable_from(mut pending: Vec<SharedNodeRef>) -> SharedNodes {
        let mut reached = SharedNodes(Vec::new());
        while let Some(node) = pending.pop() {
            if reached.number(&node).is_none() {
                pending.extend(lock(&node).claimed.iter().filter_map(|claim| claim.child.clone()));
                reached.0.push(node);
            }
        }
        reached
    }

    fn number(&self, node: &SharedNodeRef) -> Option<usize> {
        self.0.iter().position(|known| Arc::ptr_eq(known, node))
    }

    fn write(&self, node: Option<&SharedNodeRef>) -> String {
        node.and_then(|node| self.number(node)).map_or("-".to_owned(), |number| number.to_string())
    }

    fn read(&self, reader: &mut Reader<'_>) -> Result<Option<SharedNodeRef>, String> {
        match reader.word()? {
            "-" => Ok(None),
            word => {
                let node = word.parse().ok().and_then(|number: usize| self.0.get(number));
                Ok(Some(node.ok_or_else(|| format!("there is no place `{word}`"))?.clone()))
            }
        }
    }
}

impl Claim {
    fn write(&self, text: &mut String, word: &str, shared: &SharedNodes) {
        let child = shared.write(self.child.as_ref());
        let _ = write!(text, "{word} {child} {} {}", self.workers, u8::from(self.branch.any_alternative));
        write_event(text, &self.branch.event);
        text.push('\n');
    }

    fn read_all(reader: &mut Reader<'_>, word: &str, shared: &SharedNodes) -> Result<Vec<Claim>, String> {
        let mut claims = Vec::new();
        while reader.advance_if(word) {
            let (child, workers) = (shared.read(reader)?, reader.number()?);
            let any_alternative: u8 = reader.number()?;
            claims.push(Claim {
                branch: Branch::leaf(reader.event()?, any_alternative != 0),
                child,
                workers,
            });
        }
        Ok(claims)
    }
}

impl SharedNode {
    fn write(&self, text: &mut String, shared: &SharedNodes) {
        let SharedNode { explored, holders, fingerprint, enabled_count, .. } = self;
        let [child, unrestricted, pending] =
            [self.is_child, self.is_unrestricted, self.has_pending_claim].map(u8::from);
        let _ = writeln!(
            text,
            "place {explored} {child} {unrestricted} {pending} {holders} {fingerprint} {enabled_count}"
        );
        write_events(text, "sleep", &self.sleep);
        self.claimed.iter().for_each(|claim| claim.write(text, "claimed", shared));
        write_tree(text, "branch", &self.wakeup_tree);
    }

    fn read(reader: &mut Reader<'_>, shared: &SharedNodes) -> Result<SharedNode, String> {
        let explored = reader.number()?;
        let [child, unrestricted, pending]: [u8; 3] = [reader.number()?, reader.number()?, reader.number()?];
        let (holders, fingerprint, enabled_count) = (reader.number()?, reader.number()?, reader.number()?);
        Ok(SharedNode {
            sleep: read_events(reader, "sleep")?,
            claimed: Claim::read_all(reader, "claimed", shared)?,
            wakeup_tree: read_tree(reader, "branch")?,
            explored,
            is_child: child != 0,
            is_unrestricted: unrestricted != 0,
            has_pending_claim: pending != 0,
            holders,
            fingerprint,
            enabled_count,
        })
    }
}

impl Node {
    fn write(&self, text: &mut String, shared: &SharedNodes) {
        let share = self.share.as_ref();
        let place = shared.write(share.map(|share| &share.node));
        let _ = write!(text, "node {} {} {} {place}", self.fingerprint, self.enabled_count, self.explored);
        write_event(text, &self.event);
        text.push('\n');
        if self.is_deviation {
            text.push_str("deviation\n");
        }
        write_events(text, "sleep", &self.sleep);
        write_tree(text, "branch", &self.wakeup_tree);
        if let Some(claim) = share.and_then(|share| share.claim.as_ref()) {
            claim.write(text, "claim", shared);
        }
    }

    fn read(reader: &mut Reader<'_>, shared: &SharedNodes) -> Result<Node, String> {
        let (fingerprint, enabled_count, explored) = (reader.number()?, reader.number()?, reader.number()?);
        let node = shared.read(reader)?;
        let event = reader.event()?;
        let is_deviation = reader.advance_if("deviation");
        let sleep = read_events(reader, "sleep")?;
        let wakeup_tree = read_tree(reader, "branch")?;
        let claim = Claim::read_all(reader, "claim", shared)?.pop();
        let has_pending_claim = claim.is_some();
        let share = node.map(|node| Box::new(NodeShare { claim, has_pending_claim, ..NodeShare::new(node) }));
        Ok(Node { event, fingerprint, enabled_count, sleep, wakeup_tree, explored, is_deviation, share })
    }
}

fn write_events(text: &mut String, word: &str, events: &[Event]) {
    for event in events {
        text.push_str(word);
        write_event(text, event);
        text.push('\n');
    }
}

fn read_events(reader: &mut Reader<'_>, word: &str) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    while reader.advance_if(word) {
        events.push(reader.event()?);
    }
    Ok(events)
}

/// Writes a wake-up tree in pre-order. No recursion: a sequence can be as long as a run.
fn write_tree(text: &mut String, word: &str, branches: &[Branch]) {
    let mut pending: Vec<(usize, &Branch)> = branches.iter().rev().map(|branch| (0, branch)).collect();
    while let Some((depth, branch)) = pending.pop() {
        let way = u8::from(branch.any_alternative) + 2 * u8::from(branch.may_stay_asleep);
        let _ = write!(text, "{word} {depth} {way}");
        write_event(text, &branch.event);
        text.push('\n');
        pending.extend(branch.children.iter().rev().map(|child| (depth + 1, child)));
    }
}

fn read_tree(reader: &mut Reader<'_>, word: &str) -> Result<Vec<Branch>, String> {
    // The branches from the root to the last one that was read, each without its later children.
    let mut open: Vec<Branch> = Vec::new();
    let mut roots = Vec::new();
    while reader.advance_if(word) {
        let (depth, way): (usize, u8) = (reader.number()?, reader.number()?);
        if depth > open.len() {
            return Err(format!("a branch of depth {depth} after one of depth {}", open.len()));
        }
        close(&mut open, depth, &mut roots);
        let leaf = Branch::leaf(reader.event()?, way & 1 != 0);
        open.push(Branch { may_stay_asleep: way & 2 != 0, ..leaf });
    }
    close(&mut open, 0, &mut roots);
    Ok(roots)
}

/// Moves all open branches from this depth on to their parents.
fn close(open: &mut Vec<Branch>, depth: usize, roots: &mut Vec<Branch>) {
    while open.len() > depth
        && let Some(branch) = open.pop()
    {
        open.last_mut().map_or(&mut *roots, |parent| &mut parent.children).push(branch);
    }
}
