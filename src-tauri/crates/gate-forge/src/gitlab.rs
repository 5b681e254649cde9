//! GitLab: its REST API 4 as `doc/api/` of its sources has it; what is asked of which page stands at each question.

mod wire;
mod writes;

use crate::base::Base;
use crate::error::{ForgeError, Happened};
use crate::forge::Forge;
use crate::http::{Http, Patience};
use crate::model::{Access, Account, Found, Issue, Kind, Pull, PullId, Repository, Review, Seen, Thread};
use crate::names::{checked, encoded};
use crate::pages;
use crate::platform::Platform;
use crate::token::Token;
use crate::write::{Done, Prepared, Write};

/// From this level on (Developer) somebody may push: `doc/api/access_requests.md`, "Valid access levels".
const DEVELOPER: u64 = 30;

/// GitLab with the token of one user.
#[derive(Debug)]
pub struct GitLab {
    http: Http,
}

impl GitLab {
    /// A GitLab at this base.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] where the base is another platform's.
    pub fn new(base: Base, token: Token, patience: Patience) -> Result<Self, ForgeError> {
        if base.platform() != Platform::GitLab {
            return Err(ForgeError::Invalid(format!("{} isn't a GitLab.", base.web())));
        }
        Ok(Self { http: Http::new(base, token, patience) })
    }

    fn read_pull(&self, pull: &PullId, etag: Option<&str>) -> Result<Seen<Pull>, ForgeError> {
        let answer = self.http.get(&at(pull)?, etag)?;
        if answer.status == 304 {
            return Ok(Seen::Same);
        }
        let etag = answer.etag();
        Ok(Seen::New { value: answer.json::<wire::MergeRequest>()?.into_pull(&pull.project), etag })
    }

    /// `GET /projects/:id/merge_requests/:iid/discussions`: threads, and comments on their own.
    fn discussions(&self, pull: &PullId) -> Result<Vec<wire::Discussion>, ForgeError> {
        pages::all(&self.http, &format!("{}/discussions", at(pull)?))
    }

    /// Where people look at a comment.
    fn url(&self, pull: &PullId, note: u64) -> String {
        let (web, PullId { project, number }) = (self.base().web(), pull);
        format!("{web}/{project}/-/merge_requests/{number}#note_{note}")
    }
}

/// `/projects/ID`, the path in one piece.
fn project_at(project: &str) -> Result<String, ForgeError> {
    Ok(format!("/projects/{}", encoded(checked(Platform::GitLab, project)?)))
}

fn at(pull: &PullId) -> Result<String, ForgeError> {
    Ok(format!("{}/merge_requests/{}", project_at(&pull.project)?, pull.number))
}

impl Forge for GitLab {
    fn base(&self) -> &Base {
        self.http.base()
    }

    /// `doc/api/users.md`: `GET /user`.
    fn me(&self) -> Result<Account, ForgeError> {
        self.http.read::<wire::User>("/user").map(Account::from)
    }

    /// `doc/api/projects.md`: `GET /projects/:id`.
    fn repository(&self, project: &str) -> Result<Repository, ForgeError> {
        let project: wire::Project = self.http.read(&project_at(project)?)?;
        Ok(project.into_repository(DEVELOPER))
    }

    /// `doc/api/project_members.md`: `GET /projects/:id/members/all/:user_id`, inherited members among them.
    fn access(&self, project: &str, who: &Account) -> Result<Access, ForgeError> {
        let path = format!("{}/members/all/{}", project_at(project)?, who.id);
        match self.http.read::<wire::Member>(&path) {
            Ok(member) => Ok(member.access(DEVELOPER)),
            Err(ForgeError::Refused { status: 404, .. }) => Ok(Access::None),
            Err(ForgeError::Refused { status: 403, .. }) => Ok(Access::Unknown),
            Err(error) => Err(error),
        }
    }

    /// `doc/api/merge_requests.md`: `GET /projects/:id/merge_requests/:iid`.
    fn pull(&self, pull: &PullId) -> Result<Pull, ForgeError> {
        match self.read_pull(pull, None)? {
            Seen::New { value, .. } => Ok(value),
            Seen::Same => Err(ForgeError::strange("nothing was asked for again", Happened::No)),
        }
    }

    fn changed(&self, pull: &PullId, etag: Option<&str>) -> Result<Seen<Pull>, ForgeError> {
        self.read_pull(pull, etag)
    }

    /// `doc/api/repositories.md`: `GET /projects/:id/repository/merge_base`.
    fn merge_base(&self, project: &str, base: &str, head: &str) -> Result<String, ForgeError> {
        let refs = [base, head].map(|name| format!("refs%5B%5D={}", encoded(name))).join("&");
        let path = format!("{}/repository/merge_base?{refs}", project_at(project)?);
        Ok(self.http.read::<wire::Commit>(&path)?.id)
    }

    /// `doc/api/merge_requests.md`: `GET /projects/:id/merge_requests`. The list has no commits: each is read by itself.
    fn pulls_from(&self, project: &str, branch: &str) -> Result<Vec<Pull>, ForgeError> {
        let branch = encoded(branch);
        let path = format!(
            "{}/merge_requests?source_branch={branch}&state=all&scope=all&order_by=created_at&sort=desc",
            project_at(project)?
        );
        let all = pages::all::<wire::Listed>(&self.http, &path)?.into_iter().filter(wire::Listed::is_own);
        all.map(|listed| self.pull(&PullId { project: project.to_owned(), number: listed.iid })).collect()
    }

    /// `doc/api/merge_requests.md`: `GET /merge_requests`.
    fn waiting(&self, me: &Account, etag: Option<&str>) -> Result<Seen<Vec<PullId>>, ForgeError> {
        let path = format!(
            "/merge_requests?scope=all&state=opened&reviewer_id={}&order_by=updated_at&sort=desc&per_page=100",
            me.id
        );
        let answer = self.http.get(&path, etag)?;
        if answer.status == 304 {
            return Ok(Seen::Same);
        }
        let listed: Vec<wire::Listed> = answer.json()?;
        Ok(Seen::New { value: listed.into_iter().filter_map(wire::Listed::name).collect(), etag: answer.etag() })
    }

    fn threads(&self, pull: &PullId) -> Result<Vec<Thread>, ForgeError> {
        let all = self.discussions(pull)?.into_iter();
        Ok(all.filter_map(|discussion| discussion.thread(|note| self.url(pull, note))).collect())
    }

    /// `doc/api/discussions.md`: "Get single merge request discussion item".
    fn thread(&self, pull: &PullId, id: &str) -> Result<Thread, ForgeError> {
        let discussion: wire::Discussion = self.http.read(&format!("{}/discussions/{}", at(pull)?, encoded(id)))?;
        let missing = || ForgeError::Refused { status: 404, message: "that is no thread".to_owned() };
        discussion.thread(|note| self.url(pull, note)).ok_or_else(missing)
    }

    fn reviews(&self, _: &PullId) -> Result<Vec<Review>, ForgeError> {
        Ok(Vec::new())
    }

    fn held_by(&self, _: &PullId, _: &Review) -> Result<Vec<Thread>, ForgeError> {
        Err(ForgeError::Invalid("GitLab has no reviews that hold threads.".to_owned()))
    }

    fn find(&self, pull: &PullId, me: &Account, markers: &[String]) -> Result<Vec<Found>, ForgeError> {
        let mut found = Vec::new();
        for discussion in self.discussions(pull)? {
            for (index, note) in discussion.notes.iter().enumerate() {
                let body = note.body.trim_end();
                let ours = !note.system && note.author.as_ref().is_some_and(|author| author.id == me.id);
                let (kind, id) = match (discussion.individual_note, index) {
                    (true, _) => (Kind::Comment, note.id.to_string()),
                    (false, 0) => (Kind::Thread, discussion.id.clone()),
                    (false, _) => (Kind::Reply, discussion.id.clone()),
                };
                for marker in markers.iter().filter(|marker| ours && body.ends_with(marker.as_str())) {
                    let (marker, url, body) = (marker.clone(), Some(self.url(pull, note.id)), note.body.clone());
                    found.push(Found { marker, kind, id: id.clone(), url, body, pending: false });
                }
            }
        }
        Ok(found)
    }

    /// `doc/api/issues.md`: `GET /projects/:id/issues/:iid`.
    fn issue(&self, project: &str, number: u64) -> Result<Issue, ForgeError> {
        self.http.read::<wire::Issue>(&format!("{}/issues/{number}", project_at(project)?)).map(Issue::from)
    }

    fn prepare(&self, write: &Write) -> Result<Prepared, ForgeError> {
        writes::prepared(write)
    }

    fn perform(&self, prepared: &Prepared) -> Result<Done, ForgeError> {
        writes::perform(self.base().web(), &self.http.send(prepared)?, prepared)
    }
}
