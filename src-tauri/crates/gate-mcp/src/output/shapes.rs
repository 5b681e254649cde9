//! What the types of the domain look like as JSON.

use gate_core::outcome::{AttachmentLink, Earlier};
use gate_core::{
    AnsweredFrom, Assurance, CheckpointId, Decision, Digest, GitTrees, LineComment, Oid, Outcome, Progress, Remark,
    RequestId, RequestStatus, RestoreId, Role, SessionStatus, SessionUuid, Side, Step, StepState, Timestamp, Withheld,
};
use serde_json::{Map, Value, json};

use super::{Shape, or_null, output, words};

/// Types that are always written in one way.
macro_rules! shapes {
    ($($($type:ty),+ => $schema:tt;)+) => {
        $($(impl Shape for $type {
            fn schema() -> Value {
                json!($schema)
            }
        })+)+
    };
}

shapes! {
    String, str, Timestamp, Digest, Oid => { "type": "string" };
    SessionUuid, RequestId, CheckpointId, RestoreId => { "type": "string", "format": "uuid" };
    u8, u32, u64, usize => { "type": "integer", "minimum": 0 };
    i64 => { "type": "integer" };
    Value => {};
}

impl Shape for Map<String, Value> {
    fn schema() -> Value {
        json!({ "type": "object" })
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Shape for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

impl<T: Shape> Shape for Option<T> {
    fn schema() -> Value {
        or_null(T::schema())
    }

    fn present() -> Value {
        T::schema()
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Shape> Shape for [T] {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Shape, const N: usize> Shape for [T; N] {
    fn schema() -> Value {
        <[T]>::schema()
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn schema() -> Value {
        <[T]>::schema()
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Shape + ?Sized> Shape for &T {
    fn schema() -> Value {
        T::schema()
    }

    fn is_absent(&self) -> bool {
        T::is_absent(self)
    }
}

words!(RequestStatus: Answered, Pending, Cancelled, Expired);
words!(SessionStatus: Active, Completed, Timeout, Stale);
words!(StepState: Pending, InProgress, Completed, Failed, Skipped);
words!(Decision: Approved, ChangesRequested);
words!(AnsweredFrom: Desktop, Browser, Terminal, Script, Form, Notification);
words!(Assurance: L0, L1, L2, L3);
words!(Side: Old, New);
words!(Role: Agent, Person);
words!(Withheld: Revoked, NotGivenHere);

output! {
    of Outcome {
        status: RequestStatus,
        session_uuid: SessionUuid,
        request_id: RequestId,
        decision: Option<Decision>,
        text: String,
        selected: Vec<String>,
        comments: Vec<LineComment>,
        /// Comments on passages of your message; absent where there are none.
        remarks ?: Vec<Remark>,
        attachments: Vec<AttachmentLink>,
        answered_at: Option<Timestamp>,
        answered_from: Option<AnsweredFrom>,
        /// The question that was answered: SHA-256 of its canonical JSON (RFC 8785); absent until then.
        digest ?: Option<Digest>,
        /// What of a `repository` was shown: a decision is good for these trees alone. Absent without one.
        git ?: Option<GitTrees>,
        /// How sure it is that the person gave this reply: `L0` recorded, any process could have given it; `L1`
        /// attended, in a window, on a page or at a terminal; `L2` confirmed by the system besides; `L3` with a touch of a
        /// security key besides. Absent until then.
        assurance ?: Option<Assurance>,
        /// The reply's receipt: the digest of its line in the person's log, as `review-gate verify` takes it; absent
        /// until then.
        receipt ?: Option<Digest>,
    }
}

output! {
    of GitTrees {
        /// The tree of the commit before it, as `git rev-parse COMMIT^{tree}` has it.
        base: Oid,
        /// The tree that was shown.
        tree: Oid,
    }
}

output! {
    of Earlier {
        request_id: RequestId,
        title: String,
        answered_at: Timestamp,
    }
}

output! {
    of LineComment {
        file: String,
        /// The first line, where the comment is on several; `line` is the last then.
        start_line ?: Option<u32> = { "minimum": 1 },
        line: u32 = { "minimum": 1 },
        side: Side,
        body: String,
    }
}

output! {
    of Remark {
        quote: String,
        body: String,
    }
}

output! {
    of AttachmentLink {
        uri: String,
        name: String,
        mime_type: String,
        size: u64,
        /// A copy of it that you may read, where you run on the person's machine.
        path ?: Option<String>,
    }
}

output! {
    of Progress {
        progress_percent: Option<u8> = { "maximum": 100 },
        status_message: Option<String>,
        step_name: Option<String>,
        steps: Vec<Step>,
        updated_at: Timestamp,
    }
}

output! {
    of Step {
        name: String,
        state: StepState,
        started_at: Option<Timestamp>,
        ended_at: Option<Timestamp>,
    }
}
