//! Answering, by whom a home lets answer.

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::home::Home;
use crate::signed_page::SignedPage;

impl Home {
    /// Answers a request with these arguments of `review-gate answer`: by that command where scripts may, and else on the
    /// signed-in page, as a person who says that it may go now.
    ///
    /// # Errors
    /// When the gate refuses it, or the page doesn't know an argument.
    pub async fn answer<A: AsRef<str>>(&self, id: &str, arguments: impl IntoIterator<Item = A>) -> Result<()> {
        let arguments: Vec<String> = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        let all = ["answer".to_owned(), id.to_owned()].into_iter().chain(arguments.iter().cloned());
        let ran = self.run(all).await?;
        if !ran.stderr.contains("[scripted_answers_off]") {
            return ran.succeeded().map(drop);
        }
        let (mut decision, mut text, mut selected) = (None, String::new(), Vec::new());
        let mut words = arguments.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} takes a value"));
            match word.as_str() {
                "--approve" => decision = Some("approved"),
                "--request-changes" => decision = Some("changes_requested"),
                "--text" => text = value()?,
                "--choose" => selected.push(value()?),
                _ => bail!("the page isn't told of {word} here"),
            }
        }
        let person = SignedPage::sign_in(self).await?;
        person.answers(id, decision, json!({"text": text, "selected": selected})).await
    }
}
