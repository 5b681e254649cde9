//! Jobs as resources: their list, each by itself, and what happened to it.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::workflow::JobId;
use gate_core::workflow::record::{JobEvent, JobPlace};
use gate_core::{Fault, Owner, Timestamp, page::bad_cursor};
use serde::Serialize;

use super::port::WorkflowPort;
use super::views::{EventView, JobView, WorkflowView};
use crate::completion::{Found, MOST, beginning};
use crate::cursor;
use crate::port::ConnectionPort;
use crate::resource::{Contents, JSON, Page, Resource, Resources, Template, listed};
use crate::uri::{self, Parameter, Query};

/// The templates' URIs.
const JOBS: &str = "file://review-gate/jobs{?cursor}";
const JOB: &str = "file://review-gate/jobs/{id}";
const EVENTS: &str = "file://review-gate/jobs/{id}/events{?cursor}";

/// Jobs on a page.
const JOB_PAGE: usize = 50;
/// Events on a page.
const EVENT_PAGE: usize = 100;

const TEMPLATES: &[Template] = &[
    Template {
        uri: JOBS,
        name: "jobs",
        title: "Review jobs",
        about: "Reviews of pull requests that you see, the latest changed first, 50 a page. `cursor` is the `next_cursor` of the page \
                before.",
        mime_type: Some(JSON),
    },
    Template {
        uri: JOB,
        name: "job",
        title: "A review job",
        about: "What is reviewed, by which agents, and where it stands. `id` is its jobId.",
        mime_type: Some(JSON),
    },
    Template {
        uri: EVENTS,
        name: "job-events",
        title: "What happened to a review job",
        about: "What happened to a job, in order, 100 a page.",
        mime_type: Some(JSON),
    },
];

/// All of them.
pub(super) struct Jobs(pub(super) Arc<dyn WorkflowPort>);

/// What a URI names of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    All,
    One(JobId),
    Events(JobId),
}

impl Target {
    fn of(uri: &str) -> Option<Self> {
        let path = uri::below(uri)?.strip_prefix("jobs")?;
        if path.is_empty() {
            return Some(Self::All);
        }
        let path = path.strip_prefix('/')?;
        match path.strip_suffix("/events") {
            Some(job) => Some(Self::Events(JobId(uri::uuid(job)?))),
            None => Some(Self::One(JobId(uri::uuid(path)?))),
        }
    }

    fn uri(self) -> String {
        uri::of(&match self {
            Self::All => "jobs".to_owned(),
            Self::One(id) => format!("jobs/{id}"),
            Self::Events(id) => format!("jobs/{id}/events"),
        })
    }
}

#[async_trait]
impl Resources for Jobs {
    fn templates(&self) -> &'static [Template] {
        TEMPLATES
    }

    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        Some(Box::new(Named { target: Target::of(uri)?, port: Arc::clone(&self.0) }))
    }

    async fn page(&self, _gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        let about = "Reviews of pull requests, the latest changed first.";
        Page::whole(cursor, vec![listed(Target::All.uri(), "jobs", "All review jobs", about)])
    }

    async fn complete(
        &self,
        client: &Owner,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Found>, Fault> {
        Ok(Some(match (template, variable) {
            (JOBS | EVENTS, "cursor") => Found::none(),
            (JOB | EVENTS, "id") => {
                let Some(beginning) = beginning(begun) else { return Ok(Some(Found::none())) };
                let (found, total) = self.0.jobs_like(client, &beginning, MOST).await?;
                Found::identifiers(&found, total)
            }
            _ => return Ok(None),
        }))
    }
}

/// The URIs of what reads otherwise once something has happened to a job.
#[must_use]
pub fn job_uris(job: JobId) -> [String; 3] {
    [Target::All, Target::One(job), Target::Events(job)].map(Target::uri)
}

/// A target with the port.
struct Named {
    target: Target,
    port: Arc<dyn WorkflowPort>,
}

#[async_trait]
impl Resource for Named {
    fn uri(&self) -> String {
        self.target.uri()
    }

    fn parameters(&self) -> &'static [Parameter] {
        match self.target {
            Target::All | Target::Events(_) => &[Parameter::CURSOR],
            Target::One(_) => &[],
        }
    }

    async fn exists(&self, client: &Owner) -> Result<bool, Fault> {
        match self.target {
            Target::All => Ok(true),
            Target::One(job) | Target::Events(job) => Ok(self.port.job_events_for(client, job, 0, 1).await?.is_some()),
        }
    }

    async fn read(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Option<Contents>, Fault> {
        match self.target {
            Target::All => self.jobs(gate, client, query).await.map(Some),
            Target::One(job) => {
                let Some(read) = self.port.job_for(client, job).await? else { return Ok(None) };
                Contents::json(&WorkflowView::of(&read)).map(Some)
            }
            Target::Events(job) => self.events(gate, client, job, query).await,
        }
    }
}

impl Named {
    async fn jobs(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Contents, Fault> {
        #[derive(Serialize)]
        struct Jobs<'a> {
            jobs: Vec<JobView<'a>>,
            next_cursor: Option<String>,
            next: Option<String>,
        }
        let list = self.target.uri();
        let after = query.cursor.as_deref().map(|cursor| opened(gate, &list, cursor)).transpose()?;
        let found = self.port.jobs_for(client, after, JOB_PAGE + 1).await?;
        let shown = &found[..found.len().min(JOB_PAGE)];
        let last = shown.last().filter(|_| shown.len() < found.len());
        let next_cursor = last.map(|last| {
            let place = format!("{} {}", last.updated_at.0, last.job_id);
            cursor::seal_text(gate, &list, &place)
        });
        let next_cursor = next_cursor.transpose()?;
        let next = next(query, self.target, next_cursor.as_ref());
        Contents::json(&Jobs { jobs: shown.iter().map(JobView::of).collect(), next, next_cursor })
    }

    async fn events(
        &self,
        gate: &dyn ConnectionPort,
        client: &Owner,
        job: JobId,
        query: Query,
    ) -> Result<Option<Contents>, Fault> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Events<'a> {
            job_id: JobId,
            events: Vec<EventView<'a>>,
            #[serde(rename = "next_cursor")]
            next_cursor: Option<String>,
            next: Option<String>,
        }
        let list = self.target.uri();
        let after = query.cursor.as_deref().map(|cursor| {
            let after = cursor::open_text(gate, &list, cursor)?;
            after.parse::<u64>().map_err(|_| bad_cursor())
        });
        let after = after.transpose()?.unwrap_or(0);
        let Some(mut events) = self.port.job_events_for(client, job, after, EVENT_PAGE + 1).await? else {
            return Ok(None);
        };
        let more = events.len() > EVENT_PAGE;
        events.truncate(EVENT_PAGE);
        let last = events.last().filter(|_| more).map(|last: &JobEvent| last.n.to_string());
        let next_cursor = last.map(|last| cursor::seal_text(gate, &list, &last)).transpose()?;
        let next = next(query, self.target, next_cursor.as_ref());
        let events = events.iter().map(EventView::of).collect();
        Contents::json(&Events { job_id: job, events, next, next_cursor }).map(Some)
    }
}

fn opened(gate: &dyn ConnectionPort, list: &str, cursor: &str) -> Result<JobPlace, Fault> {
    let text = cursor::open_text(gate, list, cursor)?;
    let (updated, job) = text.split_once(' ').ok_or_else(bad_cursor)?;
    let updated_at = Timestamp(updated.parse().map_err(|_| bad_cursor())?);
    Ok(JobPlace { updated_at, job_id: job.parse().map_err(|_| bad_cursor())? })
}

fn next(query: Query, target: Target, cursor: Option<&String>) -> Option<String> {
    Some(query.at(Some(cursor?.clone())).uri(target.uri()))
}
