//! The view on terminals of several sizes, and what keys do.

use super::source::News;
use super::state::{After, Lower, State};
use super::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use onramp_service::counts::Counts;
use onramp_testing::samples::counts;
use unicode_width::UnicodeWidthStr;

fn screen(state: &State, width: usize, height: usize) -> String {
    let lines = view::lines(state, width, height);
    assert_eq!(lines.len(), height);
    let lines = lines.iter().map(|line| {
        let line: String = line.iter().map(|piece| piece.content().as_str()).collect();
        assert_eq!(line.width(), width, "{line:?}");
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn news(counts: Counts) -> News {
    News {
        counts: Ok(counts),
        starting: Ok(Vec::new()),
        initial_rates: Ok([("onramp".to_owned(), "auto (now 5.02 Mbit/s)".to_owned())].into()),
    }
}

/// A state after two looks, a second apart.
fn state() -> State {
    let mut state = State::new(counts(20), false);
    let mut later = counts(22);
    later.time_s += 1.0;
    state.on_news(news(later));
    state
}

fn press(state: &mut State, keys: &[KeyCode]) {
    for key in keys {
        assert_eq!(state.on_key(KeyEvent::from(*key)), After::Stay);
    }
}

fn names(state: &State) -> Vec<&str> {
    state
        .rows()
        .iter()
        .map(|row| row.policy.name.as_str())
        .collect()
}

#[test]
fn a_terminal_of_80_columns_and_24_lines() {
    insta::assert_snapshot!(screen(&state(), 80, 24));
}

#[test]
fn a_wide_terminal_has_all_columns() {
    insta::assert_snapshot!(screen(&state(), 150, 30));
}

#[test]
fn a_small_terminal_has_the_table() {
    insta::assert_snapshot!(screen(&state(), 40, 8));
}

/// Nothing panics, whatever the size.
#[test]
fn every_size_is_drawn() {
    for width in [1, 2, 5, 13, 27, 79, 300] {
        for height in [1, 2, 3, 5, 9, 10, 11, 50] {
            let mut state = state();
            screen(&state, width, height);
            press(&mut state, &[KeyCode::Char('c')]);
            screen(&state, width, height);
            press(&mut state, &[KeyCode::Char('?')]);
            screen(&state, width, height);
        }
    }
}

#[test]
fn the_help_names_keys_and_columns() {
    let mut state = state();
    press(&mut state, &[KeyCode::Char('?')]);
    insta::assert_snapshot!(screen(&state, 80, 24));
    // Any key goes back, also q.
    press(&mut state, &[KeyCode::Char('q')]);
    assert!(screen(&state, 80, 24).contains("POLICY"));
}

#[test]
fn a_policy_that_was_switched_off_says_why() {
    let mut state = state();
    press(&mut state, &[KeyCode::Char('s')]);
    assert_eq!(
        names(&state),
        ["mobile", "web", "backup"],
        "switched off first"
    );
    let screen = screen(&state, 80, 24);
    assert!(screen.contains("> mobile       SWITCHED OFF"), "{screen}");
    assert!(
        screen.contains("Switched off 1 h ago: connections with the start-up took"),
        "{screen}"
    );
}

#[test]
fn the_initial_rate_is_that_of_the_policys_start_up() {
    let mut state = state();
    let mut other = counts(24);
    other.time_s += 2.0;
    other.policies[1].congestion_control = Some("onramp_gamma".to_owned());
    other.policies[2].congestion_control = None;
    let mut news = news(other);
    let rates = news.initial_rates.as_mut().unwrap();
    rates.insert("onramp_gamma".to_owned(), "off".to_owned());
    state.on_news(news);
    for rate in [Some("auto (now 5.02 Mbit/s)"), Some("off"), None] {
        let screen = screen(&state, 80, 24);
        match rate {
            Some(rate) => assert!(
                screen.contains(&format!("Initial rate: {rate}.")),
                "{screen}"
            ),
            None => assert!(!screen.contains("Initial rate"), "{screen}"),
        }
        press(&mut state, &[KeyCode::Down]);
    }
}

#[test]
fn policies_are_sorted_and_stay_selected() {
    let mut state = state();
    press(&mut state, &[KeyCode::End]);
    assert_eq!(state.selected_of(&state.rows()), Some(2));
    press(&mut state, &[KeyCode::Char('s'), KeyCode::Char('s')]);
    assert_eq!(
        names(&state),
        ["web", "mobile", "backup"],
        "most new connections first"
    );
    assert_eq!(
        state.selected_of(&state.rows()),
        Some(1),
        "mobile is still selected"
    );
    press(&mut state, &[KeyCode::Char('r')]);
    assert_eq!(names(&state), ["backup", "mobile", "web"]);
    press(
        &mut state,
        &[KeyCode::Left, KeyCode::Left, KeyCode::Char('r')],
    );
    assert_eq!(
        names(&state),
        ["web", "backup", "mobile"],
        "as in the configuration"
    );
}

#[test]
fn a_filter_looks_at_names_start_ups_and_states() {
    let mut state = state();
    press(
        &mut state,
        &[KeyCode::Char('/'), KeyCode::Char('O'), KeyCode::Char('b')],
    );
    assert_eq!(names(&state), ["mobile"]);
    assert!(screen(&state, 80, 24).contains("filter: Ob_"));
    press(&mut state, &[KeyCode::Backspace, KeyCode::Backspace]);
    press(
        &mut state,
        &"canary".chars().map(KeyCode::Char).collect::<Vec<_>>(),
    );
    press(&mut state, &[KeyCode::Enter]);
    assert_eq!(names(&state), ["web"]);
    press(&mut state, &[KeyCode::Esc]);
    assert_eq!(names(&state).len(), 3, "Esc takes the filter away");
    press(
        &mut state,
        &"/nothing".chars().map(KeyCode::Char).collect::<Vec<_>>(),
    );
    assert!(screen(&state, 80, 24).contains("No policy has \"nothing\" in its name"));
}

#[test]
fn a_paused_view_does_not_change() {
    let mut state = state();
    press(&mut state, &[KeyCode::Char('p')]);
    let paused = screen(&state, 80, 24);
    assert!(paused.contains("PAUSED"), "{paused}");
    let mut later = counts(30);
    later.time_s += 9.0;
    state.on_news(news(later.clone()));
    assert_eq!(screen(&state, 80, 24), paused);
    press(&mut state, &[KeyCode::Char(' ')]);
    state.on_news(news(later));
    assert_ne!(screen(&state, 80, 24), paused);
}

#[test]
fn a_service_that_has_gone_is_said_and_the_last_counts_stay() {
    let mut state = state();
    state.on_news(News {
        counts: Err("no service runs here".to_owned()),
        starting: Err("root is needed".to_owned()),
        initial_rates: Err("root is needed".to_owned()),
    });
    let unknown = "Initial rate: unknown, because root is needed.";
    assert!(screen(&state, 80, 24).contains(unknown));
    press(&mut state, &[KeyCode::Char('c')]);
    assert_eq!(state.lower, Lower::Starting);
    let screen = screen(&state, 80, 24);
    assert!(screen.contains("NO NEWS: no service runs here"), "{screen}");
    assert!(screen.contains("canary 5 %"), "{screen}");
    assert!(
        screen.contains("Connections cannot be listed: root is needed"),
        "{screen}"
    );
}

#[test]
fn q_escape_and_control_c_leave() {
    for key in [
        KeyEvent::from(KeyCode::Char('q')),
        KeyEvent::from(KeyCode::Esc),
        KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
    ] {
        assert_eq!(state().on_key(key), After::Leave, "{key:?}");
    }
}
