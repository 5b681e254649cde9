//! The digest of a reply: of all that was given.
//!
//! When and where it was given stands in the receipt itself.

use gate_core::{Decision, Digest, Fault, LineComment, Remark, Reply};
use serde::Serialize;

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    text: &'a str,
    selected: &'a [String],
    comments: &'a [LineComment],
    remarks: &'a [Remark],
    attachments: Vec<Attached<'a>>,
}

#[derive(Serialize)]
struct Attached<'a> {
    name: &'a str,
    mime_type: &'a str,
    content: &'a Digest,
}

/// The digest of a reply whose attachments have these contents, in their order.
///
/// # Errors
/// `internal` where there are more or fewer contents than attachments.
pub fn reply_digest(reply: &Reply, contents: &[Digest]) -> Result<Digest, Fault> {
    let Reply {
        decision,
        text,
        selected,
        comments,
        remarks,
        attachments,
        answered_at: _,
        answered_from: _,
        assurance: _,
        imported_at: _,
    } = reply;
    if attachments.len() != contents.len() {
        let (files, given) = (attachments.len(), contents.len());
        return Err(Fault::internal(format!("A reply has {files} attachments, but {given} contents.")));
    }
    let attached = attachments.iter().zip(contents);
    let attachments =
        attached.map(|(file, content)| Attached { name: &file.name, mime_type: &file.mime_type, content });
    Digest::of(&Whole { decision: *decision, text, selected, comments, remarks, attachments: attachments.collect() })
}

#[cfg(test)]
mod tests {
    use gate_core::{AnsweredFrom, Assurance, Attachment, AttachmentId, Side, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn reply() -> Reply {
        Reply {
            decision: Some(Decision::Approved),
            text: "Only without the flag.".to_owned(),
            selected: vec!["Now".to_owned()],
            comments: vec![LineComment {
                file: "a.rs".to_owned(),
                start_line: None,
                line: 3,
                side: Side::New,
                body: "Why?".to_owned(),
            }],
            remarks: vec![Remark { quote: "all of it".to_owned(), body: "Half.".to_owned() }],
            attachments: vec![Attachment {
                attachment_id: AttachmentId(Uuid::from_u128(1)),
                name: "a.png".to_owned(),
                mime_type: "image/png".to_owned(),
                size: 3,
            }],
            answered_at: Timestamp(1),
            answered_from: AnsweredFrom::Desktop,
            assurance: Assurance::L1,
            imported_at: None,
        }
    }

    fn digest(reply: &Reply, content: &str) -> Digest {
        reply_digest(reply, &[Digest::of_bytes(content.as_bytes())]).expect("there is a content for each file")
    }

    #[test]
    fn all_that_was_given_counts() {
        let changes: [fn(&mut Reply); 8] = [
            |reply| reply.decision = None,
            |reply| reply.text.clear(),
            |reply| reply.selected.clear(),
            |reply| reply.comments[0].line = 4,
            |reply| reply.comments[0].start_line = Some(1),
            |reply| reply.remarks[0].body.push('!'),
            |reply| reply.attachments[0].name.push('x'),
            |reply| reply.attachments[0].mime_type.push('x'),
        ];
        let first = digest(&reply(), "abc");
        for (at, change) in changes.into_iter().enumerate() {
            let mut other = reply();
            change(&mut other);
            assert_ne!(digest(&other, "abc"), first, "change {at}");
        }
        assert_ne!(digest(&reply(), "abd"), first, "a file's content counts");
    }

    #[test]
    fn names_of_rows_and_what_the_receipt_says_itself_do_not_count() {
        let mut other = reply();
        other.attachments[0].attachment_id = AttachmentId(Uuid::from_u128(2));
        other.answered_at = Timestamp(2);
        other.answered_from = AnsweredFrom::Browser;
        assert_eq!(digest(&other, "abc"), digest(&reply(), "abc"));
    }

    #[test]
    fn every_file_has_its_content() {
        assert!(reply_digest(&reply(), &[]).is_err(), "a file that nobody looked at would be anything");
    }
}
