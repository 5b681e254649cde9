//! Reviews as resources: their list, each by itself, its rounds, and what happened in it.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::ask::excerpt;
use gate_core::proposal::{ReviewEvent, ReviewId, ReviewQuery, ReviewRole, ReviewStatus, bounds};
use gate_core::{Code, Fault, Owner, page::bad_cursor};
use serde::Serialize;
use serde_json::{Map, Value};

use super::look::{fitting, following, opened};
use super::port::{BrokerPort, ReviewRead};
use super::propose;
use super::views::{EventView, RoundPage, Summary, VerdictView};
use crate::completion::{Found, MOST, beginning};
use crate::cursor;
use crate::port::{Change, ConnectionPort};
use crate::resource::{Contents, JSON, Page, Resource, Resources, Template, listed};
use crate::uri::{self, Parameter, Query};

/// The templates' URIs.
const REVIEWS: &str = "file://review-gate/reviews{?status,category,workspace,cursor}";
const REVIEW: &str = "file://review-gate/reviews/{id}";
const ROUND: &str = "file://review-gate/reviews/{id}/rounds/{n}{?cursor}";
const EVENTS: &str = "file://review-gate/reviews/{id}/events{?cursor}";

/// Parameters of all reviews.
const STATUS: &str = "status";
const CATEGORY: &str = "category";
const WORKSPACE: &str = "workspace";

/// Events on a page.
const EVENT_PAGE: usize = 100;
/// Bytes of a verdict's reason where the whole of it stands elsewhere.
const REASON: usize = 1024;

const TEMPLATES: &[Template] = &[
    Template {
        uri: REVIEWS,
        name: "reviews",
        title: "Reviews",
        about: "Reviews of proposals that you see, the latest changed first, 50 a page. `status`, `category` and \
                `workspace` narrow it; `cursor` is the `next_cursor` of the page before.",
        mime_type: Some(JSON),
    },
    Template {
        uri: REVIEW,
        name: "review",
        title: "A review",
        about: "Where a review stands, what it proposes, and its verdicts. `id` is its review_id.",
        mime_type: Some(JSON),
    },
    Template {
        uri: ROUND,
        name: "round",
        title: "A round of a review",
        about: "One version of a proposal with its diff, whole hunks, 48 KiB a page. `n` is its number, from 1.",
        mime_type: Some(JSON),
    },
    Template {
        uri: EVENTS,
        name: "review-events",
        title: "What happened in a review",
        about: "What happened in a review, in order, 100 a page.",
        mime_type: Some(JSON),
    },
];

/// All of them.
pub(super) struct Reviews(pub(super) Arc<dyn BrokerPort>);

/// What a URI names of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    All,
    One(ReviewId),
    Round(ReviewId, u32),
    Events(ReviewId),
}

impl Target {
    fn of(uri: &str) -> Option<Self> {
        let path = uri::below(uri)?.strip_prefix("reviews")?;
        if path.is_empty() {
            return Some(Self::All);
        }
        let mut parts = path.strip_prefix('/')?.split('/');
        let review = ReviewId(uri::uuid(parts.next()?)?);
        let target = match (parts.next(), parts.next()) {
            (None, _) => Self::One(review),
            (Some("events"), None) => Self::Events(review),
            (Some("rounds"), Some(round)) => Self::Round(review, number(round)?),
            _ => return None,
        };
        parts.next().is_none().then_some(target)
    }

    fn uri(self) -> String {
        uri::of(&match self {
            Self::All => "reviews".to_owned(),
            Self::One(id) => format!("reviews/{id}"),
            Self::Round(id, round) => format!("reviews/{id}/rounds/{round}"),
            Self::Events(id) => format!("reviews/{id}/events"),
        })
    }
}

/// The number of a round, in its one form.
fn number(text: &str) -> Option<u32> {
    let round = text.parse().ok().filter(|round| (1..=bounds::ROUNDS).contains(round))?;
    (u32::to_string(&round) == text).then_some(round)
}

#[async_trait]
impl Resources for Reviews {
    fn templates(&self) -> &'static [Template] {
        TEMPLATES
    }

    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        Some(Box::new(Named { target: Target::of(uri)?, port: Arc::clone(&self.0) }))
    }

    async fn page(&self, _gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        let about = "Reviews of what agents propose, the latest changed first.";
        Page::whole(cursor, vec![listed(Target::All.uri(), "reviews", "All reviews", about)])
    }

    async fn complete(
        &self,
        client: &Owner,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Found>, Fault> {
        Ok(Some(match (template, variable) {
            (REVIEWS, STATUS) => {
                let all = ReviewStatus::ALL.iter().map(|status| status.as_str());
                let values: Vec<_> = all.filter(|status| status.starts_with(begun)).collect();
                Found::among(values.into_iter())
            }
            (REVIEWS, CATEGORY | WORKSPACE) | (REVIEWS | ROUND | EVENTS, "cursor") | (ROUND, "n") => Found::none(),
            (REVIEW | ROUND | EVENTS, "id") => {
                let Some(beginning) = beginning(begun) else { return Ok(Some(Found::none())) };
                let (found, total) = self.0.reviews_like(client, &beginning, MOST).await?;
                Found::identifiers(&found, total)
            }
            _ => return Ok(None),
        }))
    }
}

/// A target with the port.
struct Named {
    target: Target,
    port: Arc<dyn BrokerPort>,
}

#[async_trait]
impl Resource for Named {
    fn uri(&self) -> String {
        self.target.uri()
    }

    fn parameters(&self) -> &'static [Parameter] {
        const ALL: &[Parameter] = &[
            Parameter::CURSOR,
            Parameter::checked(STATUS, |text| status(text).map(drop)),
            Parameter::text(CATEGORY),
            Parameter::text(WORKSPACE),
        ];
        match self.target {
            Target::All => ALL,
            Target::Round(..) | Target::Events(_) => &[Parameter::CURSOR],
            Target::One(_) => &[],
        }
    }

    async fn exists(&self, client: &Owner) -> Result<bool, Fault> {
        match self.target {
            Target::All => Ok(true),
            Target::One(review) | Target::Events(review) => {
                Ok(self.port.events_for(client, review, 0, 1).await?.is_some())
            }
            Target::Round(review, round) => Ok(self.port.shown_to(client, review, Some(round)).await?.is_some()),
        }
    }

    async fn read(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Option<Contents>, Fault> {
        match self.target {
            Target::All => self.reviews(gate, client, query).await.map(Some),
            Target::One(review) => self.review(client, review).await,
            Target::Round(review, round) => self.round(gate, client, (review, round), query).await,
            Target::Events(review) => self.events(gate, client, review, query).await,
        }
    }

    fn reads_otherwise(&self, change: &Change) -> bool {
        match (change, self.target) {
            (Change::Review(_), Target::All) => true,
            (Change::Review(changed), Target::One(review) | Target::Round(review, _) | Target::Events(review)) => {
                *changed == review
            }
            _ => false,
        }
    }
}

impl Named {
    async fn reviews(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Contents, Fault> {
        #[derive(Serialize)]
        struct Reviews<'a> {
            reviews: Vec<Summary<'a>>,
            next_cursor: Option<String>,
            next: Option<String>,
        }
        let list = query.clone().at(None).uri(Target::All.uri());
        let after = query.cursor.as_deref().map(|cursor| opened(gate, &list, cursor)).transpose()?;
        let wanted = ReviewQuery {
            status: query.get(STATUS).map(status).transpose()?,
            category: query.get(CATEGORY).map(str::to_owned),
            ..ReviewQuery::default()
        };
        let limit = bounds::LIST_ITEMS;
        let found = self.port.listed_to(client, wanted, query.get(WORKSPACE), after, limit + 1).await?;
        let reviews = fitting(&found, limit);
        let next_cursor = following(gate, &list, &found, reviews.len())?;
        Contents::json(&Reviews { reviews, next: next(query, self.target, next_cursor.as_ref()), next_cursor })
    }

    async fn review(&self, client: &Owner, review: ReviewId) -> Result<Option<Contents>, Fault> {
        #[derive(Serialize)]
        struct Review<'a> {
            #[serde(flatten)]
            summary: Summary<'a>,
            labels: Map<String, Value>,
            parent_id: Option<ReviewId>,
            role: ReviewRole,
            description: Option<&'a str>,
            warnings: &'a [String],
            verdicts: Vec<VerdictView<'a>>,
        }
        let Some(read) = self.port.shown_to(client, review, None).await? else { return Ok(None) };
        let ReviewRead { review, round, verdicts, role, .. } = &read;
        let labels = review.labels.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        Contents::json(&Review {
            summary: Summary::of(&review.summary).meant(&review.intent),
            labels: labels.collect(),
            parent_id: review.parent_id,
            role: *role,
            description: round.description.as_deref(),
            warnings: &round.checked.warnings,
            verdicts: verdicts.iter().map(|verdict| VerdictView::of(verdict).within(REASON)).collect(),
        })
        .map(Some)
    }

    async fn round(
        &self,
        gate: &dyn ConnectionPort,
        client: &Owner,
        (review, round): (ReviewId, u32),
        query: Query,
    ) -> Result<Option<Contents>, Fault> {
        #[derive(Serialize)]
        struct Round<'a> {
            review_id: ReviewId,
            round: u32,
            author: &'a str,
            created_at: gate_core::Timestamp,
            #[serde(flatten)]
            page: RoundPage<'a>,
            verdicts: Vec<VerdictView<'a>>,
            next: Option<String>,
        }
        let list = self.target.uri();
        let from = match query.cursor.as_deref().map(|cursor| propose::opened(gate, &list, cursor)).transpose()? {
            Some((its, _)) if its != round => return Err(bad_cursor()),
            from => from.map_or(0, |(_, from)| from),
        };
        let Some(read) = self.port.shown_to(client, review, Some(round)).await? else { return Ok(None) };
        let mut page = RoundPage::of(gate, &read.round, &read.diff, (&list, from), 0)?;
        if from == 0 {
            // Here it stands whole.
            (page.description, page.description_cut) = (read.round.description.as_deref(), false);
        }
        let verdicts = read.verdicts.iter().filter(|verdict| verdict.round == round && from == 0);
        let next = next(query, self.target, page.next_cursor.as_ref());
        let (author, created_at) = (read.round.author.as_str(), read.round.created_at);
        let verdicts = verdicts.map(VerdictView::of).collect();
        Contents::json(&Round { review_id: review, round, author, created_at, page, verdicts, next }).map(Some)
    }

    async fn events(
        &self,
        gate: &dyn ConnectionPort,
        client: &Owner,
        review: ReviewId,
        query: Query,
    ) -> Result<Option<Contents>, Fault> {
        #[derive(Serialize)]
        struct Events<'a> {
            review_id: ReviewId,
            events: Vec<EventView<'a>>,
            next_cursor: Option<String>,
            next: Option<String>,
        }
        let list = self.target.uri();
        let after = query.cursor.as_deref().map(|cursor| {
            let after = cursor::open_text(gate, &list, cursor)?;
            after.parse::<u64>().map_err(|_| bad_cursor())
        });
        let after = after.transpose()?.unwrap_or(0);
        let Some(mut events) = self.port.events_for(client, review, after, EVENT_PAGE + 1).await? else {
            return Ok(None);
        };
        let more = events.len() > EVENT_PAGE;
        events.truncate(EVENT_PAGE);
        let last = events.last().filter(|_| more).map(|last: &ReviewEvent| last.n.to_string());
        let next_cursor = last.map(|last| cursor::seal_text(gate, &list, &last)).transpose()?;
        Contents::json(&Events {
            review_id: review,
            events: events.iter().map(EventView::of).collect(),
            next: next(query, self.target, next_cursor.as_ref()),
            next_cursor,
        })
        .map(Some)
    }
}

fn next(query: Query, target: Target, cursor: Option<&String>) -> Option<String> {
    Some(query.at(Some(cursor?.clone())).uri(target.uri()))
}

fn status(text: &str) -> Result<ReviewStatus, Fault> {
    ReviewStatus::parse(text).ok_or_else(|| {
        let all: Vec<_> = ReviewStatus::ALL.iter().map(|status| status.as_str()).collect();
        Fault::new(
            Code::InvalidInput,
            format!("`status` is {:?}; it may be one of {}.", excerpt(text, 60), all.join(", ")),
            "Pass one of them, or leave it out for all.",
        )
    })
}
