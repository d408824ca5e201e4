//! The state of a reduction between two runs, as text: all workers' paths, and the places that they share.
//!
//! ```text
//! place CLAIMED          a step that is shared, numbered from 0 in this order
//! sleep EVENT            what is asleep, of the place or node before
//! branch DEPTH ANY EVENT a branch of its tree, in pre-order; DEPTH from 0
//! unresolved ANY EVENT
//! part RUNS ASLEEP ASTRAY
//! node FINGERPRINT COUNT DONE PLACE EVENT
//! claim DEPTH ANY EVENT  what the worker does next there, as a tree
//! ```

use super::shared::{Place, Share};
use super::wakeup::Branch;
use super::{Dpor, Figures, Node};
use crate::saved::{Reader, write_event};
use std::fmt::Write;
use std::sync::{Arc, Mutex};

impl Dpor {
    /// Between two runs: the parts of one exploration, as text.
    pub fn save(parts: &[&Dpor]) -> String {
        let mut places: Vec<*const Mutex<Place>> = Vec::new();
        let mut text = String::new();
        for share in parts.iter().flat_map(|part| &part.nodes).filter_map(|node| node.shared.as_ref()) {
            let address = Arc::as_ptr(&share.place);
            if !places.contains(&address) {
                places.push(address);
                share.place().write(&mut text);
            }
        }
        for part in parts {
            let Figures { runs, asleep, astray } = part.figures;
            let _ = writeln!(text, "part {runs} {asleep} {astray}");
            for node in &part.nodes {
                let place = node.shared.as_ref().map(|share| Arc::as_ptr(&share.place));
                let place = place.and_then(|address| places.iter().position(|known| *known == address));
                node.write(&mut text, place);
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
        let mut places: Vec<Arc<Mutex<Place>>> = Vec::new();
        let mut parts: Vec<Dpor> = Vec::new();
        while let Some(word) = reader.next_line() {
            match (word, parts.last_mut()) {
                ("place", None) => places.push(Arc::new(Mutex::new(Place::read(&mut reader)?))),
                ("part", _) => {
                    let [runs, asleep, astray] = [reader.number()?, reader.number()?, reader.number()?];
                    let figures = Figures { runs, asleep, astray };
                    parts.push(Dpor { figures, ..Dpor::default() });
                }
                ("node", Some(part)) => part.nodes.push(Node::read(&mut reader, &places)?),
                (other, _) => return Err(format!("`{other}` does not belong here")),
            }
        }
        if parts.iter().any(|part| part.nodes.is_empty()) {
            return Err("a part without steps".to_owned());
        }
        Ok(parts)
    }
}

impl Place {
    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "place {}", self.claimed);
        write_all(text, "sleep", &self.sleep);
        write_tree(text, "branch", &self.tree);
        write_tree(text, "unresolved", self.unresolved.as_slice());
    }

    fn read(reader: &mut Reader<'_>) -> Result<Place, String> {
        let claimed = reader.number()?;
        let sleep = read_all(reader, "sleep")?;
        let tree = read_tree(reader, "branch")?;
        let unresolved = read_tree(reader, "unresolved")?.pop();
        Ok(Place { sleep, tree, unresolved, claimed })
    }
}

impl Node {
    fn write(&self, text: &mut String, place: Option<usize>) {
        let place = place.map_or("-".to_owned(), |place| place.to_string());
        let _ = write!(text, "node {} {} {} {place}", self.fingerprint, self.count, self.done);
        write_event(text, &self.event);
        text.push('\n');
        write_all(text, "sleep", &self.sleep);
        write_tree(text, "branch", &self.tree);
        if let Some(share) = &self.shared {
            write_tree(text, "claim", share.claim.as_slice());
        }
    }

    fn read(reader: &mut Reader<'_>, places: &[Arc<Mutex<Place>>]) -> Result<Node, String> {
        let (fingerprint, count, done) = (reader.number()?, reader.number()?, reader.number()?);
        let place = match reader.word()? {
            "-" => None,
            word => {
                let place = word.parse().ok().and_then(|number: usize| places.get(number));
                Some(place.ok_or_else(|| format!("there is no place `{word}`"))?.clone())
            }
        };
        let event = reader.event()?;
        let sleep = read_all(reader, "sleep")?;
        let tree = read_tree(reader, "branch")?;
        let claim = read_tree(reader, "claim")?.pop();
        let shared = place.map(|place| Box::new(Share { place, claim }));
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
        let _ = write!(text, "{word} {depth} {}", u8::from(branch.any_way));
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
        let (depth, any_way): (usize, u8) = (reader.number()?, reader.number()?);
        if depth > open.len() {
            return Err(format!("a branch of depth {depth} after one of depth {}", open.len()));
        }
        close(&mut open, depth, &mut roots);
        open.push(Branch::leaf(reader.event()?, any_way != 0));
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
