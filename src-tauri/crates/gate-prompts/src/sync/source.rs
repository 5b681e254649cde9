//! Which repository, and what of it: read from what a person writes, and refused where it could be read by
//! git as anything else. It must not know how it is fetched.

use std::fmt;
use std::net::IpAddr;

use gate_core::{Code, Fault};

use super::tree;

/// Longest address, token or name of a branch or folder, in bytes.
const TEXT_BYTES: usize = 2000;
/// Fewest digits of a pinned commit's id.
const PIN_DIGITS: usize = 7;

/// A secret. It is shown nowhere, not even by `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Makes one.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for whoever needs it to sign in.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// How a repository is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `https://`.
    Https,
    /// `http://`: on this machine, or for one pinned commit.
    Http,
    /// `ssh://` and `user@host:path`.
    Ssh,
    /// `git://`: on this machine, or for one pinned commit.
    Git,
    /// `file://`: a repository on this machine.
    File,
}

impl Protocol {
    /// Its name as git writes it in `protocol.<name>.allow`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Ssh => "ssh",
            Self::Git => "git",
            Self::File => "file",
        }
    }
}

/// A source as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceText {
    /// `owner/repo` of GitHub, or the address of a git repository.
    pub repository: String,
    /// The branch; absent for the repository's own.
    pub branch: Option<String>,
    /// The folder in the repository; absent for all of it.
    pub subfolder: Option<String>,
    /// A commit to stay at: its id, or at least its first seven digits.
    pub pin: Option<String>,
    /// What signs in, for `https://`: a token, or `user:password`.
    pub token: Option<Secret>,
    /// Whether the person's own git and SSH credentials are used.
    pub own_credentials: bool,
}

/// A source that git can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    repository: String,
    address: String,
    protocol: Protocol,
    host: String,
    path: String,
    branch: Option<String>,
    subfolder: Option<String>,
    pin: Option<String>,
    token: Option<Secret>,
    own_credentials: bool,
}

impl Source {
    /// Reads what a person wrote. Empty texts count as absent, apart from the repository.
    ///
    /// `http://` and `git://` are neither sealed nor signed, so whoever is on the way could put prompts of
    /// their own into an agent's hands. They are taken on this machine; elsewhere only for a commit that is
    /// pinned by its whole id, which names its content, and without a token.
    ///
    /// # Errors
    /// `invalid_input`, with no word of a secret in it.
    pub fn parse(text: SourceText) -> Result<Self, Fault> {
        let repository = text.repository.trim().to_owned();
        let branch = given(text.branch).map(|branch| checked_branch(&branch)).transpose()?;
        let subfolder = match given(text.subfolder) {
            Some(subfolder) => checked_subfolder(&subfolder)?,
            None => None,
        };
        let pin = given(text.pin).map(|pin| checked_pin(&pin)).transpose()?;
        let token = text.token.filter(|token| !token.expose().is_empty());
        let Address { address, protocol, host, path } = read_address(&repository)?;

        let whole_pin = pin.as_ref().is_some_and(|pin| matches!(pin.len(), 40 | 64));
        let local = is_loopback(&host);
        if matches!(protocol, Protocol::Http | Protocol::Git) && !local && (!whole_pin || token.is_some()) {
            return Err(invalid(
                format!("Prompts can't be fetched by `{}://` from another machine.", protocol.name()),
                "Use `https://` or SSH: on the way, anybody could change them.",
            ));
        }
        if let Some(token) = &token {
            if !matches!(protocol, Protocol::Https | Protocol::Http) {
                return Err(invalid("A token signs in by `https://` only.", "Remove the token, or use `https://`."));
            }
            let good = token.expose().len() <= TEXT_BYTES && token.expose().bytes().all(|b| b.is_ascii_graphic());
            if !good {
                return Err(invalid(
                    "The token holds blanks, line breaks or other characters that no token has.",
                    "Copy it again, without anything before or after it.",
                ));
            }
        }
        if protocol == Protocol::Ssh && !text.own_credentials {
            return Err(invalid(
                "SSH signs in with your own keys, and using your own credentials is off.",
                "Switch on your own credentials for the synchronisation, or use `https://`, with a token if it is private.",
            ));
        }
        let own_credentials = text.own_credentials;
        Ok(Self { repository, address, protocol, host, path, branch, subfolder, pin, token, own_credentials })
    }

    /// The repository as it was written.
    #[must_use]
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The address that git is given.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How it is spoken to.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The host's name, without its port; empty for [`Protocol::File`].
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The path at the host, without `/` around it and without `.git`: for GitHub, `owner/repo`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The branch; absent for the repository's own.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// The folder in the repository, without `/` around it; absent for all of it.
    #[must_use]
    pub fn subfolder(&self) -> Option<&str> {
        self.subfolder.as_deref()
    }

    /// The commit to stay at, in small letters.
    #[must_use]
    pub fn pin(&self) -> Option<&str> {
        self.pin.as_deref()
    }

    /// What signs in.
    #[must_use]
    pub fn token(&self) -> Option<&Secret> {
        self.token.as_ref()
    }

    /// Whether the person's own credentials are used.
    #[must_use]
    pub fn own_credentials(&self) -> bool {
        self.own_credentials
    }

    /// What is asked for, without how one signs in: two sources with the same give the same files.
    #[must_use]
    pub fn key(&self) -> String {
        let part = |text: &Option<String>| text.clone().unwrap_or_default();
        // No part can hold a line break.
        [self.address.clone(), part(&self.branch), part(&self.subfolder), part(&self.pin)].join("\n")
    }
}

fn invalid(message: impl Into<String>, mend: impl Into<String>) -> Fault {
    Fault::new(Code::InvalidInput, message, mend)
}

fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

struct Address {
    address: String,
    protocol: Protocol,
    host: String,
    path: String,
}

fn read_address(text: &str) -> Result<Address, Fault> {
    let example = "Write `owner/repo` for GitHub, or an address such as `https://git.example.org/team/prompts.git`.";
    if text.is_empty() {
        return Err(invalid("No repository is named.", example));
    }
    let odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '\\' | '\u{200b}'..='\u{200f}');
    if text.len() > TEXT_BYTES || text.starts_with('-') || text.contains(odd) {
        return Err(invalid("The repository's address holds what no address has, or is too long.", example));
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        return read_url(text, scheme, rest);
    }
    if text.contains("::") {
        return Err(invalid("The repository's address names a helper program of git, which is never run.", example));
    }
    if let Some((owner, name)) = text.split_once('/')
        && is_github_name(owner, 39)
        && is_github_name(name, 104)
    {
        let name = name.strip_suffix(".git").unwrap_or(name);
        return Ok(Address {
            address: format!("https://github.com/{owner}/{name}.git"),
            protocol: Protocol::Https,
            host: "github.com".into(),
            path: format!("{owner}/{name}"),
        });
    }
    // As git reads it: with a colon before the first slash, it is `[user@]host:path`.
    if let Some((place, path)) = text.split_once(':')
        && !place.contains('/')
        && !path.is_empty()
        && !path.starts_with('-')
    {
        let (user, host) = place.split_once('@').unwrap_or(("git", place));
        if is_user(user) && is_host(host) {
            return Ok(Address {
                address: text.to_owned(),
                protocol: Protocol::Ssh,
                host: host.to_ascii_lowercase(),
                path: short_path(path),
            });
        }
    }
    Err(invalid(
        "The repository's address can't be read.",
        format!("{example} A folder of this machine is `file:///…`."),
    ))
}

fn read_url(text: &str, scheme: &str, rest: &str) -> Result<Address, Fault> {
    let protocol = match scheme.to_ascii_lowercase().as_str() {
        "https" => Protocol::Https,
        "http" => Protocol::Http,
        "ssh" => Protocol::Ssh,
        "git" => Protocol::Git,
        "file" => Protocol::File,
        _ => {
            return Err(invalid(
                "The repository's address is of a kind that isn't fetched.",
                "Use `https://`, SSH, or `file://` for a folder of this machine.",
            ));
        }
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if let Some((user, _)) = authority.rsplit_once('@')
        && (protocol != Protocol::Ssh || !is_user(user))
    {
        return Err(invalid(
            "The repository's address holds credentials.",
            "Take what is before the `@` out of the address, and put the token where the settings ask for it.",
        ));
    }
    if rest.contains(['?', '#']) && protocol != Protocol::File {
        return Err(invalid(
            "The repository's address holds a `?` or a `#`, which no repository's has.",
            "Take it out; a token has its own place in the settings.",
        ));
    }
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, port)) => (host, port.strip_prefix(':').or(Some("none"))),
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    let good_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let good_host = match protocol {
        Protocol::File => host.is_empty(),
        _ => is_host(host) || host.parse::<IpAddr>().is_ok(),
    };
    let short = short_path(path);
    if !good_port || !good_host || short.is_empty() || path.starts_with("/-") {
        return Err(invalid(
            "The repository's address can't be read.",
            "Write it as `https://git.example.org/team/prompts.git` or `file:///folder/prompts`.",
        ));
    }
    let address = format!("{}://{rest}", protocol.name());
    debug_assert_eq!(address.len(), text.len(), "only the scheme's letters change");
    Ok(Address { address, protocol, host: host.to_ascii_lowercase(), path: short })
}

fn short_path(path: &str) -> String {
    let path = path.trim_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/').to_owned()
}

/// Letters, digits, `-`, `_` and `.`, beginning with a letter or digit.
fn is_plain(text: &str, longest: usize) -> bool {
    text.len() <= longest
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn is_github_name(text: &str, longest: usize) -> bool {
    // `.github` is the one name that begins with a dot and is used.
    is_plain(text, longest) || text == ".github"
}

fn is_user(text: &str) -> bool {
    is_plain(text, 64)
}

fn is_host(text: &str) -> bool {
    is_plain(text, 253)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The rules of `git check-ref-format`, <https://git-scm.com/docs/git-check-ref-format>.
fn checked_branch(text: &str) -> Result<String, Fault> {
    let name = text.strip_prefix("refs/heads/").unwrap_or(text);
    let odd = |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    let good_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let good = name.len() <= 250
        && !name.starts_with('-')
        && !name.contains(odd)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name != "@"
        && name.split('/').all(good_part);
    if good {
        return Ok(name.to_owned());
    }
    Err(invalid("No branch can have this name.", "Write the branch's name as `git branch` lists it, e.g. `main`."))
}

fn checked_subfolder(text: &str) -> Result<Option<String>, Fault> {
    let name = text.strip_prefix("./").unwrap_or(text);
    let name = name.trim_end_matches('/');
    if name.is_empty() || name == "." {
        return Ok(None);
    }
    if name.len() <= TEXT_BYTES && tree::fault_of_path(name).is_none() {
        return Ok(Some(name.to_owned()));
    }
    Err(invalid(
        "The folder in the repository can't have this name.",
        "Write its path from the top of the repository with `/` between the parts, e.g. `team/prompts`.",
    ))
}

fn checked_pin(text: &str) -> Result<String, Fault> {
    let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
    if hex && (PIN_DIGITS..=64).contains(&text.len()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err(invalid(
        "The pinned commit is no commit's id.",
        "Write the commit's id as `git log` shows it, or at least its first seven digits.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(repository: &str) -> SourceText {
        SourceText { repository: repository.into(), own_credentials: true, ..SourceText::default() }
    }

    fn refused(text: SourceText) -> Fault {
        let fault = Source::parse(text.clone()).expect_err(&text.repository);
        assert_eq!(fault.code, Code::InvalidInput, "{fault}");
        fault
    }

    #[test]
    fn addresses_are_read_as_git_reads_them() {
        for (text, address, protocol, host, path) in [
            ("acme/prompts", "https://github.com/acme/prompts.git", Protocol::Https, "github.com", "acme/prompts"),
            ("acme/.github", "https://github.com/acme/.github.git", Protocol::Https, "github.com", "acme/.github"),
            ("acme/p.git", "https://github.com/acme/p.git", Protocol::Https, "github.com", "acme/p"),
            (
                "HTTPS://Git.example/a/b/c.git/",
                "https://Git.example/a/b/c.git/",
                Protocol::Https,
                "git.example",
                "a/b/c",
            ),
            ("ssh://me@h.example:22/~/p", "ssh://me@h.example:22/~/p", Protocol::Ssh, "h.example", "~/p"),
            (
                "git@github.com:acme/prompts.git",
                "git@github.com:acme/prompts.git",
                Protocol::Ssh,
                "github.com",
                "acme/prompts",
            ),
            ("file:///srv/prompts", "file:///srv/prompts", Protocol::File, "", "srv/prompts"),
            ("http://127.0.0.1:8080/p", "http://127.0.0.1:8080/p", Protocol::Http, "127.0.0.1", "p"),
            ("http://[::1]:8080/p", "http://[::1]:8080/p", Protocol::Http, "::1", "p"),
            ("git://localhost/p", "git://localhost/p", Protocol::Git, "localhost", "p"),
        ] {
            let source = Source::parse(of(text)).expect(text);
            let got = (source.address(), source.protocol(), source.host(), source.path());
            assert_eq!(got, (address, protocol, host, path), "{text}");
        }
    }

    #[test]
    fn what_git_could_read_as_something_else_is_refused() {
        for text in [
            "",
            "prompts",
            "-oProxyCommand=x",
            "--upload-pack=x",
            "ext::sh -c x",
            "ext::sh",
            "fd::17",
            "a b/c",
            "acme/pro\nmpts",
            "acme/prompts/x/y",
            "/srv/prompts",
            "../prompts",
            "C:\\prompts",
            "ssh://-oProxyCommand=x/p",
            "ssh://a@-x/p",
            "-x@host:p",
            "git@-host:p",
            "git@host:-p",
            "git@host:",
            "https://h.example:port/p",
            "https://h.example",
            "https:///p",
            "https://h.example/p?token=x",
            "https://h.example/p#x",
            "ftp://h.example/p",
            "file://host/p",
            "file://",
            "http://git.example/p",
            "http://127.0.0.1.example/p",
            "git://git.example/p",
        ] {
            refused(of(text));
        }
    }

    #[test]
    fn a_secret_in_the_address_is_refused_and_not_repeated() {
        for text in ["https://me:hunter2@h.example/p", "https://hunter2@h.example/p", "ssh://me:hunter2@h.example/p"] {
            let fault = refused(of(text));
            assert!(!fault.to_string().contains("hunter2"), "{fault}");
            assert!(fault.mend.contains("token"), "it says where a token belongs: {fault}");
        }
        let token = Secret::new("hunter2 \n");
        let fault = refused(SourceText { token: Some(token.clone()), ..of("acme/prompts") });
        assert!(!format!("{fault} {token:?}").contains("hunter2"), "neither does its own text");
    }

    #[test]
    fn an_open_line_needs_a_whole_pin_and_no_token() {
        let pin = Some("ab".repeat(20));
        let text = |pin: &Option<String>, token: Option<&str>| SourceText {
            pin: pin.clone(),
            token: token.map(Secret::new),
            ..of("http://git.example/p")
        };
        Source::parse(text(&pin, None)).expect("the id names the content, whoever hands it on");
        refused(text(&pin, Some("t")));
        refused(text(&Some("abcdef1".into()), None));
    }

    #[test]
    fn ssh_needs_ones_own_keys_and_takes_no_token() {
        refused(SourceText { own_credentials: false, ..of("git@host:p") });
        refused(SourceText { token: Some(Secret::new("t")), ..of("git@host:p") });
    }

    #[test]
    fn branches_folders_and_pins_are_checked() {
        for bad in ["-x", "a..b", "a b", "a:b", "x.lock", "a//b", "/a", ".a", "@{-1}", "a\u{7}", "x.", "@"] {
            refused(SourceText { branch: Some(bad.into()), ..of("a/b") });
        }
        for bad in ["..", "a/../b", "/a", "a//b", ".git", "a\\b", "a/\u{1}"] {
            refused(SourceText { subfolder: Some(bad.into()), ..of("a/b") });
        }
        for bad in ["abc", "xyzxyzx", "--help", &"a".repeat(65)] {
            refused(SourceText { pin: Some(bad.into()), ..of("a/b") });
        }
        let source = Source::parse(SourceText {
            branch: Some("refs/heads/team/main".into()),
            subfolder: Some("./prompts/team/".into()),
            pin: Some("ABCDEF1".into()),
            ..of("a/b")
        });
        let source = source.expect("all of it is good");
        let got = (source.branch(), source.subfolder(), source.pin());
        assert_eq!(got, (Some("team/main"), Some("prompts/team"), Some("abcdef1")));
        let empty =
            SourceText { branch: Some(" ".into()), subfolder: Some("/".into()), pin: Some(String::new()), ..of("a/b") };
        let fault = Source::parse(SourceText { subfolder: Some("./".into()), ..empty }).expect("empty is absent");
        assert_eq!((fault.branch(), fault.subfolder(), fault.pin()), (None, None, None));
    }
}
