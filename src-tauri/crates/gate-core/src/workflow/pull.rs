//! Where a pull request is, as its address in a browser says.

use serde::{Deserialize, Serialize};

use super::bounds;
use super::words::Platform;
use crate::bounded::{at_most_chars, excerpt};
use crate::fault::{Code, Fault};

/// The largest number of a pull request: what every program reads as it is written.
const LARGEST: u64 = (1 << 53) - 1;

/// A pull request. GitLab calls them merge requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Pull {
    /// What runs there.
    pub platform: Platform,
    /// The host in lower case, with its port where it is another than usual, and the path below which GitLab runs:
    /// `github.com`, `git.example.com:8443/gitlab`.
    pub host: String,
    /// The project's path: `owner/repo`, `group/subgroup/project`.
    pub project: String,
    /// Its number.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub number: u64,
}

impl Pull {
    /// Reads an address. `hosts` are those that the person has set up: where one has a path, it is told from the project's
    /// by that.
    ///
    /// # Errors
    /// `invalid_input` with what is wrong about it; `too_large`.
    pub fn parse(url: &str, hosts: &[&str]) -> Result<Self, Fault> {
        at_most_chars("url", url, bounds::URL_CHARS)?;
        let wrong = |why: &str| {
            Fault::new(
                Code::InvalidInput,
                format!("`url` is {:?}: {why}.", excerpt(url, 200)),
                "Pass the address as the browser has it: https://github.com/OWNER/REPO/pull/NUMBER or \
                 https://gitlab.com/GROUP/PROJECT/-/merge_requests/NUMBER.",
            )
        };
        let (scheme, rest) = url.trim().split_once("://").ok_or_else(|| wrong("it is no whole address"))?;
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = rest.split_once('/').ok_or_else(|| wrong("it names no pull request"))?;
        let host = host.to_ascii_lowercase();
        let bare = without_port(&host).ok_or_else(|| wrong("its host isn't one"))?;
        let is_secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" if is_loopback(bare) => false,
            "http" => return Err(wrong("it must begin with https")),
            _ => return Err(wrong("it must be an address of the web")),
        };
        let usual = if is_secure { ":443" } else { ":80" };
        let host = host.strip_suffix(usual).unwrap_or(&host).to_owned();
        let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let (platform, at) = place(&segments).ok_or_else(|| wrong("it is no pull request's or merge request's"))?;
        let number = segments.get(at + 1).copied().and_then(number).ok_or_else(|| wrong("its number isn't one"))?;
        let mut project = &segments[..at];
        if platform == Platform::Gitlab && project.last() == Some(&"-") {
            project = &project[..project.len() - 1];
        }
        if !project.iter().all(|segment| is_segment(segment)) {
            return Err(wrong("its path isn't a project's"));
        }
        let below = below(&host, project, hosts);
        let (under, project) = project.split_at(below);
        let fits = match platform {
            Platform::Github => under.is_empty() && project.len() == 2,
            Platform::Gitlab => project.len() >= 2,
        };
        if !fits {
            return Err(wrong("its path isn't a project's"));
        }
        let host = [&[host.as_str()][..], under].concat().join("/");
        Ok(Self { platform, host, project: project.join("/"), number })
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        let Self { platform, host, project, number } = self;
        let bare = host.split('/').next().and_then(without_port).unwrap_or_default();
        let scheme = if is_loopback(bare) { "http" } else { "https" };
        match platform {
            Platform::Github => format!("{scheme}://{host}/{project}/pull/{number}"),
            Platform::Gitlab => format!("{scheme}://{host}/{project}/-/merge_requests/{number}"),
        }
    }
}

/// Where in a path the number's name stands, and whose that is. What may follow is a view of the same pull request.
fn place(segments: &[&str]) -> Option<(Platform, usize)> {
    let gitlab = segments.windows(2).position(|two| two == ["-", "merge_requests"]).map(|at| at + 1);
    let gitlab =
        gitlab.or_else(|| segments.iter().rposition(|segment| *segment == "merge_requests").filter(|at| *at >= 2));
    match (segments.get(2), gitlab) {
        (_, Some(at)) => Some((Platform::Gitlab, at)),
        (Some(&"pull"), None) => Some((Platform::Github, 2)),
        _ => None,
    }
}

/// How many of these segments are the path below which GitLab runs on this host.
fn below(host: &str, segments: &[&str], hosts: &[&str]) -> usize {
    let paths = hosts.iter().filter_map(|known| known.trim_end_matches('/').strip_prefix(host)?.strip_prefix('/'));
    let fits = paths.map(|path| path.split('/').collect::<Vec<_>>()).filter(|path| segments.starts_with(path));
    fits.map(|path| path.len()).max().unwrap_or(0)
}

/// A host's name without its port; absent where it isn't one.
fn without_port(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (name, after) = rest.split_once(']')?;
            (name, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    };
    let is_name = match host.starts_with('[') {
        true => name.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.'),
        false => name.split('.').all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !label.starts_with('-')
        }),
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0) && !port.starts_with('+'));
    (is_name && is_port && !name.is_empty()).then_some(name)
}

fn is_loopback(name: &str) -> bool {
    name == "localhost"
        || name == "::1"
        || name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// A number as pull requests have it.
pub(super) fn number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|number| is_plain && *number <= LARGEST)
}

/// Whether it may stand between two slashes of a project's path.
pub(super) fn is_segment(segment: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !segment.is_empty() && !matches!(segment, "." | ".." | "-") && segment.chars().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, hosts: &[&str]) -> Result<(Platform, String, String, u64), String> {
        let pull = Pull::parse(url, hosts).map_err(|fault| fault.message)?;
        assert_eq!(Pull::parse(&pull.url(), hosts).as_ref(), Ok(&pull), "its own address leads back to it");
        Ok((pull.platform, pull.host, pull.project, pull.number))
    }

    #[test]
    fn addresses_of_both_platforms_are_read() {
        for (url, platform, host, project, number) in [
            ("https://github.com/owner/repo/pull/42", Platform::Github, "github.com", "owner/repo", 42),
            ("https://GitHub.com/owner/repo/pull/42/files#diff-1", Platform::Github, "github.com", "owner/repo", 42),
            ("https://github.com/owner/repo/pull/42?w=1", Platform::Github, "github.com", "owner/repo", 42),
            ("https://git.example.com:8443/a/b/pull/1/", Platform::Github, "git.example.com:8443", "a/b", 1),
            ("https://sub.ghe.com/a/b.c/pull/7/commits/abc", Platform::Github, "sub.ghe.com", "a/b.c", 7),
            ("https://gitlab.com/group/app/-/merge_requests/3", Platform::Gitlab, "gitlab.com", "group/app", 3),
            ("https://gitlab.com/g/s/t/app/-/merge_requests/3/diffs?x", Platform::Gitlab, "gitlab.com", "g/s/t/app", 3),
            ("https://gitlab.com/group/app/merge_requests/3", Platform::Gitlab, "gitlab.com", "group/app", 3),
            ("https://gitlab.com:443/pull/pull/-/merge_requests/9", Platform::Gitlab, "gitlab.com", "pull/pull", 9),
            ("http://127.0.0.1:8080/a/b/pull/5", Platform::Github, "127.0.0.1:8080", "a/b", 5),
            ("http://[::1]:80/a/b/pull/5", Platform::Github, "[::1]", "a/b", 5),
        ] {
            let expected = Ok((platform, host.to_owned(), project.to_owned(), number));
            assert_eq!(read(url, &[]), expected, "{url}");
        }
    }

    #[test]
    fn a_path_below_which_gitlab_runs_is_told_by_the_hosts_that_are_set_up() {
        let url = "https://git.example.com/dev/gitlab/team/app/-/merge_requests/3";
        let of = |host: &str, project: &str| Ok((Platform::Gitlab, host.to_owned(), project.to_owned(), 3));
        assert_eq!(read(url, &["git.example.com/dev/gitlab"]), of("git.example.com/dev/gitlab", "team/app"));
        assert_eq!(
            read(url, &["git.example.com", "git.example.com/dev"]),
            of("git.example.com/dev", "gitlab/team/app")
        );
        assert_eq!(read(url, &["git.example.co", "other.com/dev"]), of("git.example.com", "dev/gitlab/team/app"));
        assert_eq!(read(url, &["git.example.com/de"]), of("git.example.com", "dev/gitlab/team/app"), "by whole names");
    }

    #[test]
    fn what_is_no_pull_request_s_address_is_refused_with_the_reason() {
        for (url, why) in [
            ("", "no whole address"),
            ("github.com/owner/repo/pull/42", "no whole address"),
            ("ssh://github.com/owner/repo/pull/42", "of the web"),
            ("http://github.com/owner/repo/pull/42", "https"),
            ("http://127.0.0.1.example.com/o/r/pull/1", "https"),
            ("https://github.com", "no pull request"),
            ("https://github.com/owner/repo", "no pull request's"),
            ("https://github.com/owner/repo/issues/42", "no pull request's"),
            ("https://github.com/owner/repo/pull", "its number"),
            ("https://github.com/owner/repo/pull/0", "its number"),
            ("https://github.com/owner/repo/pull/042", "its number"),
            ("https://github.com/owner/repo/pull/9007199254740992", "its number"),
            ("https://github.com/owner/repo/pull/99999999999999999999", "its number"),
            ("https://github.com/../repo/pull/4", "a project's"),
            ("https://github.com/owner/%2e%2e/pull/4", "a project's"),
            ("https://github.com/owner//pull/4", "a project's"),
            ("https://me:token@github.com/owner/repo/pull/4", "its host"),
            ("https://git_hub.com/owner/repo/pull/4", "its host"),
            ("https://github.com:0/owner/repo/pull/4", "its host"),
            ("https:///owner/repo/pull/4", "its host"),
            ("https://gitlab.com/app/-/merge_requests/4", "a project's"),
            ("https://gitlab.com/group/app/-/merge_requests/x", "its number"),
        ] {
            let said = read(url, &[]).expect_err(url);
            assert!(said.contains(why), "{url}: {said}");
        }
        let long = format!("https://github.com/owner/repo/pull/4?{}", "x".repeat(2000));
        assert_eq!(Pull::parse(&long, &[]).map_err(|fault| fault.code), Err(Code::TooLarge));
    }
}
