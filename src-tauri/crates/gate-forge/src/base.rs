//! Where a platform's API is, from the address that the person knows. Knows no token and sends nothing.

use std::net::IpAddr;

use crate::error::ForgeError;
use crate::names;
use crate::platform::Platform;
use crate::write::Target;

/// One installation of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    platform: Platform,
    web: String,
    api: String,
    graphql: Option<String>,
    near: bool,
}

const PUBLIC_GITHUB: [&str; 3] = ["github.com", "www.github.com", "api.github.com"];
/// Where companies have a GitHub of their own that GitHub runs.
const COMPANIES: &str = ".ghe.com";

impl Base {
    /// The platform at an address: `HOST`, `HOST:PORT`, for GitLab `HOST/path`, with `https://` before it or not.
    /// `http://` is only for this machine.
    ///
    /// | address | API |
    /// |---|---|
    /// | `github.com` | `https://api.github.com` |
    /// | `SUB.ghe.com` | `https://api.SUB.ghe.com` |
    /// | another GitHub | `https://HOST/api/v3`, `https://HOST/api/graphql` |
    /// | GitLab | `https://HOST[/path]/api/v4` |
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] for anything else: a name before the host, a query, `http://` to another machine.
    pub fn of(platform: Platform, address: &str) -> Result<Self, ForgeError> {
        let bad = |why: &str| ForgeError::Invalid(format!("The address `{}` {why}", address.escape_debug()));
        let (scheme, rest) = match address.trim().split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None => ("https".to_owned(), address.trim()),
        };
        let rest = rest.trim_end_matches('/');
        let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
        let (host, port) = authority_of(authority).ok_or_else(|| bad("isn't a host, with a port or without one."))?;
        let near = is_near(&host);
        match scheme.as_str() {
            "https" => {}
            "http" if near => {}
            "http" => return Err(bad("has no encryption: a token goes over https alone, except on this machine.")),
            _ => return Err(bad("isn't a web server's.")),
        }
        if !path.is_empty() && (platform == Platform::GitHub || !path.split('/').all(names::is_segment)) {
            return Err(bad("has a path that such a platform doesn't have."));
        }
        let path = if path.is_empty() { String::new() } else { format!("/{path}") };
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        let at = |host: &str| format!("{scheme}://{host}{port}");
        let (web, api, graphql) = match platform {
            Platform::GitLab => (format!("{}{path}", at(&host)), format!("{}{path}/api/v4", at(&host)), None),
            Platform::GitHub if PUBLIC_GITHUB.contains(&host.as_str()) => {
                let api = at("api.github.com");
                (at("github.com"), api.clone(), Some(format!("{api}/graphql")))
            }
            Platform::GitHub if host.ends_with(COMPANIES) => {
                let company = host.strip_prefix("api.").unwrap_or(&host);
                let api = at(&format!("api.{company}"));
                (at(company), api.clone(), Some(format!("{api}/graphql")))
            }
            Platform::GitHub => {
                let web = at(&host);
                (web.clone(), format!("{web}/api/v3"), Some(format!("{web}/api/graphql")))
            }
        };
        Ok(Self { platform, web, api, graphql, near })
    }

    /// Which platform it is.
    #[must_use]
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// Where its REST API is, without a slash at the end.
    #[must_use]
    pub fn api(&self) -> &str {
        &self.api
    }

    /// The whole address that a write goes to.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] for a path that isn't one, and for GraphQL where that isn't used.
    pub fn address(&self, target: &Target) -> Result<String, ForgeError> {
        match target {
            Target::Rest(path) => self.below(path),
            Target::GraphQl => {
                let why = || ForgeError::Invalid("This platform isn't asked by GraphQL.".to_owned());
                self.graphql.clone().ok_or_else(why)
            }
        }
    }

    /// The address of a path, which can't lead to another host.
    pub(crate) fn below(&self, path: &str) -> Result<String, ForgeError> {
        if path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
            return Ok(format!("{}{path}", self.api));
        }
        Err(ForgeError::Invalid("That is no path of an API.".to_owned()))
    }

    /// Where people look at it, without a slash at the end.
    #[must_use]
    pub fn web(&self) -> &str {
        &self.web
    }

    /// From where git fetches a project, and to where it pushes. Both platforms take a token as any user's password.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] when that is no project's name.
    pub fn git_url(&self, project: &str) -> Result<String, ForgeError> {
        names::checked(self.platform, project)?;
        Ok(format!("{}/{project}.git", self.web))
    }

    /// Whether it is this machine: then no proxy stands between.
    pub(crate) fn is_near(&self) -> bool {
        self.near
    }
}

/// Host, in small letters, and port.
fn authority_of(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            address.parse::<std::net::Ipv6Addr>().ok()?;
            (format!("[{address}]"), rest.strip_prefix(':').or(rest.is_empty().then_some("")))
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host.to_owned(), Some(port)),
            None => (authority.to_owned(), Some("")),
        },
    };
    let port = match port? {
        "" if !authority.ends_with(':') => None,
        port => Some(port.parse::<u16>().ok().filter(|port| *port != 0)?),
    };
    let is_name = |host: &str| {
        !host.is_empty()
            && host.split('.').all(|label| !label.is_empty() && !label.starts_with('-'))
            && host.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
    };
    (host.starts_with('[') || is_name(&host)).then(|| (host.to_ascii_lowercase(), port))
}

fn is_near(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(platform: Platform, address: &str) -> String {
        Base::of(platform, address).map_or_else(|error| format!("refused: {error}"), |base| base.api)
    }

    #[test]
    fn the_api_follows_from_the_address() {
        for (address, expected) in [
            ("github.com", "https://api.github.com"),
            ("https://api.github.com/", "https://api.github.com"),
            ("acme.ghe.com", "https://api.acme.ghe.com"),
            ("api.acme.ghe.com", "https://api.acme.ghe.com"),
            ("Git.Example.org:8443", "https://git.example.org:8443/api/v3"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/api/v3"),
        ] {
            assert_eq!(api(Platform::GitHub, address), expected, "{address}");
        }
        for (address, expected) in [
            ("gitlab.com", "https://gitlab.com/api/v4"),
            ("https://example.org/git/lab/", "https://example.org/git/lab/api/v4"),
            ("http://[::1]:81", "http://[::1]:81/api/v4"),
            ("http://localhost", "http://localhost/api/v4"),
        ] {
            assert_eq!(api(Platform::GitLab, address), expected, "{address}");
        }
    }

    #[test]
    fn graphql_and_git_are_beside_it() {
        let of = |address| Base::of(Platform::GitHub, address).expect("a good address");
        let graphql = |address| of(address).address(&Target::GraphQl).unwrap_or_default();
        assert_eq!(graphql("github.com"), "https://api.github.com/graphql");
        assert_eq!(graphql("acme.ghe.com"), "https://api.acme.ghe.com/graphql");
        assert_eq!(graphql("git.example.org"), "https://git.example.org/api/graphql");
        assert_eq!(of("acme.ghe.com").git_url("a/b").ok().as_deref(), Some("https://acme.ghe.com/a/b.git"));
        let lab = Base::of(Platform::GitLab, "example.org/lab").expect("a good address");
        assert_eq!(lab.git_url("g/sub/p").ok().as_deref(), Some("https://example.org/lab/g/sub/p.git"));
        assert!(lab.git_url("../../etc").is_err(), "a project's name leads nowhere else");
    }

    #[test]
    fn a_path_leads_to_no_other_host() {
        let base = Base::of(Platform::GitHub, "github.com").expect("an address");
        let rest = |path: &str| base.address(&Target::Rest(path.to_owned()));
        assert_eq!(rest("/user").ok().as_deref(), Some("https://api.github.com/user"));
        for path in ["", "user", "@evil.example/", ".evil.example/", "/a b", "/a\r\nX: 1", "/a#b"] {
            assert!(rest(path).is_err(), "{path:?} would be another request");
        }
        let lab = Base::of(Platform::GitLab, "gitlab.com").expect("an address");
        assert!(lab.address(&Target::GraphQl).is_err());
    }

    #[test]
    fn a_token_goes_nowhere_that_is_not_said() {
        for address in [
            "http://github.com",
            "http://127.0.0.1.example.org",
            "ftp://github.com",
            "https://user@github.com",
            "github.com@evil.example",
            "github.com?x",
            "github.com#x",
            "git hub.com",
            "",
            "https://",
            "-x.org",
            "host:0",
            "host:99999",
            "host:",
            "github.com/enterprise",
        ] {
            assert!(Base::of(Platform::GitHub, address).is_err(), "{address} is no place for a token");
        }
        assert!(Base::of(Platform::GitLab, "example.org/../x").is_err(), "a path has names alone");
    }
}
