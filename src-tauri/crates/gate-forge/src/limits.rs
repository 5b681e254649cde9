//! What the head of an answer says of limits. Keeps no clock: it gives what was said.
//!
//! GitHub: `docs.github.com/rest`, "Rate limits for the REST API"; GitLab: `doc/administration/settings/
//! user_and_ip_rate_limits.md`, "Response headers".

use gate_core::Timestamp;
use time::PrimitiveDateTime;
use time::macros::format_description;
use ureq::http::HeaderMap;

use crate::error::Limit;

/// How GitHub says a limit in words, in either of its two kinds.
const WORDS: &str = "rate limit";

/// Whether the answer is about a limit: 429, or 403 where it says so.
pub(crate) fn is_limit(status: u16, head: &HeaderMap, message: &str) -> bool {
    let none_left = text(head, "x-ratelimit-remaining") == Some("0");
    let said = head.contains_key("retry-after") || none_left || message.to_ascii_lowercase().contains(WORDS);
    status == 429 || (status == 403 && said)
}

/// When to come back.
pub(crate) fn limit(head: &HeaderMap) -> Limit {
    let after = text(head, "retry-after");
    let after_seconds = after.and_then(|text| text.parse().ok());
    // GitHub says when its hour ends whatever happens: that is the answer only where nothing is left of it.
    let some_left = text(head, "x-ratelimit-remaining").is_some_and(|left| left != "0");
    let reset = |name| text(head, name)?.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(1_000));
    let reset = reset("x-ratelimit-reset").filter(|_| !some_left).or_else(|| reset("ratelimit-reset")).map(Timestamp);
    let at = after.and_then(date).or(reset);
    Limit { after_seconds, at, said_at: text(head, "date").and_then(date) }
}

fn text<'a>(head: &'a HeaderMap, name: &str) -> Option<&'a str> {
    head.get(name)?.to_str().ok().map(str::trim)
}

/// RFC 9110, 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<Timestamp> {
    let form =
        format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");
    let moment = PrimitiveDateTime::parse(text, form).ok()?.assume_utc();
    moment.unix_timestamp().checked_mul(1_000).map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| ((*name).parse().expect("a name"), (*value).parse().expect("a value")))
            .collect()
    }

    #[test]
    fn every_way_to_say_when_is_read() {
        assert_eq!(limit(&head(&[("retry-after", "30")])).after_seconds, Some(30));
        let said = limit(&head(&[("x-ratelimit-reset", "784111900"), ("date", "Sun, 06 Nov 1994 08:49:37 GMT")]));
        assert_eq!(said.at, Some(Timestamp(784_111_900_000)), "GitHub's");
        assert_eq!(said.said_at, Some(Timestamp(784_111_777_000)), "so many seconds after this");
        let some_left = [("x-ratelimit-reset", "784111900"), ("x-ratelimit-remaining", "4000")];
        assert_eq!(limit(&head(&some_left)), Limit::default(), "a limit of the other kind ends sooner than the hour");
        assert_eq!(limit(&head(&[("ratelimit-reset", "784111900")])).at, Some(Timestamp(784_111_900_000)), "GitLab's");
        let dated = limit(&head(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]));
        assert_eq!((dated.after_seconds, dated.at), (None, Some(Timestamp(784_111_777_000))));
        assert_eq!(limit(&head(&[("retry-after", "soon"), ("x-ratelimit-reset", "-")])), Limit::default());
    }

    #[test]
    fn a_403_is_a_limit_only_where_it_says_so() {
        let none = head(&[]);
        assert!(is_limit(429, &none, ""));
        assert!(!is_limit(403, &none, "Resource not accessible by integration"), "that is a refusal");
        assert!(is_limit(403, &none, "You have exceeded a secondary rate limit."));
        assert!(is_limit(403, &head(&[("x-ratelimit-remaining", "0")]), ""));
        assert!(!is_limit(403, &head(&[("x-ratelimit-remaining", "12")]), ""));
        assert!(!is_limit(422, &head(&[("retry-after", "1")]), "rate limit"), "other statuses say something else");
    }
}
