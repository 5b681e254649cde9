//! Puts together what the person is asked: what a job has found and wants done, as items.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Item, Place};
use crate::diff::DiffView;
use crate::fault::{Code, Fault};
use crate::reply::Side;
use crate::workflow::action::Action;
use crate::workflow::anchor::{Placed, Sought, place};
use crate::workflow::disarm::{disarm, name, suggestion};
use crate::workflow::finding::{Finding, KeptFinding};
use crate::workflow::words::{FindingState, ItemKind, Platform, PublishEvent, Readiness, Severity};
use crate::workflow::{ActionId, ItemId, PublicationId, bounds};

/// From 0 to 10, in tenths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "number"))]
pub struct Score(u8);

/// What a run says of the pull request as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Summary {
    /// The report, in Markdown.
    pub summary: String,
    /// What the review says as a whole.
    pub event: PublishEvent,
    /// How good it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub score: Option<Score>,
    /// What is to become of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub verdict: Option<Readiness>,
}

/// An action as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct KeptAction {
    /// Its id.
    pub action_id: ActionId,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

impl Score {
    /// One of so many points.
    ///
    /// # Errors
    /// `invalid_input` where it isn't 0 to 10, in tenths.
    pub fn of(points: f64) -> Result<Self, Fault> {
        let tenths = points * 10.0;
        let whole = (0..=100_u8).find(|whole| (f64::from(*whole) - tenths).abs() < 1e-6);
        whole.map(Self).ok_or_else(|| {
            Fault::new(
                Code::InvalidInput,
                format!("`score` is {points}; it may be 0 to 10, in tenths."),
                "Pass such a number.",
            )
        })
    }

    /// The points.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.0) / 10.0
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(10) {
            serializer.serialize_u8(self.0 / 10)
        } else {
            serializer.serialize_f64(self.points())
        }
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let points = f64::deserialize(deserializer)?;
        Self::of(points).map_err(|fault| serde::de::Error::custom(fault.message))
    }
}

/// The items for what stands in none, in the order in which they leave: findings with the gravest first, comments on lines,
/// replies and what is settled, comments, labels, the report last. Without a summary there is no report; findings that the
/// person did without have no item.
///
/// # Errors
/// `unsafe_text`, `too_large`, `too_many`, with the field; `empty_reply` where there would be no item.
pub fn compose(
    publication: PublicationId,
    platform: Platform,
    diff: &DiffView,
    findings: &[KeptFinding],
    actions: &[KeptAction],
    summary: Option<&Summary>,
) -> Result<Vec<Item>, Fault> {
    let mut findings: Vec<_> = findings.iter().filter(|kept| kept.state != FindingState::Dismissed).collect();
    findings.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut items = Vec::new();
    for (at, kept) in findings.into_iter().enumerate() {
        items.push(of_finding(&format!("findings[{at}]"), platform, diff, kept)?);
    }
    let mut of_actions = Vec::new();
    for (at, kept) in actions.iter().enumerate() {
        of_actions.extend(of_action(&format!("actions[{at}]"), diff, kept)?);
    }
    of_actions.sort_by_key(|item| turn(item.kind));
    items.extend(of_actions);
    if let Some(summary) = summary {
        items.push(report(publication, summary)?);
    }
    if items.is_empty() {
        return Err(Fault::new(
            Code::EmptyReply,
            "There is nothing to be posted.",
            "Pass a `summary`, or add findings or actions first.",
        ));
    }
    if items.len() > bounds::ITEMS {
        let message = format!("There would be {} items; at most {} are allowed.", items.len(), bounds::ITEMS);
        return Err(Fault::new(Code::TooMany, message, "Leave the least of them out."));
    }
    Ok(items)
}

/// Where a kind of action has its place.
fn turn(kind: ItemKind) -> u8 {
    match kind {
        ItemKind::Finding => 0,
        ItemKind::InlineComment => 1,
        ItemKind::Reply => 2,
        ItemKind::Resolve => 3,
        ItemKind::Comment => 4,
        ItemKind::Label => 5,
        ItemKind::Report => 6,
    }
}

fn order(kept: &KeptFinding) -> (Severity, Option<&str>, Option<u32>, crate::workflow::FindingId) {
    (kept.finding.severity, kept.anchor.file.as_deref(), kept.anchor.line, kept.finding_id)
}

fn of_finding(field: &str, platform: Platform, diff: &DiffView, kept: &KeptFinding) -> Result<Item, Fault> {
    let placed = place(&sought(kept), diff);
    let finding = &kept.finding;
    let severity = match finding.severity {
        Severity::Blocking => "Blocking",
        Severity::Warning => "Warning",
        Severity::Suggestion => "Suggestion",
    };
    let body = disarm(&format!("{field}.body"), finding.body.trim())?;
    let mut text = format!("**{severity}** · {}\n\n{body}", finding.title.trim());
    if let Some(code) = &finding.suggestion {
        text.push_str("\n\n");
        text.push_str(&offered(platform, &placed, code));
    }
    let text = disarm(field, &text)?;
    let place = Place::of(&placed);
    let heading = match (&place, &finding.file) {
        (Place::Line { .. } | Place::File { .. }, _) => Some(where_it_is(&place)),
        (_, Some(file)) => {
            // The diff doesn't have it: the text says where it is.
            let text = disarm(field, &format!("{}\n\n{text}", code(&named(file, finding))))?;
            return Ok(Item {
                id: ItemId(kept.finding_id.0),
                kind: ItemKind::Finding,
                place,
                text: Some(text),
                heading: None,
            });
        }
        _ => None,
    };
    Ok(Item { id: ItemId(kept.finding_id.0), kind: ItemKind::Finding, place, text: Some(text), heading })
}

/// Where the finding was put as it came in: what the run was told counts.
fn sought(kept: &KeptFinding) -> Sought<'_> {
    let anchor = &kept.anchor;
    Sought {
        file: anchor.file.as_deref(),
        line: anchor.line,
        end_line: anchor.end_line,
        side: anchor.side,
        snippet: None,
    }
}

/// A suggestion, which the platform offers to put there where it stands at lines after the change.
fn offered(platform: Platform, placed: &Placed, code: &str) -> String {
    match (placed.anchor.side, placed.anchor.line.zip(placed.anchor.end_line)) {
        (Some(Side::New), Some((first, last))) => {
            suggestion(code, platform, last.saturating_sub(first).saturating_add(1))
        }
        _ => crate::workflow::disarm::without_suggestions(&suggestion(code, Platform::Github, 1)),
    }
}

fn of_action(field: &str, diff: &DiffView, kept: &KeptAction) -> Result<Option<Item>, Fault> {
    let said = |name: &str, text: &str| disarm(&format!("{field}.{name}"), text.trim()).map(Some);
    let thread = |id: &str| Place::Thread { thread: id.to_owned() };
    let (kind, place, text, heading) = match &kept.action {
        Action::FetchThreads {} => return Ok(None),
        Action::ThreadReply { thread_id, message } => {
            (ItemKind::Reply, thread(thread_id), said("message", message)?, None)
        }
        Action::ThreadResolve { thread_id, message } => {
            let text = message.as_deref().map_or(Ok(None), |message| said("message", message))?;
            (ItemKind::Resolve, thread(thread_id), text, None)
        }
        Action::PostComment { body } => (ItemKind::Comment, Place::Report {}, said("body", body)?, None),
        Action::PostInlineComment { file_path, line, body } => {
            let placed = place(&Sought { file: Some(file_path), line: Some(*line), ..Sought::default() }, diff);
            let place = Place::of(&placed);
            let mut text = said("body", body)?;
            let heading = match place {
                Place::Report {} => {
                    let whole = format!("{}\n\n{}", code(&format!("{file_path}:{line}")), text.unwrap_or_default());
                    text = said("body", &whole)?;
                    None
                }
                _ => Some(where_it_is(&place)),
            };
            (ItemKind::InlineComment, place, text, heading)
        }
        Action::AddLabel { label } => {
            (ItemKind::Label, Place::Label { label: name(&format!("{field}.label"), label)? }, None, None)
        }
    };
    Ok(Some(Item { id: ItemId(kept.action_id.0), kind, place, text, heading }))
}

fn report(publication: PublicationId, summary: &Summary) -> Result<Item, Fault> {
    crate::bounded::at_most_bytes("summary", &summary.summary, bounds::SUMMARY_BYTES)?;
    if summary.summary.trim().is_empty() {
        return Err(Fault::new(Code::InvalidInput, "`summary` is empty.", "Say what the review comes to."));
    }
    let mut text = disarm("summary", summary.summary.trim())?;
    let score = summary.score.map(|score| format!("Score: {}/10", score.points()));
    let verdict = summary.verdict.map(|verdict| {
        let words = match verdict {
            Readiness::ReadyToMerge => "ready to merge",
            Readiness::NeedsFixes => "needs fixes",
            Readiness::NeedsDiscussion => "needs discussion",
        };
        format!("Verdict: {words}")
    });
    let marks: Vec<_> = score.into_iter().chain(verdict).collect();
    if !marks.is_empty() {
        text.push_str(&format!("\n\n**{}**", marks.join(" · ")));
    }
    let text = Some(disarm("summary", &text)?);
    Ok(Item { id: ItemId(publication.0), kind: ItemKind::Report, place: Place::Report {}, text, heading: None })
}

/// What a fallback begins with: where it would have stood.
fn where_it_is(place: &Place) -> String {
    match place {
        Place::Line { file, side, from, to, .. } => {
            let number = |point: &super::Point| match side {
                Side::Old => point.old,
                Side::New => point.new,
            };
            let (first, last) = (number(from).unwrap_or_default(), number(to).unwrap_or_default());
            let before = if *side == Side::Old { " (before the change)" } else { "" };
            let lines = if first == last { format!(":{first}") } else { format!(":{first}-{last}") };
            format!("{}{before}", code(&format!("{file}{lines}")))
        }
        Place::File { file, .. } => code(file),
        Place::Report {} | Place::Thread { .. } | Place::Label { .. } => String::new(),
    }
}

fn named(file: &str, finding: &Finding) -> String {
    finding.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// As code, whatever is in it.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    let blank = if text.contains('`') { " " } else { "" };
    let text: String = crate::unseen::visible(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{marks}{blank}{text}{blank}{marks}")
}
