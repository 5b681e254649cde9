//! The service by which a person confirms an approval to the system: whether it is there, and would ask.

use std::time::Duration;

use gate_api::Finding;
use gate_service::{Client, Reached, Refused, Why};

use crate::finding::{Mending as _, SYSTEM};
use crate::settings::Known;
use crate::words;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(3);
/// What puts it there.
const INSTALL: &str = "sudo review-gated install";

pub(crate) async fn check(settings: &Known) -> Option<Finding> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let late = |_| Err(Refused::new(Why::Silent, "review-gated doesn't answer."));
    let reached = tokio::time::timeout(LIMIT, Client::default().reachable(None)).await.unwrap_or_else(late);
    Some(found(reached, settings.confirmed))
}

/// What that is; `wanted` says that approvals have to be confirmed so.
fn found(reached: Result<Reached, Refused>, wanted: bool) -> Finding {
    let refused = match reached {
        Ok(Reached { version, key, .. }) => {
            return SYSTEM.good(words::system_confirms(version, key.fingerprint().to_string()));
        }
        Err(refused) => refused,
    };
    let found = match (refused.why, wanted) {
        (Why::Absent, false) => return SYSTEM.skipped(words::system_absent()),
        (Why::Absent, true) => SYSTEM.warning(words::system_absent(), words::mend_system()),
        (_, true) => SYSTEM.warning(words::as_it_is(refused.message.as_str()), words::as_it_is(refused.mend())),
        (_, false) => SYSTEM.note(words::as_it_is(refused.message.as_str())).mend(words::as_it_is(refused.mend())),
    };
    match refused.why {
        Why::Absent | Why::Version | Why::NoPolkit => found.command(INSTALL),
        _ => found,
    }
}

#[cfg(test)]
mod tests {
    use gate_api::Level;

    use super::*;

    #[test]
    fn what_isn_t_there_is_wrong_where_it_is_wanted_only() {
        let told = |why, wanted| {
            let found = found(Err(Refused::new(why, "It went wrong.")), wanted);
            (found.level, found.command)
        };
        assert_eq!(told(Why::Absent, false), (Level::Skipped, None));
        assert_eq!(told(Why::Absent, true), (Level::Warning, Some(INSTALL.to_owned())));
        assert_eq!(told(Why::Unasked, false), (Level::Note, None));
        assert_eq!(told(Why::Version, true), (Level::Warning, Some(INSTALL.to_owned())));
    }
}
