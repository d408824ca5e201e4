//! Trace files: what is written is read, older files are read, and broken ones are refused with their line.

use selvedge_explore::event::Footprint;
use selvedge_explore::trace::{
    PropositionChange, RecordedFormula, RecordedState, Recording, RecordingWriter, VerdictPlace,
};
use selvedge_explore::{
    Action, Effect, Ending, Event, EventId, Kind, ObjectId, RacingAccess, Random, ReadsFrom, Site, Stall,
    Step, Switch, ThreadId, Trace,
};

const VERSION_1: &str = include_str!("../data/version-1.trace");
const VERSION_2_OF_PATHS: &str = include_str!("../data/version-2-of-paths.trace");

/// A source of random traces.
struct Generator(Random);

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound).unwrap_or(0)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn number(&mut self) -> u64 {
        if self.coin() { 0 } else { self.0.word() }
    }

    fn text(&mut self) -> String {
        self.pick(&["", "main", "a b", " two\nlines ", "# no comment", "`x` -> é, \"\u{85}\"", "-"])
            .to_owned()
    }

    fn thread(&mut self) -> ThreadId {
        let thread = ThreadId(self.below(3) as u32);
        if self.below(4) == 0 { ThreadId::phantom(thread, self.below(3)) } else { thread }
    }

    fn object(&mut self) -> Option<ObjectId> {
        self.below(3).checked_sub(1).map(ObjectId::at)
    }

    fn action(&mut self) -> Action {
        let kind = self.pick(Kind::ALL);
        Action {
            is_buffered: self.coin(),
            drains: self.coin(),
            preceding_stores: self.number() as u32,
            reads_from: self.pick(&[ReadsFrom::Memory, ReadsFrom::Own, ReadsFrom::Buffer]),
            has_alternatives: self.coin(),
            waits_for_unknown: self.coin(),
            is_guarded: self.coin(),
            is_final: self.coin(),
            is_interruption_point: self.coin(),
            object: self.object(),
            second: self.object(),
            target: (kind == Kind::Spawn || self.below(4) == 0).then(|| ThreadId(self.below(4) as u32)),
            footprint: Footprint { reads: self.number(), writes: self.number() },
            expected: self.coin().then(|| self.number()),
            ..Action::new(kind)
        }
    }

    fn event(&mut self) -> Event {
        let id = EventId { thread: self.thread(), alternative: self.below(3) as u32 };
        let effect = Effect {
            read_only: self.coin(),
            wakes_no_waiter: self.coin(),
            ends_run: self.coin(),
            affects_outcome: self.coin(),
            observed: self.number(),
        };
        let site = self.pick(&[Site::Unknown, Site::Line(7), Site::Rust(std::panic::Location::caller())]);
        Event { effect, ..Event::pending(id, self.action(), site) }
    }

    /// A formula that is violated before this number, at the end, or not at all.
    fn formula(&mut self, end: usize) -> RecordedFormula {
        let place = self.below(end.max(1)) as u64;
        let places = [None, Some(VerdictPlace::End), (end > 0).then_some(VerdictPlace::At(place))];
        RecordedFormula {
            name: self.text(),
            text: self.text(),
            binding: self.coin().then(|| self.text()),
            began: self.coin().then(|| self.number()),
            violated: self.pick(&places),
        }
    }

    fn trace(&mut self) -> Trace {
        let mut trace = Trace::default();
        let switches = [Switch::Same, Switch::Start, Switch::Yielded, Switch::Preempt, Switch::Commit];
        let steps = self.below(20);
        for _ in 0..steps {
            let (event, switch) = (self.event(), self.pick(&switches));
            trace.push(event, switch);
        }
        trace.threads = (0..self.below(4)).map(|_| self.text()).collect();
        trace.objects = (0..self.below(4)).map(|_| self.text()).collect();
        trace.values = (0..self.below(steps + 1)).map(|_| self.text()).collect();
        let ending = |this: &mut Generator| Ending {
            id: ThreadId(this.below(3) as u32),
            thread: String::new(),
            state: this.text(),
            site: Site::Line(3),
            stall: this.pick(&[None, Some(Stall::Blocked), Some(Stall::Spinning)]),
        };
        trace.endings = (0..self.below(3)).map(|_| ending(self)).collect();
        let access = |this: &mut Generator| RacingAccess {
            after: this.below(steps + 1),
            thread: ThreadId(this.below(3) as u32),
            action: this.pick(&["read", "write"]),
            object: ObjectId::at(this.below(3)),
            site: Site::Unknown,
        };
        trace.racing_accesses = (0..self.below(3)).map(|_| access(self)).collect();
        trace.formulas = (0..self.below(3)).map(|_| self.formula(steps)).collect();
        trace
    }

    fn path(&mut self) -> Recording {
        let count = self.below(10);
        let mut path = Recording { threads: vec!["main".into(), "worker".into()], ..Recording::default() };
        for number in 0..count as u64 {
            let thread = self.coin().then(|| ThreadId(self.below(2) as u32));
            let change = |this: &mut Generator| PropositionChange {
                holds: this.coin(),
                proposition: this.pick(&["p", "holds(1, \"a b\")", "q "]).to_owned(),
            };
            let changes = (0..self.below(3)).map(|_| change(self)).collect();
            let remainder = self.coin().then(|| "G !p".to_owned());
            path.states.push(RecordedState { number, thread, changes, remainder });
        }
        let violated = count.checked_sub(1).map(|last| VerdictPlace::At(last as u64));
        let text = "F q".to_owned();
        path.formulas.push(RecordedFormula {
            name: "f".into(),
            text,
            violated,
            ..RecordedFormula::default()
        });
        path
    }
}

#[test]
fn a_recording_that_is_written_and_read_is_unchanged() {
    let mut generator = Generator(Random(5));
    for number in 0..5000 {
        let trace = generator.trace();
        let recording = trace.recording(&[("outcome", "Panicked: two\nlines"), ("seed", "7"), ("empty", "")]);
        let text = recording.to_string();
        assert_eq!(Recording::parse(&text).as_ref(), Ok(&recording), "{number}\n{text}");
        assert_eq!(recording.get("outcome"), Some("Panicked: two lines"));
        assert_eq!(
            Recording::parse(&text).map(|read| read.table().to_string()),
            Ok(trace.table().to_string())
        );
        let path = generator.path();
        assert_eq!(Recording::parse(&path.to_string()).as_ref(), Ok(&path), "{path}");
    }
}

/// Only the places in the source are texts.
#[test]
fn the_events_of_a_recording_are_whole() {
    let mut generator = Generator(Random(6));
    for _ in 0..1000 {
        let trace = generator.trace();
        let canonical = trace.run_threads().canonical();
        let recording = Recording::parse(&trace.recording(&[]).to_string()).expect("it was written");
        assert_eq!(recording.steps.len(), trace.len());
        for (read, step) in recording.steps.iter().zip(trace.steps()) {
            let mut event = Event { site: Site::Unknown, ..step.event };
            event.id.thread = canonical(event.id.thread);
            event.action.target = event.action.target.map(&canonical);
            assert_eq!((read.event(), read.switch), (event, Some(step.switch)));
            assert_eq!(read.site, step.event.site.to_string());
            assert!(read.matches(&event));
        }
        // A thread that the run did not spawn is labelled by its number.
        let threads = trace.run_threads();
        let is_spawned = |step: &Step| threads.in_order().contains(&step.event.thread().owner());
        if trace.steps().iter().all(is_spawned) {
            assert_eq!(recording.short().unwrap_or_default(), trace.short().to_string());
        }
    }
}

#[test]
fn a_writer_without_memory_writes_the_same_steps() {
    let mut generator = Generator(Random(7));
    for _ in 0..200 {
        let mut trace = generator.trace();
        trace.values.clear();
        let mut text = String::new();
        let mut writer = RecordingWriter::begin(&mut text).expect("memory");
        trace.steps().iter().for_each(|step| writer.step(step).expect("memory"));
        let read = Recording::parse(&text).expect("it was written");
        assert_eq!(read.steps, trace.recording(&[]).steps);
    }
}

#[test]
fn files_of_version_1_are_read_and_their_threads_numbered_anew() {
    let recording = Recording::parse(VERSION_1).expect("it is readable");
    assert_eq!(recording.threads, ["main", "one", "grandchild", "two"]);
    assert_eq!(recording.steps[4].id.thread, ThreadId::phantom(ThreadId(2), 0));
    assert_eq!((recording.get("test"), recording.short()), (Some("queue::deadlocks"), None));
    let expected = "\
test      queue::deadlocks
outcome   deadlock
strategy  systematic

  step  thread               action  object                        at
  0     main                 spawn   `one`                         tests/queue.rs:17
  1                          spawn   `two`                         tests/queue.rs:18
  2     one                  spawn   `grandchild`                  tests/queue.rs:20
  3     grandchild           store   atomic#1 (tests/queue.rs:16)  tests/queue.rs:21
  4     grandchild's buffer  commit  atomic#1 (tests/queue.rs:16)  tests/queue.rs:21
  5     two                  lock    mutex#1 (tests/queue.rs:15)   tests/queue.rs:23
";
    assert_eq!(recording.overview().to_string(), expected);
}

#[test]
fn files_of_version_2_without_values_are_read() {
    let recording = Recording::parse(VERSION_2_OF_PATHS).expect("it is readable");
    assert_eq!((recording.steps.len(), recording.endings.len()), (7, 0));
    assert!(recording.steps.iter().all(|step| step.value.is_empty() && step.switch.is_none()));
    assert_eq!(Recording::parse(&recording.to_string()), Ok(recording));
}

#[track_caller]
fn check_refused(text: &str, message: &str) {
    let text = text.replace("TRACE", "selvedge-trace 2");
    assert_eq!(Recording::parse(&text).map_err(|error| error.to_string()), Err(message.to_owned()));
}

#[test]
fn malformed_text_is_refused_with_its_line() {
    check_refused("", "line 1: not a trace: the first line is `selvedge-trace 2` in one");
    let later = "line 1: a trace of version 9; this program reads versions up to 2";
    check_refused("selvedge-trace 9\n", later);
    let items = "about, thread, object, step, access, state, ending, formula";
    check_refused("selvedge-trace 1\nfoo", &format!("line 2: `foo` is not one of {items}"));
    check_refused("TRACE\n\nstep 0 0 dance - - - x", "line 3: `dance` is not an action");
    check_refused("TRACE\nstep 0 0 lock 0 - - x", "line 2: objects are numbered from 1");
    check_refused("TRACE\nstep 0 0 lock", "line 2: a step without its object");
    check_refused("TRACE\nstep c 0 commit 1 - - x", "line 2: `` is not a thread's number");
    check_refused("TRACE\nstep c0.x 0 commit 1 - - x", "line 2: `x` is not a buffer's number");
    check_refused(
        "TRACE\nstep c0.40000 0 commit 1 - - x",
        "line 2: `c0.40000`: there are not so many buffers",
    );
    check_refused("TRACE\nstep 2147483648 0 load 1 - - x", "line 2: `2147483648` is not a thread's number");
    check_refused("TRACE\nstep 0 0 spawn - - 65536 x", "line 2: `65536`: there are not so many threads");
    check_refused("TRACE\nthread 1 a", "line 2: the next name is number 0, not 1");
}

#[test]
fn malformed_details_are_refused_with_their_line() {
    let step = "TRACE\nstep 0 0 load 1 - - x\n";
    check_refused("TRACE\n  value 5", "line 2: `value` says more about the line above it, and there is none");
    check_refused(
        "TRACE\nthread 0 a\n  value 5",
        "line 3: `value` says more about the line above it, and there is none",
    );
    check_refused(
        &format!("{step}  left x"),
        "line 3: `left` is not one of how, value, which the line above can have",
    );
    check_refused(&format!("{step}  value 1\n  value 2"), "line 4: a second `value`");
    check_refused(&format!("{step}  how strange"), "line 3: `strange` says nothing about a step");
    check_refused(&format!("{step}  how observed=x"), "line 3: `x` is not a number");
    let large = "line 3: `preceding_stores=4294967296`: the number is too large";
    check_refused(&format!("{step}  how preceding_stores=4294967296"), large);
    check_refused("TRACE\naccess 0 - x", "line 2: an access without its object");
    check_refused("TRACE\nending 0 tired x", "line 2: `tired` is not one of blocked, spinning, -");
    check_refused("TRACE\nstate 3 -\nstate 3 -", "line 3: state 3 after state 3");
    check_refused("TRACE\nformula 2 f", "line 2: the next name is number 1, not 2");
    check_refused(&format!("{step}formula 1 f\n  violated 1"), "line 4: there is no step or state 1 above");
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    let message = |bytes: &[u8]| Recording::from_bytes(bytes).map_err(|error| error.to_string());
    assert_eq!(message(b"selvedge-trace 2\nthread 0 \xff"), Err("line 2: this is not UTF-8 text".to_owned()));
    assert_eq!(Recording::from_bytes(VERSION_1.as_bytes()), Recording::parse(VERSION_1));
}

/// Replaces, removes, adds, repeats and moves bytes and lines.
fn mutated(text: &str, generator: &mut Generator) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=generator.below(4) {
        let at = generator.below(bytes.len().max(1)).min(bytes.len());
        let end = (at + generator.below(30)).min(bytes.len());
        let frequent = *b"0123456789 \n-c.=#";
        match generator.below(6) {
            0 => bytes.insert(at, generator.below(256) as u8),
            1 => bytes.insert(at, generator.pick(&frequent)),
            2 if at < bytes.len() => bytes[at] = generator.pick(&frequent),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let to = generator.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
                let (one, other) = (generator.below(lines.len()), generator.below(lines.len()));
                lines.swap(one, other);
                bytes = lines.join(&b'\n');
            }
        }
    }
    bytes
}

#[test]
fn broken_files_never_panic_and_what_is_read_is_written_again() {
    let mut generator = Generator(Random(8));
    let (mut refused, mut read) = (0, 0);
    for number in 0..20_000 {
        let text = match number % 4 {
            0 => VERSION_1.to_owned(),
            1 => VERSION_2_OF_PATHS.to_owned(),
            2 => generator.path().to_string(),
            _ => generator.trace().recording(&[("outcome", "deadlock")]).to_string(),
        };
        let bytes = mutated(&text, &mut generator);
        match Recording::from_bytes(&bytes) {
            Err(error) => {
                let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
                assert!((1..=lines).contains(&error.line) && !error.message.is_empty(), "{error}");
                refused += 1;
            }
            Ok(recording) => {
                let _ = recording.overview().to_string();
                assert_eq!(Recording::parse(&recording.to_string()), Ok(recording));
                read += 1;
            }
        }
    }
    assert!(refused > 5000 && read > 2000, "{refused} refused, {read} read");
}

fn spawn(thread: u32, target: u32) -> Event {
    let id = EventId { thread: ThreadId(thread), alternative: 0 };
    Event::pending(id, Action::to(Kind::Spawn, ThreadId(target)), Site::Unknown)
}

/// In an exploration, thread 3 is `1.1`, and thread 1 is main's first child; another run has thread 4.
#[test]
fn threads_are_recorded_in_the_order_of_their_paths() {
    let mut trace = Trace::default();
    trace.threads = ["main", "one", "two", "grandchild", ""].map(str::to_owned).to_vec();
    for event in [spawn(0, 1), spawn(0, 2), spawn(1, 3)] {
        trace.push(event, Switch::Start);
    }
    assert_eq!(trace.short().to_string(), "S0-S0-S1-");
    let recording = trace.recording(&[]);
    assert_eq!(recording.threads, ["main", "one", "grandchild", "two"]);
    let targets: Vec<_> = recording.steps.iter().map(|step| step.action.target).collect();
    assert_eq!(targets, [1, 3, 2].map(|number| Some(ThreadId(number))));
    let parents: Vec<_> = recording.run_threads().tree().parents().collect();
    assert_eq!(parents, [0, 1, 0].map(ThreadId));
    assert_eq!(Recording::parse(&recording.to_string()), Ok(recording));
}
