//! How a job is named: by its id, or as review-flow does, by its pull request.

use super::JobId;
use super::bounds;
use super::refusal::unknown_job;
use super::words::{JobType, Platform};
use crate::fault::Fault;
use crate::timestamp::Timestamp;

/// What stands behind a platform's name in review-flow's ids of follow-ups.
const FOLLOWUP: &str = "-followup";

/// What a call says of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobReference {
    /// Its id.
    Id(JobId),
    /// The caller's unfinished job of this pull request, else the newest one.
    Pull(PullReference),
}

/// A pull request as review-flow names it: without its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullReference {
    /// Where it is.
    pub platform: Platform,
    /// Whether only jobs of this type are meant; where it isn't said, reviews come first.
    pub job_type: Option<JobType>,
    /// The project's path, e.g. `owner/repo`.
    pub project: String,
    /// Its number.
    pub number: u64,
}

/// A job that a reference may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub job_id: JobId,
    /// What it is for.
    pub job_type: JobType,
    /// Whether nothing more becomes of it.
    pub is_finished: bool,
    /// When it was created.
    pub created_at: Timestamp,
}

impl JobReference {
    /// Reads an id, `github:owner/repo:42`, or `gitlab-followup:group/project:42`.
    ///
    /// # Errors
    /// `unknown_job` where it is none of these.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        PullReference::parse(text).map(Self::Pull).ok_or_else(|| unknown_job(Some(text)))
    }
}

impl PullReference {
    fn parse(text: &str) -> Option<Self> {
        let (platform, rest) = text.split_once(':')?;
        let (project, number) = rest.rsplit_once(':')?;
        let (platform, job_type) = match platform.strip_suffix(FOLLOWUP) {
            Some(platform) => (platform, Some(JobType::Followup)),
            None => (platform, None),
        };
        let platform = Platform::parse(platform)?;
        let is_path = project.chars().count() <= bounds::PATH_CHARS && is_project(platform, project);
        let number = super::pull::number(number)?;
        is_path.then(|| Self { platform, job_type, project: project.to_owned(), number })
    }

    /// Which of these it means: of jobs of this pull request that the caller may see, the newest that isn't finished, else
    /// the newest.
    #[must_use]
    pub fn choose(&self, candidates: &[Candidate]) -> Option<JobId> {
        let fits = candidates.iter().filter(|one| self.job_type.is_none_or(|job_type| one.job_type == job_type));
        fits.max_by_key(|one| (!one.is_finished, one.created_at, one.job_id)).map(|one| one.job_id)
    }
}

/// Whether it is the path of a project there.
fn is_project(platform: Platform, path: &str) -> bool {
    let parts = path.split('/').count();
    let fits = match platform {
        Platform::Github => parts == 2,
        Platform::Gitlab => parts >= 2,
    };
    fits && path.split('/').all(super::pull::is_segment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Code;
    use uuid::Uuid;

    fn read(text: &str) -> Option<(Platform, Option<JobType>, String, u64)> {
        match JobReference::parse(text).ok()? {
            JobReference::Pull(pull) => Some((pull.platform, pull.job_type, pull.project, pull.number)),
            JobReference::Id(_) => None,
        }
    }

    #[test]
    fn review_flow_s_ids_name_pull_requests() {
        let github = read("github:owner/repo:42");
        assert_eq!(github, Some((Platform::Github, None, "owner/repo".to_owned(), 42)));
        let followup = read("gitlab-followup:group/sub/app:7");
        assert_eq!(followup, Some((Platform::Gitlab, Some(JobType::Followup), "group/sub/app".to_owned(), 7)));
        let id = Uuid::from_u128(7);
        assert_eq!(JobReference::parse(&id.to_string()), Ok(JobReference::Id(JobId(id))));
        for none in [
            "",
            "42",
            "github:owner:42",
            "github:a/b/c:42",
            "github:owner/repo",
            "github:owner/repo:",
            "github:owner/repo:0",
            "github:owner/repo:-1",
            "github:owner/repo:4x",
            "github:../repo:4",
            "github:owner//repo:4",
            "bitbucket:owner/repo:4",
            "github-other:owner/repo:4",
            "github:owner/re po:4",
        ] {
            let fault = JobReference::parse(none).expect_err(none);
            assert_eq!(fault.code, Code::UnknownJob, "{none:?} names none");
        }
    }

    #[test]
    fn an_unfinished_job_is_meant_before_a_newer_one() {
        let one = |number: u128, job_type, is_finished, at| Candidate {
            job_id: JobId(Uuid::from_u128(number)),
            job_type,
            is_finished,
            created_at: Timestamp(at),
        };
        let jobs = [
            one(1, JobType::Review, true, 10),
            one(2, JobType::Review, false, 20),
            one(3, JobType::Review, true, 30),
            one(4, JobType::Followup, true, 5),
        ];
        let chosen = |text: &str, jobs: &[Candidate]| match JobReference::parse(text) {
            Ok(JobReference::Pull(pull)) => pull.choose(jobs).map(|id| id.0.as_u128()),
            other => panic!("{other:?}"),
        };
        assert_eq!(chosen("github:o/r:1", &jobs), Some(2), "the unfinished one");
        assert_eq!(chosen("github:o/r:1", &[jobs[0].clone(), jobs[2].clone()]), Some(3), "else the newest");
        assert_eq!(chosen("github-followup:o/r:1", &jobs), Some(4), "of its type");
        assert_eq!(chosen("github-followup:o/r:1", &jobs[..3]), None);
    }
}
