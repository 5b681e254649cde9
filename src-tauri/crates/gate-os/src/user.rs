//! Whose a process, a file or a connection is.

use std::fmt;

/// A user as the system names them: a number on Unix, a security identifier (`S-1-5-21-…`) on Windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User(Name);

#[cfg(unix)]
type Name = u32;
#[cfg(windows)]
type Name = String;

impl User {
    /// This process's.
    ///
    /// On Windows a process that can't be told its own user has none, which no other equals.
    #[must_use]
    pub fn this() -> Self {
        #[cfg(unix)]
        return Self(rustix::process::geteuid().as_raw());
        #[cfg(windows)]
        Self(crate::windows::user::of_this_process().unwrap_or_default())
    }

    /// The user of this number.
    #[cfg(unix)]
    #[must_use]
    pub const fn of_number(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    #[cfg(unix)]
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.0
    }

    #[cfg(windows)]
    pub(crate) fn named(name: String) -> Self {
        Self(name)
    }

    /// Whether it is this process's.
    #[must_use]
    pub fn is_this(&self) -> bool {
        #[cfg(windows)]
        if self.0.is_empty() {
            return false;
        }
        *self == Self::this()
    }
}

impl fmt::Display for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::User;

    #[test]
    fn a_process_knows_whose_it_is() {
        assert!(User::this().is_this());
        assert_ne!(User::this().to_string(), "", "it has a name to be told by");
        #[cfg(unix)]
        {
            let [me, other, root] = [1000, 1001, 0].map(User::of_number);
            assert!(me != other && me != root, "root's isn't one's own, either");
        }
    }
}
