//! Processes: orders of messages, links, monitors, names, timers, deliveries.

use super::{concrete, fifo, outcomes, program};
use selvedge_lang::{ErlangOptions, Program, SystemOptions};
use selvedge_model::{Fairness, Options, System, Verdict, check};
use std::collections::BTreeSet;

#[track_caller]
fn expect_outcomes(text: &str, options: &ErlangOptions, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|outcome| (*outcome).to_owned()).collect();
    let program = program(text, options);
    for reduction in [false, true] {
        assert_eq!(outcomes(&program, reduction), expected, "with reduction {reduction}:\n{text}");
    }
}

#[test]
fn each_channel_is_as_fair_as_a_process() {
    // Under fair runs the message arrives, however often the others move.
    let text = "main() -> P = spawn(fun() -> receive x -> prop(got) end end), P ! x, \
                Q = spawn(fun loop/0), Q ! 1, loop().\nloop() -> self() ! y, receive y -> loop() end.";
    let program = program(text, &fifo());
    let formula = program.formula("F got").expect("a formula");
    let mut alphabet = selvedge_ltl::Alphabet::default();
    let numbered = alphabet.number(&formula).expect("one proposition");
    let options = SystemOptions { fair: true, ..SystemOptions::default() };
    for (fairness, expected) in [(Fairness::None, false), (Fairness::Weak, true), (Fairness::Strong, true)] {
        let system = program.system(alphabet.names(), options).expect("a system");
        assert!(system.processes() <= 64);
        let options = Options { fairness, ..Options::default() };
        let verdict = check(&system, &numbered, options).expect("a verdict").verdict;
        assert_eq!(verdict == Verdict::Holds, expected, "{fairness:?}");
    }
}

#[test]
fn more_channels_than_fairness_is_kept_for_are_a_limit() {
    // Each of nine processes sends to all others: 72 channels.
    let text = "main() -> Ps = [spawn(fun() -> wait() end) || _ <- [1, 2, 3, 4, 5, 6, 7, 8]], \
                [P ! {all, Ps} || P <- Ps].\n\
                wait() -> receive {all, Ps} -> [P ! x || P <- Ps], wait(); x -> wait() end.";
    let program = program(text, &ErlangOptions { max_mailbox: 1, ..fifo() });
    let formula = program.formula("G !never").expect("a formula");
    let mut alphabet = selvedge_ltl::Alphabet::default();
    let numbered = alphabet.number(&formula).expect("one proposition");
    let options = SystemOptions { fair: true, ..SystemOptions::default() };
    let system = program.system(alphabet.names(), options).expect("a system");
    let mut options = Options { fairness: Fairness::Weak, ..Options::default() };
    options.budget.limits.states = Some(3_000);
    let verdict = check(&system, &numbered, options).expect("a verdict").verdict;
    assert!(matches!(verdict, Verdict::Limit(_)), "{verdict:?}");
}

#[test]
fn messages_of_two_processes_arrive_in_either_order() {
    let text = "main() -> S = self(), spawn(fun() -> S ! a end), spawn(fun() -> S ! b end),
        receive X -> receive Y -> exit({X, Y}) end end.";
    expect_outcomes(text, &concrete(), &["{a,b}", "{b,a}"]);
    expect_outcomes(text, &fifo(), &["{a,b}", "{b,a}"]);
}

#[test]
fn a_message_may_be_overtaken_on_another_way_only_if_messages_travel() {
    // @0 sends to @2 and then to @1, which sends to @2.
    let text = "main() -> S = self(),
            P = spawn(fun() -> receive X -> receive Y -> S ! {X, Y} end end end),
            Q = spawn(fun() -> receive go -> P ! second end end),
            P ! first, Q ! go, receive R -> exit(R) end.";
    expect_outcomes(text, &concrete(), &["{first,second}"]);
    expect_outcomes(text, &fifo(), &["{first,second}", "{second,first}"]);
}

#[test]
fn a_timeout_may_come_before_the_message_unless_it_is_long() {
    let text = |ms: &str| {
        format!(
            "main() -> S = self(), spawn(fun() -> S ! x end), receive x -> exit(got) after {ms} -> exit(late) end."
        )
    };
    expect_outcomes(&text("10"), &concrete(), &["got", "late"]);
    expect_outcomes(&text("5000"), &concrete(), &["got"]);
    expect_outcomes("main() -> receive x -> ok after 5000 -> exit(late) end.", &concrete(), &["late"]);
}

#[test]
fn a_timer_sends_its_message_unless_it_is_cancelled() {
    let text = "main() -> R = erlang:send_after(10, self(), tick), case erlang:cancel_timer(R) of
        false -> receive tick -> exit(ticked) end;
        _ -> receive tick -> exit(wrong) after 0 -> exit(cancelled) end end.";
    expect_outcomes(text, &concrete(), &["ticked", "cancelled"]);
}

#[test]
fn an_exit_goes_along_links() {
    let text = "main() -> P = spawn(fun() -> receive go -> exit(bad) end end), link(P), P ! go,
        receive never -> ok end.";
    expect_outcomes(text, &concrete(), &[]);
    let trapping =
        "main() -> process_flag(trap_exit, true), P = spawn(fun() -> receive go -> exit(bad) end end),
        link(P), P ! go, receive {'EXIT', P, R} -> exit({told, R}) end.";
    expect_outcomes(trapping, &concrete(), &["{told,bad}"]);
    expect_outcomes(trapping, &fifo(), &["{told,bad}"]);
    let normal = "main() -> P = spawn_link(fun() -> ok end), R = monitor(process, P),
        receive {'DOWN', R, _, _, W} -> exit({down, W}) end.";
    expect_outcomes(normal, &concrete(), &["{down,noproc}", "{down,normal}"]);
}

#[test]
fn a_name_belongs_to_one_process_as_long_as_it_lives() {
    let text =
        "main() -> P = spawn(fun() -> receive stop -> ok end end), register(p, P), R = monitor(process, P),
        Again = (catch register(p, self())), p ! stop, receive {'DOWN', R, _, _, _} -> ok end,
        exit({case Again of {'EXIT', {badarg, _}} -> refused; _ -> taken end, whereis(p)}).";
    expect_outcomes(text, &concrete(), &["{refused,undefined}"]);
    expect_outcomes(text, &fifo(), &["{refused,undefined}"]);
}

#[test]
fn a_server_that_makes_a_reference_for_each_call_has_finitely_many_states() {
    let text = "main() -> S = spawn(fun() -> server() end), loop(S).
        server() -> receive {P, R} -> P ! R, server() end.
        loop(S) -> R = make_ref(), S ! {self(), R}, receive R -> loop(S) end.";
    expect_outcomes(text, &concrete(), &[]);
}

#[test]
fn processes_that_come_and_go_reuse_pids() {
    let text = "main() -> S = self(), spawn(fun() -> S ! done end), receive done -> main() end.";
    // Without reduction ever more processes are about to end.
    assert_eq!(outcomes(&program(text, &concrete()), true), BTreeSet::new());
}

#[test]
fn a_gen_server_answers_calls_and_a_late_answer_is_dropped() {
    let text = "-behaviour(gen_server).
        -export([init/1, handle_call/3, handle_cast/2]).
        init(N) -> {ok, N}.
        handle_call(next, _, N) -> {reply, N, N + 1}.
        handle_cast({add, M}, N) -> {noreply, N + M}.
        main() -> {ok, S} = gen_server:start_link(t, 5, []), gen_server:cast(S, {add, 2}),
            A = gen_server:call(S, next), B = gen_server:call(S, next), gen_server:stop(S), exit({A, B}).";
    expect_outcomes(text, &concrete(), &["{7,8}"]);
}
