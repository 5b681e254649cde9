//! Names of projects, and their place in an API's paths. Knows no host.

use crate::error::ForgeError;
use crate::platform::Platform;

/// GitLab's groups may lie in each other, twenty deep (`doc/user/group/subgroups`).
const SEGMENTS: usize = 22;
/// Longer than either platform's longest.
const CHARS: usize = 1_024;

/// Whether that is a part of a project's path: what both platforms let people call things.
pub(crate) fn is_segment(segment: &str) -> bool {
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || "._-~+".contains(c);
    !segment.is_empty() && segment != "." && segment != ".." && segment.chars().all(of_a_name)
}

/// The project's name, if it is one: `owner/repository`; for GitLab with any number of groups.
///
/// # Errors
/// [`ForgeError::Invalid`].
pub(crate) fn checked(platform: Platform, project: &str) -> Result<&str, ForgeError> {
    let segments = project.split('/').count();
    let deep = match platform {
        Platform::GitHub => segments == 2,
        Platform::GitLab => (2..=SEGMENTS).contains(&segments),
    };
    if deep && project.len() <= CHARS && project.split('/').all(is_segment) {
        return Ok(project);
    }
    let why = format!("`{}` isn't the name of a project, as owner/repository is.", shown(project));
    Err(ForgeError::Invalid(why))
}

/// For a path or a query: everything but letters, digits and `-._~` as `%XX`.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A name in a message: no control characters, and not too long.
fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_a_path_of_names() {
        assert!(checked(Platform::GitHub, "acme/tools.js").is_ok());
        assert!(checked(Platform::GitLab, "acme/web/front-end_2").is_ok());
        for name in ["acme", "acme/a/b", "acme/", "/acme", "acme/..", "acme/a b", "acme/a?x", "acme/a%2f", ""] {
            assert!(checked(Platform::GitHub, name).is_err(), "{name} would be another path");
        }
        assert!(checked(Platform::GitLab, "acme/../x").is_err());
        assert!(checked(Platform::GitLab, &format!("a{}", "/a".repeat(40))).is_err(), "and it ends somewhere");
    }

    #[test]
    fn what_stands_in_a_path_is_encoded() {
        assert_eq!(encoded("acme/web ü&x=1"), "acme%2Fweb%20%C3%BC%26x%3D1");
    }
}
