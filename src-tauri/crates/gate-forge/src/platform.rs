//! Which platforms there are.

use serde::{Deserialize, Serialize};

/// Which platform it is: both speak HTTP and JSON, and nothing else is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// github.com, GitHub Enterprise Cloud with a domain of its own, GitHub Enterprise Server.
    GitHub,
    /// gitlab.com, or GitLab anywhere, below a path, too.
    GitLab,
}
