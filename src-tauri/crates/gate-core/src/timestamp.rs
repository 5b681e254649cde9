//! Points in time: milliseconds since the Unix epoch inside, RFC 3339 in UTC outside.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

/// Milliseconds since 1970-01-01T00:00:00Z. Serialised as RFC 3339, e.g. `2026-11-21T09:30:00.125Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This moment plus `millis` milliseconds.
    #[must_use]
    pub fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(i64::try_from(millis).unwrap_or(i64::MAX)))
    }

    /// As it stands in the names of files, UTC to the millisecond: `20261121T034921125Z`. Names sort as time does.
    #[must_use]
    pub fn in_names(self) -> String {
        let form = format_description!("[year][month][day]T[hour][minute][second][subsecond digits:3]Z");
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .ok()
            .and_then(|moment| moment.format(form).ok())
            .unwrap_or_else(|| format!("{}ms", self.0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .ok()
            .and_then(|moment| moment.format(&Rfc3339).ok());
        match text {
            Some(text) => f.write_str(&text),
            None => write!(f, "{} ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let moment = OffsetDateTime::parse(&text, &Rfc3339).map_err(serde::de::Error::custom)?;
        let millis = moment.unix_timestamp_nanos() / 1_000_000;
        i64::try_from(millis).map(Timestamp).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_timestamp_round_trips_through_rfc_3339() {
        let moment = Timestamp(1_795_232_961_125);
        let text = serde_json::to_string(&moment).unwrap_or_default();
        assert_eq!(text, "\"2026-11-21T03:49:21.125Z\"", "outside, time is RFC 3339 in UTC");
        let back: Timestamp = serde_json::from_str(&text).unwrap_or(Timestamp(0));
        assert_eq!(back, moment, "milliseconds survive the round trip");
    }

    #[test]
    fn stamps_have_one_length_and_sort_as_time_does() {
        assert_eq!(Timestamp(1_795_232_961_125).in_names(), "20261121T034921125Z");
        assert_eq!(Timestamp(1_795_232_961_000).in_names(), "20261121T034921000Z", "no zero is left out");
    }
}
