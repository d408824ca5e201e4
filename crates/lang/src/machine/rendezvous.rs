//! Rendezvous: a send and a receive over a channel without room are one step of two processes.
//!
//! The edge of the sender is an offer, that of the receiver accepts it. Each pair of such edges of two
//! processes has a number of its own, behind the numbers of all edges: the step is the sender's, and the
//! receiver is its partner.
//!
//! Promise: a pair is a step where both processes are at its edges, the channels are the same, and the
//! message matches; both processes move, the sender's values are those before the step.

use super::channel::{FieldCode, cell_of, targets};
use super::{EdgeCode, EdgeId, EffectCode, Machine};
use crate::flow_graph::arithmetic::Fault;
use crate::flow_graph::{Cell, FlowGraphs, MAX_FIELDS};
use rustc_hash::FxHashMap;
use selvedge_model::{Steps, Word};

/// The fields of a message.
type Message = [Cell; MAX_FIELDS];

/// The offers and the edges that accept them, and the numbers of their pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    /// How many edges all processes have.
    edges: u32,
    channels: Vec<ChannelMeetings>,
    /// The channel of an edge, and its place among the offers or the accepting edges there.
    places: FxHashMap<u32, (u32, u32)>,
}

/// The edges of one channel, or of an array of channels.
#[derive(Clone, Debug, Default)]
struct ChannelMeetings {
    /// The first of its buffers.
    buffer: u32,
    /// The number of its first pair among all pairs.
    first: u32,
    offers: Vec<u32>,
    accepting: Vec<u32>,
}

impl Meetings {
    /// The meetings of these edges; `buffers` are the first buffers of the program's channels.
    pub(super) fn new(program: &FlowGraphs, buffers: &[u32], edges: &[EdgeCode]) -> Meetings {
        let mut meetings = Meetings { edges: edges.len() as u32, ..Meetings::default() };
        let mut numbers = FxHashMap::default();
        for (channel, buffer) in program.channels.iter().zip(buffers) {
            for element in 0..channel.length.unwrap_or(1) as u32 {
                numbers.insert(buffer + element, meetings.channels.len() as u32);
            }
            meetings.channels.push(ChannelMeetings { buffer: *buffer, ..ChannelMeetings::default() });
        }
        for (number, code) in edges.iter().enumerate() {
            let (place, is_offer) = match &code.effect {
                EffectCode::Offer(place, _) => (place, true),
                EffectCode::Accept(place, _) => (place, false),
                _ => continue,
            };
            let channel = numbers[&place.buffers().start];
            let ChannelMeetings { offers, accepting, .. } = &mut meetings.channels[channel as usize];
            let list = if is_offer { offers } else { accepting };
            meetings.places.insert(number as u32, (channel, list.len() as u32));
            list.push(number as u32);
        }
        meetings.channels.retain(|channel| !channel.offers.is_empty() || !channel.accepting.is_empty());
        let kept: FxHashMap<u32, u32> =
            (0..).zip(&meetings.channels).map(|(kept, channel)| (numbers[&channel.buffer], kept)).collect();
        meetings.places.values_mut().for_each(|(channel, _)| *channel = kept[channel]);
        let mut first = 0_u32;
        for channel in &mut meetings.channels {
            channel.first = first;
            first += (channel.offers.len() * channel.accepting.len()) as u32;
        }
        meetings
    }

    /// Is there no such step?
    pub(super) fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// The step of an offer and an accepting edge of the same channel.
    fn step(&self, offer: u32, accept: u32) -> EdgeId {
        let (channel, offer) = self.places[&offer];
        let (_, accept) = self.places[&accept];
        let channel = &self.channels[channel as usize];
        EdgeId(self.edges + channel.first + offer * channel.accepting.len() as u32 + accept)
    }

    /// The offer and the accepting edge of a step of two processes.
    pub(super) fn pair(&self, step: EdgeId) -> Option<(u32, u32)> {
        let number = step.0.checked_sub(self.edges)?;
        let index = self.channels.partition_point(|channel| channel.first <= number) - 1;
        // A channel without pairs has the number of the next one, which comes behind it.
        let channel = &self.channels[index];
        let number = (number - channel.first) as usize;
        let accepting = channel.accepting.len();
        Some((channel.offers[number / accepting], channel.accepting[number % accepting]))
    }

    /// The edges that an offer, or that accept what an edge offers: all of its channel.
    pub(super) fn partners(&self, edge: u32) -> &[u32] {
        let Some((channel, _)) = self.places.get(&edge) else { return &[] };
        let channel = &self.channels[*channel as usize];
        if channel.offers.contains(&edge) { &channel.accepting } else { &channel.offers }
    }

    /// All edges of the channel of this edge.
    pub(super) fn with_same_channel(&self, edge: u32) -> impl Iterator<Item = u32> {
        let channel = self.places.get(&edge).map(|(channel, _)| &self.channels[*channel as usize]);
        channel.into_iter().flat_map(|channel| channel.offers.iter().chain(&channel.accepting)).copied()
    }

    /// All edges that take part in such steps.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        self.channels.iter().flat_map(|channel| channel.offers.iter().chain(&channel.accepting)).copied()
    }
}

impl Machine {
    /// The edge of the process that takes a step: of two processes, the sender's.
    #[inline]
    pub(super) fn own_edge(&self, step: EdgeId) -> u32 {
        if (step.0 as usize) < self.edges.len() {
            return step.0;
        }
        self.meetings.pair(step).map_or(0, |(offer, _)| offer)
    }

    pub(super) fn code(&self, step: EdgeId) -> &EdgeCode {
        &self.edges[self.own_edge(step) as usize]
    }

    /// Calls `visit` with each edge of another process that accepts the offer, and the message, until it
    /// answers false. A fault if the channel's index faults, or a value and a process waits for it.
    fn visit_meetings(
        &self,
        offer: u32,
        state: &[Word],
        visit: &mut dyn FnMut(u32, &Message) -> bool,
    ) -> Result<(), Fault> {
        let code = &self.edges[offer as usize];
        let EffectCode::Offer(place, values) = &code.effect else { return Ok(()) };
        let buffer = place.buffer(state)?;
        let mut message = None;
        for process in (0..self.processes.len()).filter(|process| *process != code.process as usize) {
            for edge in self.nodes[self.node_of(process, state)].clone() {
                let EffectCode::Accept(place, fields) = &self.edges[edge as usize].effect else { continue };
                if place.buffer(state) != Ok(buffer) {
                    continue;
                }
                if message.is_none() {
                    let mut cells = [Cell::Null; MAX_FIELDS];
                    for (cell, value) in cells.iter_mut().zip(values) {
                        *cell = cell_of(value.eval(state)?);
                    }
                    message = Some(cells);
                }
                let Some(cells) = &message else { continue };
                if accepts(fields, cells) && !visit(edge, cells) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Adds the steps that an offer takes together with other processes.
    pub(super) fn push_meetings(&self, offer: u32, state: &[Word], out: &mut Steps<EdgeId>) {
        let met = self.visit_meetings(offer, state, &mut |accept, message| {
            self.push_meeting(offer, accept, message, state, out);
            true
        });
        if let Err(fault) = met {
            let next = out.push(EdgeId(offer), state);
            self.set_error(&self.edges[offer as usize], fault, next);
        }
    }

    fn push_meeting(
        &self,
        offer: u32,
        accept: u32,
        message: &Message,
        state: &[Word],
        out: &mut Steps<EdgeId>,
    ) {
        let [sender, receiver] = [offer, accept].map(|edge| &self.edges[edge as usize]);
        let EffectCode::Accept(_, fields) = &receiver.effect else { return };
        let next = out.push(self.meetings.step(offer, accept), state);
        match targets(fields, state) {
            Ok(targets) => {
                for (target, value) in targets.iter().zip(message) {
                    target.iter().for_each(|target| target.store(next, *value));
                }
                sender.writes.apply(next);
                receiver.writes.apply(next);
            }
            Err(fault) => self.set_error(receiver, fault, next),
        }
        if let Some(last) = self.last_mover {
            let processes = self.processes.len() as u64;
            let pair = u64::from(sender.process) * processes + u64::from(receiver.process);
            last.set(next, 1 + processes + pair);
        }
    }

    /// Adds the error of a receive whose channel cannot be determined.
    pub(super) fn push_accept_fault(&self, accept: u32, state: &[Word], out: &mut Steps<EdgeId>) {
        let code = &self.edges[accept as usize];
        if let EffectCode::Accept(place, _) = &code.effect
            && let Err(fault) = place.buffer(state)
        {
            let next = out.push(EdgeId(accept), state);
            self.set_error(code, fault, next);
        }
    }

    /// Is there no process that an offer can meet?
    pub(super) fn is_offer_blocked(&self, offer: u32, state: &[Word]) -> bool {
        let mut is_blocked = true;
        let met = self.visit_meetings(offer, state, &mut |_, _| {
            is_blocked = false;
            false
        });
        met.is_ok() && is_blocked
    }

    /// Is there no process with an offer that this edge accepts?
    pub(super) fn is_accept_blocked(&self, accept: u32, state: &[Word]) -> bool {
        let code = &self.edges[accept as usize];
        if let EffectCode::Accept(place, _) = &code.effect
            && place.buffer(state).is_err()
        {
            return false;
        }
        let others = (0..self.processes.len()).filter(|process| *process != code.process as usize);
        let mut offers = others.flat_map(|process| self.nodes[self.node_of(process, state)].clone());
        !offers.any(|offer| {
            let mut is_met = false;
            let met = self.visit_meetings(offer, state, &mut |edge, _| {
                is_met |= edge == accept;
                !is_met
            });
            met.is_ok() && is_met
        })
    }

    /// How many values the last mover can have.
    pub(super) fn mover_count(processes: usize, has_meetings: bool) -> usize {
        1 + processes + if has_meetings { processes * processes } else { 0 }
    }

    /// The processes that took the last step, counted from 1: twice the same if it was one, 0 if none.
    pub(super) fn movers_of(&self, last_mover: Word) -> [usize; 2] {
        let (last, processes) = (last_mover as usize, self.processes.len());
        match last.checked_sub(1 + processes) {
            None => [last; 2],
            Some(pair) => [1 + pair / processes, 1 + pair % processes],
        }
    }
}

/// Is each field of the message taken?
fn accepts(fields: &[FieldCode], message: &Message) -> bool {
    fields.iter().zip(message).all(|(field, value)| field.takes(*value))
}
