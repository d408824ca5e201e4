//! Spans and events of `tracing`'s own macros, as changes of propositions and as states of a monitor.

use selvedge_ltl::progression::Verdict;
use selvedge_tracing::monitor::{Fact, Monitor, OnViolation};
use selvedge_tracing::{Change, MonitorLayer};
use std::sync::{Arc, Barrier, Mutex};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span, debug, event, field, info, info_span};
use tracing_subscriber::prelude::*;

type Log = Arc<Mutex<Vec<String>>>;

/// A layer that writes its changes to a log: `+p` is set, `-p` released, `*p` pulsed.
fn logged() -> (MonitorLayer, Log) {
    let log = Log::default();
    let to = log.clone();
    let layer = MonitorLayer::new(move |change, fact| {
        let sign = match change {
            Change::Set => '+',
            Change::Release => '-',
            Change::Pulse => '*',
        };
        to.lock().expect("no test panics here").push(format!("{sign}{fact}"));
    });
    (layer, log)
}

#[track_caller]
fn check(adapt: impl FnOnce(MonitorLayer) -> MonitorLayer, body: impl FnOnce(), expected: &[&str]) {
    let (layer, log) = logged();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(adapt(layer)), body);
    assert_eq!(*log.lock().expect("no test panics here"), expected);
}

#[track_caller]
fn check_plain(body: impl FnOnce(), expected: &[&str]) {
    check(|layer| layer, body, expected);
}

#[test]
fn a_span_holds_while_it_is_entered() {
    check_plain(
        || {
            let span = info_span!("request", id = 3);
            span.in_scope(|| info!("inside"));
            span.in_scope(|| ());
        },
        &["+request(3)", "*inside", "-request(3)", "+request(3)", "-request(3)"],
    );
}

#[test]
fn fields_are_data_in_the_order_of_their_declaration() {
    check_plain(
        || {
            let (user, ratio) = ("ann", 0.5);
            info!(name: "login", user, id = -3, big = u128::MAX, ratio, ok = true, debug = ?Some(1));
            let big = format!("+{:?}", ());
            info_span!("db.query", text = %big).in_scope(|| ());
        },
        &[
            r#"*login("ann", -3, "340282366920938463463374607431768211455", "0.5", "true", "Some(1)")"#,
            r#"+db.query("+()")"#,
            r#"-db.query("+()")"#,
        ],
    );
}

#[test]
fn an_event_is_named_by_its_name_or_by_its_message() {
    check_plain(
        || {
            info!(name: "answer", id = 7, "with a message");
            info!(id = 7, "answer");
            info!("two words {}", 7);
            event!(Level::INFO, id = 7);
        },
        &["*answer(7)", "*answer(7)", r#"*"two words 7""#],
    );
}

#[test]
fn chosen_fields_are_data_in_the_chosen_order() {
    check(
        |layer| layer.fields(["user", "id"]),
        || {
            info_span!("request", id = 3, path = "/", user = "ann").in_scope(|| ());
            info!(id = 3, "answer");
        },
        &[r#"+request("ann", 3)"#, r#"-request("ann", 3)"#, "*answer(3)"],
    );
}

#[test]
fn a_field_that_is_recorded_later_changes_the_proposition() {
    check_plain(
        || {
            let span = info_span!("request", id = 3, user = field::Empty);
            let _entered = span.enter();
            span.record("user", "ann");
            span.record("user", "ann");
        },
        &["+request(3)", r#"+request(3, "ann")"#, "-request(3)", r#"-request(3, "ann")"#],
    );
}

#[test]
fn equal_spans_are_one_proposition_that_holds_until_the_last_is_left() {
    check_plain(
        || {
            let [one, other] = [(); 2].map(|()| info_span!("request", id = 3));
            let first = one.enter();
            let second = other.enter();
            let third = one.enter();
            info!(id = 3, "request");
            drop(first);
            drop(second);
            drop(third);
        },
        &["+request(3)", "-request(3)"],
    );
}

#[test]
fn a_span_on_several_threads_holds_until_the_last_one_leaves_it() {
    let (layer, log) = logged();
    let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(layer));
    let span = tracing::dispatcher::with_default(&dispatch, || info_span!("request", id = 3));
    let all_inside = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                tracing::dispatcher::with_default(&dispatch, || span.in_scope(|| all_inside.wait()));
            });
        }
    });
    assert_eq!(*log.lock().expect("no thread panics"), ["+request(3)", "-request(3)"]);
}

#[test]
fn a_span_that_is_closed_while_it_is_entered_is_released() {
    check_plain(
        || {
            let span = info_span!("request", id = 3);
            std::mem::forget(span.enter());
            drop(span);
            info!("later");
        },
        &["+request(3)", "-request(3)", "*later"],
    );
}

#[test]
fn a_span_can_hold_while_it_is_open() {
    check(
        MonitorLayer::while_open,
        || {
            let span = info_span!("request", id = 3);
            span.in_scope(|| info!("inside"));
            info!("outside");
            let copy = span.clone();
            drop(span);
            drop(copy);
            info!("later");
        },
        &["+request(3)", "*inside", "*outside", "-request(3)", "*later"],
    );
}

#[test]
fn what_a_filter_drops_is_no_proposition() {
    let (layer, log) = logged();
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(LevelFilter::INFO));
    tracing::subscriber::with_default(subscriber, || {
        tracing::debug_span!("hidden").in_scope(|| debug!("hidden"));
        info!("shown");
    });
    assert_eq!(*log.lock().expect("no test panics here"), ["*shown"]);
}

#[test]
fn two_layers_of_one_subscriber_do_not_meet() {
    let ((one, one_log), (other, other_log)) = (logged(), logged());
    let subscriber = tracing_subscriber::registry().with(one.fields(["id"])).with(other.while_open());
    tracing::subscriber::with_default(subscriber, || {
        let span = info_span!("request", id = 3, user = "ann");
        span.in_scope(|| ());
    });
    assert_eq!(*one_log.lock().expect("no test panics here"), ["+request(3)", "-request(3)"]);
    let expected = [r#"+request(3, "ann")"#, r#"-request(3, "ann")"#];
    assert_eq!(*other_log.lock().expect("no test panics here"), expected);
}

fn monitored(on_violation: OnViolation, formula: &str) -> (Arc<Mutex<Monitor<Fact>>>, tracing::Dispatch) {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.on_violation(on_violation);
    monitor.check("formula", formula).expect("a formula");
    let monitor = Arc::new(Mutex::new(monitor));
    let layer = MonitorLayer::of(monitor.clone());
    (monitor, tracing::Dispatch::new(tracing_subscriber::registry().with(layer)))
}

fn verdict(monitor: &Mutex<Monitor<Fact>>) -> Option<Verdict> {
    let mut monitor = monitor.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    monitor.finish().judgements[0].verdict
}

#[test]
fn a_violation_names_the_threads_of_its_path() {
    let (monitor, dispatch) = monitored(OnViolation::Keep, "forall a != b: G !(transfer(a) & transfer(b))");
    let thread = |name: &str, id: u32, inside: &(dyn Fn() + Sync)| {
        std::thread::scope(|scope| {
            let work = || {
                tracing::dispatcher::with_default(&dispatch, || {
                    info_span!("transfer", id).in_scope(inside);
                });
            };
            std::thread::Builder::new().name(name.into()).spawn_scoped(scope, work).expect("a thread");
        });
    };
    thread("first", 1, &|| thread("second", 2, &|| ()));
    let monitor = monitor.lock().expect("no thread panics");
    let violation = &monitor.violations()[0];
    let actors: Vec<Option<&str>> = violation.path.iter().map(|entry| entry.actor.as_deref()).collect();
    assert_eq!(actors, [Some("first"), Some("second")]);
}

#[test]
fn requests_and_answers_of_a_log() {
    let (monitor, dispatch) = monitored(OnViolation::Keep, "forall r: G (request(r) -> F answer(r))");
    let log = |name: &str, id: u32| {
        tracing::dispatcher::with_default(&dispatch, || match name {
            "request" => info!(id, "request"),
            _ => info!(id, "answer"),
        });
    };
    log("request", 1);
    log("request", 2);
    log("answer", 1);
    assert_eq!(verdict(&monitor), Some(Verdict::PresumablyFalse));
    log("answer", 2);
    assert_eq!(verdict(&monitor), Some(Verdict::PresumablyTrue));
}

#[test]
fn a_function_that_handles_a_violation_may_log() {
    let told = Log::default();
    let to = told.clone();
    let handler = OnViolation::Call(Box::new(move |violation| {
        info_span!("handler").in_scope(|| info!("bad"));
        to.lock().expect("no test panics here").push(violation.name.clone());
    }));
    let (monitor, dispatch) = monitored(handler, "G !bad");
    tracing::dispatcher::with_default(&dispatch, || info!("bad"));
    assert_eq!(*told.lock().expect("no test panics here"), ["formula"]);
    assert_eq!(monitor.lock().expect("no test panics here").state(), 1);
}

#[test]
fn an_event_that_violates_a_formula_can_panic() {
    let (monitor, dispatch) = monitored(OnViolation::Panic, "G !bad");
    tracing::dispatcher::with_default(&dispatch, || {
        assert!(std::panic::catch_unwind(|| info!("bad")).is_err());
        info!("good");
    });
    assert_eq!(verdict(&monitor), Some(Verdict::False));
    assert!(!monitor.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).holds(&Fact::from("bad")));
}

#[test]
fn a_disabled_span_is_no_proposition() {
    check_plain(|| Span::none().in_scope(|| ()), &[]);
}
