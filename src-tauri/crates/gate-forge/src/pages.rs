//! Lists that come in pages. The next page's address is made here: the platform's own could lead anywhere.

use serde::de::DeserializeOwned;

use crate::error::{ForgeError, Happened};
use crate::http::Http;

/// Entries of a page: both platforms' most.
const ENTRIES: usize = 100;
/// A list of more pages isn't read.
const PAGES: usize = 500;

/// All entries of a list, in the platform's order. An entry that moved to the next page meanwhile comes twice.
pub(crate) fn all<T: DeserializeOwned>(http: &Http, path: &str) -> Result<Vec<T>, ForgeError> {
    let mut all = Vec::new();
    let sign = if path.contains('?') { '&' } else { '?' };
    for page in 1..=PAGES {
        let answer = http.get(&format!("{path}{sign}per_page={ENTRIES}&page={page}"), None)?;
        all.append(&mut answer.json::<Vec<T>>()?);
        if !answer.has_next() {
            return Ok(all);
        }
    }
    Err(ForgeError::strange(&format!("a list has more than {PAGES} pages"), Happened::No))
}
