//! What the person is told when something is wrong with receipts.

use gate_core::{Code, Fault, RequestId};
use gate_receipts::{Aside, Broken, Reason};

use super::Why;

/// The chain was broken, and begins anew.
pub(super) fn broken(broken: &Broken) -> Fault {
    let what = match broken.said.reason {
        Reason::Upgrade => "The receipts begin anew, although there were some before.",
        Reason::Gone => "The log of receipts was gone.",
        Reason::Shorter => "The log of receipts was cut short.",
        Reason::Damaged => "The log of receipts was changed: a line isn't what was written.",
    };
    let kept = match &broken.said.aside {
        Some(Aside { name, good, bad, .. }) => {
            format!(" It is kept as {name}; {good} of its {} lines still count.", good.saturating_add(*bad))
        }
        None => String::new(),
    };
    let drafts = match broken.undelivered.len() {
        0 => String::new(),
        1 => " One reply that its agent didn't have yet is a draft again.".to_owned(),
        many => format!(" {many} replies that their agents didn't have yet are drafts again."),
    };
    Fault::new(
        Code::Receipts,
        format!("{what} A new one begins.{kept}{drafts}"),
        "Look through what is in the inbox and send again what you meant. If you changed nothing in the home folder, \
         another program did: find out which before you approve more.",
    )
}

/// Somebody else wrote lines into the log.
pub(super) fn foreign_lines(lines: usize) -> Fault {
    Fault::new(
        Code::Receipts,
        format!("Another program wrote into the log of receipts: {lines} of its lines aren't the gate's."),
        "Look with `review-gate receipts` at what they say, revoke what you didn't give, and find out which program that \
         was.",
    )
}

/// The clock was set by so many milliseconds.
pub(super) fn clock_was_set(millis: i64) -> Fault {
    let seconds = millis.unsigned_abs().div_ceil(1000);
    let to = if millis < 0 { "back" } else { "forward" };
    Fault::new(
        Code::Receipts,
        format!("This machine's clock was set {to} by {seconds} seconds; the receipts note it."),
        "Nothing is to be done if you did that. How long approvals are good goes by the clock.",
    )
}

/// A security key signed so often in between.
pub(super) fn counter_skipped(times: u32) -> Fault {
    let often = if times == 1 { "once".to_owned() } else { format!("{times} times") };
    Fault::new(
        Code::Receipts,
        format!("The security key signed {often} elsewhere since its last receipt here."),
        "Nothing is to be done if you used it elsewhere, as you do when you sign in with it.",
    )
}

/// The system's service has another key than it had.
pub(super) fn another_service() -> Fault {
    Fault::new(
        Code::Receipts,
        "The service that confirms approvals (review-gated) has another key than before.",
        "Nothing is to be done if it was installed anew: approvals from before count as L1 from now on. If it wasn't, root \
         has changed it.",
    )
}

/// The system's service doesn't say what it remembers.
pub(super) fn unheard() -> Fault {
    Fault::new(
        Code::Receipts,
        "The service that confirms approvals (review-gated) doesn't say how far the receipts went: if they were put back to \
         before you revoked something, that isn't seen.",
        "It is asked again by itself, and this goes away once it has answered. If it stays, look at `systemctl status \
         review-gated.socket`, and find out which program keeps it busy.",
    )
}

/// The system's service isn't installed here any more.
pub(super) fn service_is_gone() -> Fault {
    Fault::new(
        Code::Receipts,
        "The service that confirms approvals (review-gated) has signed in this home, and isn't installed here any more: \
         it can't say whether the receipts were put back to before you revoked something.",
        "Nothing is to be done if you removed it, or brought this home from another machine: this is told once. If you \
         didn't, root has removed it: install it again, and look through `review-gate receipts`.",
    )
}

/// The system's journal can't be read.
pub(super) fn unread_journal(why: &str) -> Fault {
    Fault::new(
        Code::Receipts,
        format!("What the system's journal remembers of the receipts can't be read: {why}."),
        "If you didn't do that, find out which program filled the journal: `journalctl -t review-gate`.",
    )
}

/// A reply in the record that isn't the person's, as far as receipts tell.
pub(crate) fn not_given(request: RequestId, why: Why) -> Fault {
    let (what, became) = match why {
        Why::NoReceipt | Why::Before => ("has no receipt", "It is a draft now, and its agent hears nothing of it."),
        Why::Changed => {
            ("isn't what its receipt is of: it was changed", "It is a draft now, and its agent hears nothing of it.")
        }
        Why::TakenBack => ("was being taken back when the gate stopped", "It is a draft again."),
        Why::BeforeBreak => ("wasn't delivered when the log of receipts was found changed", "It is a draft again."),
    };
    let mend = match why {
        Why::NoReceipt | Why::Before | Why::TakenBack => {
            "Send it again if you meant it. If you never wrote it, another program wrote into the record."
        }
        Why::Changed | Why::BeforeBreak => {
            "Read it and send it again if it is yours. If you changed nothing, another program did: find out which."
        }
    };
    Fault::new(Code::Receipts, format!("The reply to request {request} {what}. {became}"), mend)
}

/// A reply that has no receipt and couldn't be taken back.
pub(crate) fn unsent(request: RequestId) -> Fault {
    Fault::new(
        Code::Receipts,
        format!(
            "The reply to request {request} wasn't sent: neither its receipt nor the record can be written, so that it \
             couldn't be taken back, either."
        ),
        "No agent hears of it. Free some space on the disk: it is tried again each second, and then the request is in the \
         inbox again, with what you wrote.",
    )
}

/// A reply that an agent had once and that isn't what it was any more.
pub(crate) fn changed_since(request: RequestId) -> Fault {
    Fault::new(
        Code::Receipts,
        format!("The reply to request {request} isn't what its receipt is of any more: it was changed in the record."),
        "No agent is given it. If you didn't do that, another program did: find out which before you approve more.",
    )
}

/// Something was made safer, and its line can't be written.
pub(super) fn owed() -> Fault {
    Fault::new(
        Code::Receipts,
        "A guard was made safer, or a browser was signed out, and that can't be written into the receipts. It holds while \
         the gate runs.",
        "Free some space on the disk, or make the home folder writable: it is tried again each second. Don't stop the gate \
         before, or the next start doesn't know of it.",
    )
}

/// Browsers that nobody signed in, as far as receipts tell.
pub(crate) fn planted_browsers(count: usize) -> Fault {
    Fault::new(
        Code::Receipts,
        format!("{count} of the browsers that were signed in have no receipt for it, and were signed out."),
        "Make a new link where one of them was yours. If you didn't, another program wrote into the file `browsers`.",
    )
}

/// Guards that were made weaker without the person, as far as receipts tell.
pub(crate) fn planted_guards(settings: &[String]) -> Fault {
    Fault::new(
        Code::Receipts,
        format!("Nobody confirmed here what `guards.json` says of {}: it doesn't hold.", settings.join(", ")),
        "Confirm it again in the settings if you want it. If you didn't write that file, another program did.",
    )
}
