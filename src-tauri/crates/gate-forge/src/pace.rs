//! When a host may be asked again. Pure: the time is an argument, and nothing is waited for.
//!
//! One pace is of one host, whoever its tokens are of. GitHub's numbers for what makes content are those of "Rate limits for
//! the REST API", "About secondary rate limits"; one write a second is from "Best practices for using the REST API".

use std::collections::VecDeque;

use gate_core::Timestamp;

use crate::error::{ForgeError, Limit};
use crate::platform::Platform;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Between two writes.
const BETWEEN: u64 = SECOND;
/// Writes of GitHub's in a minute, and in an hour.
const GITHUB: [(u64, usize); 2] = [(MINUTE, 80), (HOUR, 500)];
/// After a limit that names no time; doubled each time, up to an hour.
const LIMITED: u64 = MINUTE;
/// After a failure; doubled each time, up to ten minutes.
const FAILED: u64 = 2 * SECOND;
const FAILED_MOST: u64 = 10 * MINUTE;

/// When the next request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Not before this; at once where it is past.
    At(Timestamp),
    /// Only once the person says so ([`Pace::released`]): the token isn't taken, or it has failed for a day.
    Held,
}

/// How a host is asked.
#[derive(Debug, Clone)]
pub struct Pace {
    platform: Platform,
    /// The writes of the last hour, the oldest first.
    sent: VecDeque<Timestamp>,
    not_before: Option<Timestamp>,
    /// In a row.
    limited: u32,
    failed: u32,
    failing_since: Option<Timestamp>,
    unknown_token: bool,
}

impl Pace {
    /// The pace of a host that had these writes lately: none, or those that the record knows of.
    #[must_use]
    pub fn new(platform: Platform, sent: impl IntoIterator<Item = Timestamp>) -> Self {
        let mut sent: Vec<Timestamp> = sent.into_iter().collect();
        sent.sort_unstable();
        let sent = sent.into();
        Self { platform, sent, not_before: None, limited: 0, failed: 0, failing_since: None, unknown_token: false }
    }

    /// When something may be read.
    #[must_use]
    pub fn next_read(&self, now: Timestamp) -> Next {
        let too_long = self.failing_since.is_some_and(|since| now >= since.plus_millis(DAY));
        if self.unknown_token || too_long {
            return Next::Held;
        }
        // A clock that was set back mustn't make it wait for longer than any wait is.
        Next::At(self.not_before.map_or(now, |at| at.min(now.plus_millis(DAY))).max(now))
    }

    /// When something may be written.
    #[must_use]
    pub fn next_write(&self, now: Timestamp) -> Next {
        let Next::At(mut at) = self.next_read(now) else { return Next::Held };
        // Likewise: what was sent in the future was sent now.
        let sent = || self.sent.iter().map(|sent| (*sent).min(now));
        if let Some(last) = sent().next_back() {
            at = at.max(last.plus_millis(BETWEEN));
        }
        let bounds = if self.platform == Platform::GitHub { &GITHUB[..] } else { &[] };
        for (over, most) in bounds {
            if let Some(oldest) = sent().rev().nth(most - 1) {
                at = at.max(oldest.plus_millis(*over));
            }
        }
        Next::At(at)
    }

    /// A write goes out now. Counted whatever comes of it: the platform counts it, too.
    pub fn wrote(&mut self, now: Timestamp) {
        while self.sent.front().is_some_and(|sent| sent.plus_millis(HOUR) <= now) {
            self.sent.pop_front();
        }
        self.sent.push_back(now);
    }

    /// What came of a request.
    pub fn heard<T>(&mut self, now: Timestamp, outcome: Result<&T, &ForgeError>) {
        match outcome {
            // A refusal is an answer: the host is there, and takes requests.
            Ok(_) | Err(ForgeError::Refused { .. }) => self.released(),
            Err(ForgeError::Auth { .. }) => self.unknown_token = true,
            Err(ForgeError::RateLimited { limit, .. }) => {
                self.not_before = Some(back_at(*limit, now, self.limited));
                self.limited = self.limited.saturating_add(1);
                (self.failed, self.failing_since) = (0, None);
            }
            Err(ForgeError::Unreachable { .. }) => {
                self.not_before = Some(now.plus_millis(doubled(FAILED, self.failed, FAILED_MOST)));
                self.failed = self.failed.saturating_add(1);
                self.failing_since = Some(self.failing_since.unwrap_or(now));
            }
            Err(ForgeError::Invalid(_)) => {}
        }
    }

    /// The person says that it goes on, or there is another token. What was sent still counts.
    pub fn released(&mut self) {
        let (platform, sent) = (self.platform, std::mem::take(&mut self.sent));
        *self = Self::new(platform, sent);
    }
}

/// When a limit ends.
fn back_at(limit: Limit, now: Timestamp, times: u32) -> Timestamp {
    let wait = match limit {
        Limit { after_seconds: Some(seconds), .. } => seconds.saturating_mul(SECOND),
        // By the platform's clock, whatever ours says.
        Limit { at: Some(at), said_at, .. } => between(said_at.unwrap_or(now), at),
        Limit { .. } => doubled(LIMITED, times, HOUR),
    };
    now.plus_millis(wait.clamp(SECOND, DAY))
}

fn between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or(0)
}

fn doubled(first: u64, times: u32, most: u64) -> u64 {
    first.saturating_mul(2_u64.saturating_pow(times)).min(most)
}

#[cfg(test)]
mod tests;
