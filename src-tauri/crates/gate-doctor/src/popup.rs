//! The test request: what it asks, and what came of it.

use std::time::Duration;

use gate_api::Finding;
use gate_core::{AnsweredFrom, Ask, Choice, bounds};

use crate::finding::{Mending as _, POPUP};
use crate::words;

/// What became of the test request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Somebody answered it.
    Answered {
        /// Where.
        from: AnsweredFrom,
        /// After how long.
        after: Duration,
    },
    /// Somebody closed it without an answer.
    Closed {
        /// After how long.
        after: Duration,
    },
    /// Nobody did anything within [`bounds::TEST_REQUEST_SECONDS`]; it was withdrawn.
    No,
}

/// What the person is asked. Urgent, so that it comes up whatever hour it is.
#[must_use]
pub fn test_request() -> Ask {
    Ask {
        message: "This is a test: an agent's question comes up like this, but no agent waits for this one. Choose \
                  the answer below, write one of your own, or close the request; each shows that requests reach \
                  you. It leaves nothing in the history.\n\n\
                  这是测试：智能体的提问就像这样出现，但没有智能体在等待这一个。选择下面的回答、自己写一个回答或关闭它，\
                  都说明请求能够送达。它不会留在历史记录中。"
            .to_owned(),
        title: Some("Do you see this? · 你看到了吗？".to_owned()),
        urgent: true,
        options: vec![Choice { label: "Yes · 看到了".to_owned(), description: None, recommended: false }],
        ..Ask::default()
    }
}

impl Seen {
    /// What it tells. `window`: whether the gate has one.
    #[must_use]
    pub fn finding(self, window: bool) -> Finding {
        let seconds = |after: Duration| after.as_secs().max(1);
        match self {
            Self::Answered { from, after } => {
                let seconds = seconds(after);
                POPUP.good(match from {
                    AnsweredFrom::Desktop => words::seen_in_window(seconds),
                    AnsweredFrom::Browser => words::seen_in_browser(seconds),
                    AnsweredFrom::Terminal => words::seen_in_terminal(seconds),
                    AnsweredFrom::Script | AnsweredFrom::Form => words::seen_by_script(seconds),
                    AnsweredFrom::Notification => words::seen_in_notification(seconds),
                })
            }
            Self::Closed { after } => POPUP.good(words::seen_closed(seconds(after))),
            Self::No if window => {
                POPUP.fault(words::unseen(bounds::TEST_REQUEST_SECONDS), words::mend_unseen()).command("review-gate")
            }
            Self::No => POPUP
                .fault(words::unseen_without_window(bounds::TEST_REQUEST_SECONDS), words::mend_browser())
                .command("review-gate link"),
        }
    }
}
