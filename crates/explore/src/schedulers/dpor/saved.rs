//! The state of a reduction between two runs, as text: all workers' paths, and the places that they share.
//!
//! ```text
//! places N                      how many are shared
//! place DONE INNER WHOLE OPEN HOLDERS FINGERPRINT COUNT
//! sleep EVENT                   what is asleep, of the place or node before
//! claimed PLACE WORKERS ANY EVENT
//! branch DEPTH WAY EVENT        of its tree, in pre-order; DEPTH from 0; WAY is 1 for any way, 2 where it is doubtful
//! part FIGURES                  a worker, or somebody who will be
//! node FINGERPRINT COUNT DONE PLACE EVENT
//! claim PLACE WORKERS ANY EVENT what the worker does next there
//! ```

use super::node::Node;
use super::shared::{Claim, Known, Place, Share, lock};
use super::tree::Branch;
use super::{Dpor, Figures};
use crate::saved::{Reader, write_event};
use std::fmt::Write;
use std::sync::{Arc, Mutex};

impl Dpor {
    /// Between two runs: the parts of one exploration, as text.
    pub fn save(parts: &[&Dpor]) -> String {
        let paths = || parts.iter().flat_map(|part| part.orphans.iter().chain([&part.nodes]));
        let shares = paths().flatten().filter_map(|node| node.shared.as_ref());
        let places = Places::of(shares.map(|share| share.place.clone()).collect());
        let mut text = format!("places {}\n", places.0.len());
        for place in &places.0 {
            lock(place).write(&mut text, &places);
        }
        for part in parts {
            debug_assert!(!part.is_probing(), "between two runs");
            let numbers = part.figures.numbers().map(|number| number.to_string()).join(" ");
            let _ = writeln!(text, "part {numbers}");
            part.nodes.iter().for_each(|node| node.write(&mut text, &places));
            for orphan in &part.orphans {
                text.push_str("part 0 0 0 0 0\n");
                orphan.iter().for_each(|node| node.write(&mut text, &places));
            }
        }
        text
    }

    /// What [`Dpor::save`] wrote.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub fn load(text: &str) -> Result<Vec<Dpor>, String> {
        let mut reader = Reader::new(text);
        let count: usize = if reader.goes_to("places") { reader.number()? } else { 0 };
        let places = Places((0..count).map(|_| Arc::new(Mutex::new(Place::default()))).collect());
        for known in &places.0 {
            if !reader.goes_to("place") {
                return Err("a place is missing".to_owned());
            }
            let place = Place::read(&mut reader, &places)?;
            *lock(known) = place;
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
                ("node", Some(part)) => part.nodes.push(Node::read(&mut reader, &places)?),
                (other, _) => return Err(format!("`{other}` does not belong here")),
            }
        }
        Ok(parts)
    }
}

/// All places, by number.
struct Places(Vec<Known>);

impl Places {
    /// These, and all behind them.
    fn of(mut left: Vec<Known>) -> Places {
        let mut places = Places(Vec::new());
        while let Some(place) = left.pop() {
            if places.number(&place).is_none() {
                left.extend(lock(&place).claimed.iter().filter_map(|claim| claim.behind.clone()));
                places.0.push(place);
            }
        }
        places
    }

    fn number(&self, place: &Known) -> Option<usize> {
        self.0.iter().position(|known| Arc::ptr_eq(known, place))
    }

    fn write(&self, place: Option<&Known>) -> String {
        place.and_then(|place| self.number(place)).map_or("-".to_owned(), |number| number.to_string())
    }

    fn read(&self, reader: &mut Reader<'_>) -> Result<Option<Known>, String> {
        match reader.word()? {
            "-" => Ok(None),
            word => {
                let place = word.parse().ok().and_then(|number: usize| self.0.get(number));
                Ok(Some(place.ok_or_else(|| format!("there is no place `{word}`"))?.clone()))
            }
        }
    }
}

impl Claim {
    fn write(&self, text: &mut String, word: &str, places: &Places) {
        let behind = places.write(self.behind.as_ref());
        let _ = write!(text, "{word} {behind} {} {}", self.workers, u8::from(self.branch.any_way));
        write_event(text, &self.branch.event);
        text.push('\n');
    }

    fn read_all(reader: &mut Reader<'_>, word: &str, places: &Places) -> Result<Vec<Claim>, String> {
        let mut claims = Vec::new();
        while reader.goes_to(word) {
            let (behind, workers) = (places.read(reader)?, reader.number()?);
            let any_way: u8 = reader.number()?;
            claims.push(Claim { branch: Branch::leaf(reader.event()?, any_way != 0), behind, workers });
        }
        Ok(claims)
    }
}

impl Place {
    fn write(&self, text: &mut String, places: &Places) {
        let Place { done, holders, fingerprint, count, .. } = self;
        let [inner, whole, open] = [self.is_inner, self.is_whole, self.is_open].map(u8::from);
        let _ = writeln!(text, "place {done} {inner} {whole} {open} {holders} {fingerprint} {count}");
        write_all(text, "sleep", &self.sleep);
        self.claimed.iter().for_each(|claim| claim.write(text, "claimed", places));
        write_tree(text, "branch", &self.tree);
    }

    fn read(reader: &mut Reader<'_>, places: &Places) -> Result<Place, String> {
        let done = reader.number()?;
        let [inner, whole, open]: [u8; 3] = [reader.number()?, reader.number()?, reader.number()?];
        let (holders, fingerprint, count) = (reader.number()?, reader.number()?, reader.number()?);
        Ok(Place {
            sleep: read_all(reader, "sleep")?,
            claimed: Claim::read_all(reader, "claimed", places)?,
            tree: read_tree(reader, "branch")?,
            done,
            is_inner: inner != 0,
            is_whole: whole != 0,
            is_open: open != 0,
            holders,
            fingerprint,
            count,
        })
    }
}

impl Node {
    fn write(&self, text: &mut String, places: &Places) {
        let share = self.shared.as_ref();
        let place = places.write(share.map(|share| &share.place));
        let _ = write!(text, "node {} {} {} {place}", self.fingerprint, self.count, self.done);
        write_event(text, &self.event);
        text.push('\n');
        write_all(text, "sleep", &self.sleep);
        write_tree(text, "branch", &self.tree);
        if let Some(claim) = share.and_then(|share| share.claim.as_ref()) {
            claim.write(text, "claim", places);
        }
    }

    fn read(reader: &mut Reader<'_>, places: &Places) -> Result<Node, String> {
        let (fingerprint, count, done) = (reader.number()?, reader.number()?, reader.number()?);
        let place = places.read(reader)?;
        let event = reader.event()?;
        let sleep = read_all(reader, "sleep")?;
        let tree = read_tree(reader, "branch")?;
        let claim = Claim::read_all(reader, "claim", places)?.pop();
        let is_open = claim.is_some();
        let shared = place.map(|place| Box::new(Share { claim, is_open, ..Share::of(place) }));
        Ok(Node { event, fingerprint, count, sleep, tree, done, shared })
    }
}

fn write_all(text: &mut String, word: &str, events: &[crate::Event]) {
    for event in events {
        text.push_str(word);
        write_event(text, event);
        text.push('\n');
    }
}

fn read_all(reader: &mut Reader<'_>, word: &str) -> Result<Vec<crate::Event>, String> {
    let mut events = Vec::new();
    while reader.goes_to(word) {
        events.push(reader.event()?);
    }
    Ok(events)
}

/// Writes a tree in pre-order. A sequence can be as long as a run: there is no recursion.
fn write_tree(text: &mut String, word: &str, branches: &[Branch]) {
    let mut left: Vec<(usize, &Branch)> = branches.iter().rev().map(|branch| (0, branch)).collect();
    while let Some((depth, branch)) = left.pop() {
        let way = u8::from(branch.any_way) + 2 * u8::from(branch.is_doubtful);
        let _ = write!(text, "{word} {depth} {way}");
        write_event(text, &branch.event);
        text.push('\n');
        left.extend(branch.next.iter().rev().map(|next| (depth + 1, next)));
    }
}

fn read_tree(reader: &mut Reader<'_>, word: &str) -> Result<Vec<Branch>, String> {
    // The branches from the root to the last one that was read, each without those after it.
    let mut open: Vec<Branch> = Vec::new();
    let mut roots = Vec::new();
    while reader.goes_to(word) {
        let (depth, way): (usize, u8) = (reader.number()?, reader.number()?);
        if depth > open.len() {
            return Err(format!("a branch of depth {depth} after one of depth {}", open.len()));
        }
        close(&mut open, depth, &mut roots);
        open.push(Branch { is_doubtful: way & 2 != 0, ..Branch::leaf(reader.event()?, way & 1 != 0) });
    }
    close(&mut open, 0, &mut roots);
    Ok(roots)
}

/// Hangs all branches from this depth on into those that they follow.
fn close(open: &mut Vec<Branch>, depth: usize, roots: &mut Vec<Branch>) {
    while open.len() > depth
        && let Some(branch) = open.pop()
    {
        open.last_mut().map_or(&mut *roots, |before| &mut before.next).push(branch);
    }
}
