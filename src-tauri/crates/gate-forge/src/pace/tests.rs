//! Waits of every kind, by a clock that a test holds.

use gate_core::Timestamp;

use super::{DAY, HOUR, MINUTE, Next, Pace, SECOND};
use crate::error::{ForgeError, Happened, Limit};
use crate::platform::Platform;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn after(millis: u64) -> Timestamp {
    NOW.plus_millis(millis)
}

fn limited(limit: Limit) -> ForgeError {
    ForgeError::RateLimited { limit, message: String::new() }
}

fn lost() -> ForgeError {
    ForgeError::Unreachable { cause: "silent".to_owned(), happened: Happened::Maybe }
}

/// The moments of so many writes, each as soon as it may.
fn writes(pace: &mut Pace, count: usize) -> Vec<u64> {
    let mut now = NOW;
    let mut moments = Vec::new();
    for _ in 0..count {
        let Next::At(at) = pace.next_write(now) else { panic!("nothing holds it") };
        now = at;
        pace.wrote(now);
        moments.push(u64::try_from(now.0 - NOW.0).expect("time goes on"));
    }
    moments
}

#[test]
fn a_host_gets_one_write_a_second() {
    assert_eq!(writes(&mut Pace::new(Platform::GitLab, []), 3), [0, SECOND, 2 * SECOND]);
    let many = writes(&mut Pace::new(Platform::GitLab, []), 1_000);
    assert_eq!(many.last(), Some(&(999 * SECOND)), "GitLab has no bound of its own");
}

#[test]
fn github_gets_eighty_a_minute_and_five_hundred_an_hour() {
    let moments = writes(&mut Pace::new(Platform::GitHub, []), 1_100);
    for (over, most) in [(MINUTE, 80), (HOUR, 500)] {
        for (index, moment) in moments.iter().enumerate() {
            let within = moments[index..].iter().take_while(|later| **later < moment + over).count();
            assert!(within <= most, "{within} writes in {over} ms after {moment}");
        }
    }
    assert_eq!(moments[500], HOUR, "the 501st waits for the first to be an hour old");
}

#[test]
fn a_burst_from_before_a_restart_counts() {
    let burst = (0..80).map(|index| after(index * 10));
    let pace = Pace::new(Platform::GitHub, burst);
    assert_eq!(pace.next_write(after(SECOND)), Next::At(after(MINUTE)), "whoever sent them");
    assert_eq!(pace.next_read(after(SECOND)), Next::At(after(SECOND)), "reading is another limit");
}

#[test]
fn what_the_platform_says_of_when_is_obeyed() {
    let said = |limit: Limit| {
        let mut pace = Pace::new(Platform::GitHub, []);
        pace.heard::<()>(NOW, Err(&limited(limit)));
        (pace.next_read(NOW), pace.next_write(NOW))
    };
    let both = |at| (Next::At(at), Next::At(at));
    assert_eq!(said(Limit { after_seconds: Some(7), ..Limit::default() }), both(after(7 * SECOND)));
    let reset = Limit { at: Some(after(90 * SECOND)), ..Limit::default() };
    assert_eq!(said(reset), both(after(90 * SECOND)));
    let skewed = Limit { at: Some(Timestamp(90_000)), said_at: Some(Timestamp(60_000)), after_seconds: None };
    assert_eq!(said(skewed), both(after(30 * SECOND)), "by the platform's clock, not by ours");
    let past = Limit { at: Some(Timestamp(0)), ..Limit::default() };
    assert_eq!(said(past), both(after(SECOND)), "never at once");
    let far = Limit { after_seconds: Some(u64::MAX), ..Limit::default() };
    assert_eq!(said(far), both(after(DAY)), "nor for ever");
}

#[test]
fn a_limit_without_a_time_doubles_from_a_minute_to_an_hour() {
    let mut pace = Pace::new(Platform::GitLab, []);
    let waits = [1, 2, 4, 8, 16, 32, 60, 60].map(|minutes| minutes * MINUTE);
    for wait in waits {
        pace.heard::<()>(NOW, Err(&limited(Limit::default())));
        assert_eq!(pace.next_read(NOW), Next::At(after(wait)));
    }
    pace.heard(NOW, Ok(&()));
    assert_eq!(pace.next_read(NOW), Next::At(NOW), "an answer ends it");
    pace.heard::<()>(NOW, Err(&limited(Limit::default())));
    assert_eq!(pace.next_read(NOW), Next::At(after(MINUTE)), "and the next one begins anew");
}

#[test]
fn failures_double_from_two_seconds_to_ten_minutes_and_are_held_after_a_day() {
    let mut pace = Pace::new(Platform::GitLab, []);
    let mut now = NOW;
    let mut waits = Vec::new();
    while let Next::At(at) = pace.next_write(now) {
        waits.push((at.0 - now.0) / 1_000);
        now = at;
        pace.heard::<()>(now, Err(&lost()));
    }
    assert_eq!(&waits[..11], [0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600]);
    assert!(waits[11..].iter().all(|wait| *wait == 600), "ten minutes is the longest");
    assert!(now >= after(DAY) && now <= after(DAY + 10 * MINUTE), "it ends after a day");
    assert_eq!(pace.next_read(now), Next::Held);
    pace.released();
    assert_eq!(pace.next_read(now), Next::At(now), "until the person says so");
}

#[test]
fn a_token_that_is_not_taken_holds_the_host() {
    let mut pace = Pace::new(Platform::GitHub, []);
    pace.heard::<()>(NOW, Err(&ForgeError::Auth { message: String::new() }));
    assert_eq!((pace.next_read(after(DAY)), pace.next_write(after(DAY))), (Next::Held, Next::Held));
    pace.released();
    assert_eq!(pace.next_write(NOW), Next::At(NOW), "another token may be good");
}

#[test]
fn a_refusal_holds_nothing() {
    let mut pace = Pace::new(Platform::GitHub, []);
    pace.heard::<()>(NOW, Err(&lost()));
    pace.heard::<()>(NOW, Err(&ForgeError::Refused { status: 422, message: String::new() }));
    assert_eq!(pace.next_read(NOW), Next::At(NOW), "the host answers");
}

#[test]
fn a_clock_that_was_set_back_holds_nothing_for_long() {
    let mut pace = Pace::new(Platform::GitHub, [after(5 * HOUR)]);
    assert_eq!(pace.next_write(NOW), Next::At(after(SECOND)));
    pace.heard::<()>(after(90 * DAY), Err(&lost()));
    assert_eq!(pace.next_read(NOW), Next::At(after(DAY)));
}
