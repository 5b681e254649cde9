//! GitHub. REST as `github/rest-api-description` has it (`descriptions/api.github.com`), GraphQL as
//! `octokit/graphql-schema` has it; what is asked of which stands at each question.

mod graphql;
mod wire;
mod writes;

use crate::base::Base;
use crate::error::ForgeError;
use crate::forge::Forge;
use crate::http::{Http, Patience};
use crate::model::{Access, Account, Found, Issue, Kind, Pull, PullId, Repository, Review, ReviewState, Seen, Thread};
use crate::names::{checked, encoded};
use crate::pages;
use crate::platform::Platform;
use crate::token::Token;
use crate::write::{Done, Prepared, Write};

/// GitHub with the token of one user.
#[derive(Debug)]
pub struct GitHub {
    http: Http,
}

impl GitHub {
    /// A GitHub at this base.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] where the base is another platform's.
    pub fn new(base: Base, token: Token, patience: Patience) -> Result<Self, ForgeError> {
        if base.platform() != Platform::GitHub {
            return Err(ForgeError::Invalid(format!("{} isn't a GitHub.", base.web())));
        }
        Ok(Self { http: Http::new(base, token, patience) })
    }

    fn read_pull(&self, pull: &PullId, etag: Option<&str>) -> Result<Seen<Pull>, ForgeError> {
        let answer = self.http.get(&at(pull, "pulls")?, etag)?;
        if answer.status == 304 {
            return Ok(Seen::Same);
        }
        let etag = answer.etag();
        Ok(Seen::New { value: answer.json::<wire::Pull>()?.into_pull(&pull.project), etag })
    }
}

/// `/repos/OWNER/REPOSITORY`.
fn repository(project: &str) -> Result<String, ForgeError> {
    Ok(format!("/repos/{}", checked(Platform::GitHub, project)?))
}

/// The path of a pull request, as one (`pulls`) or as an issue (`issues`), which has its labels and comments.
fn at(pull: &PullId, list: &str) -> Result<String, ForgeError> {
    Ok(format!("{}/{list}/{}", repository(&pull.project)?, pull.number))
}

/// A commit's name, which stands in a path.
fn commit(name: &str) -> Result<&str, ForgeError> {
    let is_one = (7..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_one { Ok(name) } else { Err(ForgeError::Invalid("That is no commit's name.".to_owned())) }
}

impl Forge for GitHub {
    fn base(&self) -> &Base {
        self.http.base()
    }

    /// `GET /user`.
    fn me(&self) -> Result<Account, ForgeError> {
        self.http.read::<wire::User>("/user").map(Account::from)
    }

    /// `GET /repos/{owner}/{repo}`.
    fn repository(&self, project: &str) -> Result<Repository, ForgeError> {
        self.http.read::<wire::Repository>(&repository(project)?).map(Repository::from)
    }

    /// `GET /repos/{owner}/{repo}/collaborators/{username}/permission`. Only those who may push are told.
    fn access(&self, project: &str, who: &Account) -> Result<Access, ForgeError> {
        let path = format!("{}/collaborators/{}/permission", repository(project)?, encoded(&who.login));
        let said = match self.http.read::<wire::Permission>(&path) {
            Err(ForgeError::Refused { status: 403 | 404, .. }) => return Ok(Access::Unknown),
            said => said?,
        };
        // The name may be somebody else's by now.
        if said.user.is_some_and(|user| user.id != who.id) {
            return Ok(Access::Unknown);
        }
        Ok(match said.permission.as_str() {
            "admin" | "write" => Access::Write,
            "read" => Access::Read,
            "none" => Access::None,
            _ => Access::Unknown,
        })
    }

    /// `GET /repos/{owner}/{repo}/pulls/{pull_number}`.
    fn pull(&self, pull: &PullId) -> Result<Pull, ForgeError> {
        match self.read_pull(pull, None)? {
            Seen::New { value, .. } => Ok(value),
            Seen::Same => Err(ForgeError::strange("nothing was asked for again", crate::error::Happened::No)),
        }
    }

    fn changed(&self, pull: &PullId, etag: Option<&str>) -> Result<Seen<Pull>, ForgeError> {
        self.read_pull(pull, etag)
    }

    /// `GET /repos/{owner}/{repo}/compare/{basehead}`.
    fn merge_base(&self, project: &str, base: &str, head: &str) -> Result<String, ForgeError> {
        let path = format!("{}/compare/{}...{}?per_page=1", repository(project)?, commit(base)?, commit(head)?);
        Ok(self.http.read::<wire::Comparison>(&path)?.merge_base_commit.sha)
    }

    /// `GET /repos/{owner}/{repo}/pulls`, whose `head` takes the owner before the branch.
    fn pulls_from(&self, project: &str, branch: &str) -> Result<Vec<Pull>, ForgeError> {
        let owner = project.split('/').next().unwrap_or_default();
        let head = encoded(&format!("{owner}:{branch}"));
        let path = format!("{}/pulls?head={head}&state=all&sort=created&direction=desc", repository(project)?);
        let all = pages::all::<wire::Pull>(&self.http, &path)?;
        // A name that `head` doesn't know is as if it weren't there.
        let all = all.into_iter().map(|pull| pull.into_pull(project));
        Ok(all.filter(|pull| pull.branch == branch && !pull.fork).collect())
    }

    /// `GET /search/issues`.
    fn waiting(&self, me: &Account, etag: Option<&str>) -> Result<Seen<Vec<PullId>>, ForgeError> {
        let words = encoded(&format!("is:open is:pr archived:false review-requested:{}", me.login));
        let path = format!("/search/issues?q={words}&sort=updated&order=desc&per_page=100");
        let answer = self.http.get(&path, etag)?;
        if answer.status == 304 {
            return Ok(Seen::Same);
        }
        let value = answer.json::<wire::FoundIssues>()?.pulls();
        Ok(Seen::New { value, etag: answer.etag() })
    }

    /// GraphQL: `PullRequest.reviewThreads`.
    fn threads(&self, pull: &PullId) -> Result<Vec<Thread>, ForgeError> {
        let threads = graphql::threads(&self.http, pull)?;
        Ok(threads.into_iter().map(|of_review| of_review.thread).collect())
    }

    /// GraphQL: `node`.
    fn thread(&self, _: &PullId, id: &str) -> Result<Thread, ForgeError> {
        graphql::thread(&self.http, id).map(|of_review| of_review.thread)
    }

    /// `GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews`: a pending one is listed for its author alone.
    fn reviews(&self, pull: &PullId) -> Result<Vec<Review>, ForgeError> {
        let all = pages::all::<wire::Review>(&self.http, &format!("{}/reviews", at(pull, "pulls")?))?;
        Ok(all.into_iter().map(Review::from).collect())
    }

    /// GraphQL again: REST has no line of a comment that is pending.
    fn held_by(&self, pull: &PullId, review: &Review) -> Result<Vec<Thread>, ForgeError> {
        let threads = graphql::threads(&self.http, pull)?.into_iter();
        let held = threads.filter(|of_review| of_review.review.as_deref() == Some(&review.node));
        Ok(held.map(|of_review| of_review.thread).collect())
    }

    /// Reviews, comments (`GET /repos/{owner}/{repo}/issues/{issue_number}/comments`) and threads.
    fn find(&self, pull: &PullId, me: &Account, markers: &[String]) -> Result<Vec<Found>, ForgeError> {
        let mut found = Vec::new();
        let mut look = |author: Option<&Account>, kind, id: &str, url: Option<String>, body: &str, pending| {
            let ours = author.is_some_and(|author| author.id == me.id);
            for marker in markers.iter().filter(|marker| ours && body.trim_end().ends_with(marker.as_str())) {
                let (marker, id, url, body) = (marker.clone(), id.to_owned(), url.clone(), body.to_owned());
                found.push(Found { marker, kind, id, url, body, pending });
            }
        };
        for review in self.reviews(pull)? {
            let pending = review.state == ReviewState::Pending;
            let id = review.id.to_string();
            look(review.author.as_ref(), Kind::Review, &id, review.url, &review.body, pending);
        }
        let path = format!("{}/comments", at(pull, "issues")?);
        for comment in pages::all::<wire::IssueComment>(&self.http, &path)? {
            let author = comment.user.map(Account::from);
            let body = comment.body.unwrap_or_default();
            look(author.as_ref(), Kind::Comment, &comment.node_id, comment.html_url, &body, false);
        }
        for thread in self.threads(pull)? {
            for (index, comment) in thread.comments.into_iter().enumerate() {
                let kind = if index == 0 { Kind::Thread } else { Kind::Reply };
                look(comment.author.as_ref(), kind, &thread.id, comment.url, &comment.body, comment.pending);
            }
        }
        Ok(found)
    }

    /// `GET /repos/{owner}/{repo}/issues/{issue_number}`, which knows pull requests, too.
    fn issue(&self, project: &str, number: u64) -> Result<Issue, ForgeError> {
        let issue: wire::Issue = self.http.read(&format!("{}/issues/{number}", repository(project)?))?;
        if issue.pull_request.is_some() {
            return Err(ForgeError::Refused { status: 404, message: format!("{number} is a pull request") });
        }
        Ok(issue.into())
    }

    fn prepare(&self, write: &Write) -> Result<Prepared, ForgeError> {
        writes::prepared(write)
    }

    fn perform(&self, prepared: &Prepared) -> Result<Done, ForgeError> {
        writes::perform(&self.http, prepared)
    }
}
