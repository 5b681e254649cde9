//! The file that review-flow keeps of a job, for the programs that read it. It is written and never read; its shape is
//! review-flow's to the field and to the blank.

use serde::Serialize;

use super::action::Action;
use super::definition::Definition;
use super::job::JobState;
use super::publication::Score;
use super::pull::Pull;
use super::thread::Thread;
use super::words::{AgentStatus, Phase, Readiness};
use crate::fault::Fault;
use crate::timestamp::Timestamp;

/// The version of its shape.
const VERSION: &str = "1.0";
/// The folder that it lies in, below the reviewed folder.
const FOLDER: &str = ".claude/reviews/logs";
/// The phase of a job that nobody has begun.
const PENDING: &str = "pending";

/// What it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowFile<'a> {
    /// The pull request.
    pub pull: &'a Pull,
    /// What the job goes through.
    pub definition: &'a Definition,
    /// Where it stands.
    pub job: &'a JobState,
    /// When it was created.
    pub created_at: Timestamp,
    /// The threads of the pull request.
    pub threads: &'a [Thread],
    /// The actions of the job.
    pub actions: &'a [&'a Action],
    /// What it has come to, once it has.
    pub result: Option<FlowResult>,
    /// Which commits were reviewed, once that is known.
    pub diff: Option<&'a FlowDiff>,
}

/// What a job has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FlowResult {
    /// How many of its findings are blocking.
    pub blocking: usize,
    /// How many are warnings.
    pub warnings: usize,
    /// How many are suggestions.
    pub suggestions: usize,
    /// How good the pull request is.
    pub score: Option<Score>,
    /// What is to become of it.
    pub verdict: Option<Readiness>,
}

/// Which commits were reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowDiff {
    /// The commit that it is compared with: the target branch's.
    pub base_sha: String,
    /// The commit that was reviewed.
    pub head_sha: String,
    /// The commit that both come from.
    pub start_sha: String,
}

/// An audit as clients and the file have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentProgress<'a> {
    /// Its name.
    pub name: &'a str,
    /// By which people know it.
    pub display_name: &'a str,
    /// Where it stands.
    pub status: AgentStatus,
    /// When it was last started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// How often it was started.
    pub attempt: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    version: &'static str,
    merge_request_id: String,
    platform: &'static str,
    project_path: &'a str,
    merge_request_number: u64,
    created_at: Timestamp,
    threads: &'a [Thread],
    actions: &'a [&'a Action],
    progress: Progress<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<FlowResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff_metadata: Option<&'a FlowDiff>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Progress<'a> {
    phase: &'static str,
    current_step: Option<&'a str>,
    steps_completed: Vec<&'a str>,
    agents: Vec<AgentProgress<'a>>,
    updated_at: Timestamp,
}

/// A job's audits as clients and the file have them.
#[must_use]
pub fn agents<'a>(job: &'a JobState, definition: &'a Definition) -> Vec<AgentProgress<'a>> {
    let agents = job.with_definitions(definition).map(|(agent, defined)| AgentProgress {
        name: &agent.name,
        display_name: &defined.display_name,
        status: agent.status,
        started_at: agent.started_at,
        completed_at: agent.completed_at,
        error: agent.error.as_deref(),
        attempt: agent.attempt,
    });
    agents.collect()
}

/// How review-flow calls a pull request. Its file is called so, too, where slashes make folders.
#[must_use]
pub fn merge_request_id(pull: &Pull) -> String {
    format!("{}-{}-{}", pull.platform.as_str(), pull.project, pull.number)
}

impl FlowFile<'_> {
    /// Where it lies below the reviewed folder, with `/` between folders.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{FOLDER}/{}.json", merge_request_id(self.pull))
    }

    /// What stands in it.
    ///
    /// # Errors
    /// `internal` where it can't be written.
    pub fn text(&self) -> Result<String, Fault> {
        let Self { pull, definition, job, .. } = self;
        let named = |fits: fn(AgentStatus) -> bool| {
            let agents = job.agents.iter().filter(move |agent| fits(agent.status));
            agents.map(|agent| agent.name.as_str())
        };
        let has_begun = job.begun || job.phase != Phase::Initializing;
        let written = Written {
            version: VERSION,
            merge_request_id: merge_request_id(pull),
            platform: pull.platform.as_str(),
            project_path: &pull.project,
            merge_request_number: pull.number,
            created_at: self.created_at,
            threads: self.threads,
            actions: self.actions,
            progress: Progress {
                phase: if has_begun { job.phase.as_str() } else { PENDING },
                current_step: named(|status| status == AgentStatus::Running).next(),
                steps_completed: named(AgentStatus::is_finished).collect(),
                agents: agents(job, definition),
                updated_at: job.last_update,
            },
            result: self.result,
            diff_metadata: self.diff,
        };
        let failed = |error| Fault::internal(format!("review-flow's file can't be made: {error}."));
        serde_json::to_string_pretty(&written).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::definition::built_in;
    use crate::workflow::words::{Platform, ThreadStatus};

    const CREATED: Timestamp = Timestamp(1_795_232_961_125);

    fn pull() -> Pull {
        Pull {
            platform: Platform::Gitlab,
            host: "gitlab.com".to_owned(),
            project: "group/sub/app".to_owned(),
            number: 7,
        }
    }

    #[test]
    fn a_job_that_nobody_has_begun_is_written_as_review_flow_writes_it() {
        let (pull, mut definition) = (pull(), built_in("followup").expect("it is built in"));
        definition.agents.truncate(1);
        let job = JobState::new(&definition, false, CREATED);
        let file = FlowFile {
            pull: &pull,
            definition: &definition,
            job: &job,
            created_at: CREATED,
            threads: &[],
            actions: &[],
            result: None,
            diff: None,
        };
        assert_eq!(file.path(), ".claude/reviews/logs/gitlab-group/sub/app-7.json");
        let expected = r#"{
  "version": "1.0",
  "mergeRequestId": "gitlab-group/sub/app-7",
  "platform": "gitlab",
  "projectPath": "group/sub/app",
  "mergeRequestNumber": 7,
  "createdAt": "2026-11-21T03:49:21.125Z",
  "threads": [],
  "actions": [],
  "progress": {
    "phase": "pending",
    "currentStep": null,
    "stepsCompleted": [],
    "agents": [
      {
        "name": "context",
        "displayName": "Contexte",
        "status": "pending",
        "attempt": 0
      }
    ],
    "updatedAt": "2026-11-21T03:49:21.125Z"
  }
}"#;
        assert_eq!(file.text().as_deref(), Ok(expected));
    }

    #[test]
    fn a_job_on_its_way_has_its_steps_threads_actions_result_and_commits() {
        let (pull, definition) = (pull(), built_in("review").expect("it is built in"));
        let mut job = JobState::new(&definition, false, CREATED);
        (job.begun, job.phase) = (true, Phase::AgentsRunning);
        for (agent, status) in
            job.agents.iter_mut().zip([AgentStatus::Completed, AgentStatus::Failed, AgentStatus::Running])
        {
            (agent.status, agent.started_at, agent.attempt) = (status, Some(CREATED), 1);
        }
        job.agents[1].error = Some("no".to_owned());
        let thread = Thread {
            id: "t1".to_owned(),
            file: None,
            line: None,
            status: ThreadStatus::Open,
            body: "why?".to_owned(),
            comments: None,
        };
        let action = Action::ThreadReply { thread_id: "t1".to_owned(), message: "so".to_owned() };
        let diff = FlowDiff { base_sha: "1".to_owned(), head_sha: "2".to_owned(), start_sha: "3".to_owned() };
        let score = Score::of(7.5).ok();
        let verdict = Some(Readiness::NeedsFixes);
        let file = FlowFile {
            pull: &pull,
            definition: &definition,
            job: &job,
            created_at: CREATED,
            threads: &[thread],
            actions: &[&action],
            result: Some(FlowResult { blocking: 1, warnings: 2, suggestions: 0, score, verdict }),
            diff: Some(&diff),
        };
        let read: serde_json::Value = serde_json::from_str(&file.text().expect("it can be made")).expect("it is JSON");
        let progress = &read["progress"];
        assert_eq!(progress["phase"], "agents-running");
        assert_eq!(progress["currentStep"], "react-best-practices");
        assert_eq!(progress["stepsCompleted"], serde_json::json!(["clean-architecture", "ddd"]), "failed ones, too");
        assert_eq!(progress["agents"][1]["error"], "no");
        let thread = serde_json::json!({"id": "t1", "file": null, "line": null, "status": "open", "body": "why?"});
        assert_eq!(read["threads"][0], thread);
        assert_eq!(read["actions"][0], serde_json::json!({"type": "THREAD_REPLY", "threadId": "t1", "message": "so"}));
        let result =
            serde_json::json!({"blocking": 1, "warnings": 2, "suggestions": 0, "score": 7.5, "verdict": "needs_fixes"});
        assert_eq!(read["result"], result);
        assert_eq!(read["diffMetadata"], serde_json::json!({"baseSha": "1", "headSha": "2", "startSha": "3"}));
    }
}
