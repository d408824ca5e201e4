//! The events that every contestant reads: the same random ones in each round.

/// A state of the first comparison: which of `a` and `b` hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) a: bool,
    pub(crate) b: bool,
}

/// An event of the second comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Request(u32),
    Answer(u32),
}

/// States in which each proposition holds with probability one half.
pub(crate) fn coin_flips(count: usize) -> Vec<State> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut state = || {
        let bits = random.next();
        State { a: bits & 1 == 1, b: bits & 2 == 2 }
    };
    (0..count).map(|_| state()).collect()
}

/// A request, its answer, and so on, with other events between them, up to seven each time.
pub(crate) fn requests_and_answers(count: usize) -> Vec<State> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut states = Vec::new();
    while states.len() < count {
        for (a, b) in [(true, false), (false, true)] {
            states.push(State { a, b });
            let others = random.next() % 8;
            states.extend((0..others).map(|_| State { a: false, b: false }));
        }
    }
    states.truncate(count);
    states
}

/// First one request for each id: as many instances are live from then on. Then random ids: an open
/// request is answered, an answered one is made again.
pub(crate) fn by_id(ids: u32, count: usize) -> (Vec<Event>, Vec<Event>) {
    let mut random = Random::new();
    let mut is_open = vec![true; ids as usize];
    let mut event = || {
        let id = (random.next() % u64::from(ids)) as u32;
        let is_open = &mut is_open[id as usize];
        *is_open = !*is_open;
        if *is_open { Event::Request(id) } else { Event::Answer(id) }
    };
    ((0..ids).map(Event::Request).collect(), (0..count).map(|_| event()).collect())
}

/// Marsaglia's xorshift.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }
}
