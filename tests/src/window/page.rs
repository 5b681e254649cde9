//! What the window shows, and what a person does there.

use std::cell::Cell;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::display::Display;
use super::driver::{Driver, Refusal};
use super::keys::{CONTROL, ENTER};
use crate::wait::{LIMIT, eventually};

/// The name under which an element is passed to a script (W3C WebDriver, section 12).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The selector of the element with this `data-testid`.
#[must_use]
pub fn test_id(id: &str) -> String {
    format!("[data-testid=\"{id}\"]")
}

/// The page of a window, or of a browser's tab. Selectors are CSS, or XPath where they begin with `//`.
#[derive(Debug)]
pub struct Page {
    driver: Driver,
}

impl Page {
    pub(super) async fn attach(display: &Display, inspector: u16) -> Result<Self> {
        let page = Self { driver: Driver::attach(display, inspector).await? };
        page.until("the page", "return document.querySelector('main') !== null", json!([])).await?;
        Ok(page)
    }

    /// The page that a driver of its own has.
    pub(crate) fn of(driver: Driver) -> Self {
        Self { driver }
    }

    /// What drives it.
    pub(crate) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// Runs a script's text as a function with these arguments and gives what it returns.
    ///
    /// # Errors
    /// When it throws, or the page doesn't answer.
    pub async fn run(&self, script: &str, arguments: Value) -> Result<Value> {
        self.driver.post("/execute/sync", &json!({"script": script, "args": arguments})).await
    }

    /// Runs a script again and again until it returns something that isn't false, null or empty.
    ///
    /// # Errors
    /// When it doesn't in time; with the page's text.
    pub async fn until(&self, what: &str, script: &str, arguments: Value) -> Result<Value> {
        let look = || async {
            let value = self.run(script, arguments.clone()).await?;
            let nothing = value.is_null() || value == false || value == "" || value == json!([]);
            Ok((!nothing).then_some(value))
        };
        let found = eventually(what, LIMIT, look).await;
        match found {
            Ok(value) => Ok(value),
            Err(error) => {
                let text = self.run("return document.body.innerText.slice(0, 4000)", json!([])).await;
                Err(error.context(format!("the page shows: {text:?}")))
            }
        }
    }

    /// Waits until the request with this title is the one that is shown.
    ///
    /// # Errors
    /// When it isn't in time.
    pub async fn shows(&self, title: &str) -> Result<()> {
        let script = "return document.querySelector('[data-testid=\"request-title\"]')?.innerText === arguments[0]";
        self.until(&format!("the request {title:?}"), script, json!([title])).await.map(drop)
    }

    /// Waits until an element is there and gives its text, trimmed.
    ///
    /// # Errors
    /// When it isn't there in time.
    pub async fn text(&self, selector: &str) -> Result<String> {
        let script = "const found = document.querySelector(arguments[0]); return found && [found.innerText.trim()]";
        let text = self.until(selector, script, json!([selector])).await?;
        Ok(text[0].as_str().unwrap_or_default().to_owned())
    }

    /// Waits until an element's text contains this.
    ///
    /// # Errors
    /// When it doesn't in time.
    pub async fn says(&self, selector: &str, part: &str) -> Result<()> {
        let script = "return document.querySelector(arguments[0])?.innerText.includes(arguments[1])";
        self.until(&format!("{part:?} in {selector}"), script, json!([selector, part])).await.map(drop)
    }

    /// How many elements a selector names.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn count(&self, selector: &str) -> Result<u64> {
        let count = self.run("return document.querySelectorAll(arguments[0]).length", json!([selector])).await?;
        count.as_u64().context("a number of elements")
    }

    /// Waits until a selector names this many elements.
    ///
    /// # Errors
    /// When it doesn't in time.
    pub async fn counts(&self, selector: &str, number: u64) -> Result<()> {
        let script = "return document.querySelectorAll(arguments[0]).length === arguments[1]";
        self.until(&format!("{number} of {selector}"), script, json!([selector, number])).await.map(drop)
    }

    /// What is written in the reply box.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn written(&self) -> Result<String> {
        let text = self.run("return document.querySelector('[data-testid=\"reply-text\"]')?.value", json!([])).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until what was written, chosen and attached is stored.
    ///
    /// # Errors
    /// When it isn't in time.
    pub async fn draft_saved(&self) -> Result<()> {
        self.says(&test_id("draft-state"), "draft saved").await
    }

    /// Clicks on an element, as soon as it can be clicked on. The driver waits for the page's next
    /// picture, which a click that hides the window would take away from it.
    ///
    /// # Errors
    /// When it can't in time.
    pub async fn click(&self, selector: &str) -> Result<()> {
        self.on(selector, async |element: String| self.click_on(&element).await).await
    }

    /// Clicks on an element if it can be clicked on now.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn try_click(&self, selector: &str) -> Result<bool> {
        Ok(self.try_on(selector, &async |element: String| self.click_on(&element).await).await?.is_ok())
    }

    /// Waits until what is typed is taken: not while a request has only just come up by itself.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn hears_keys(&self) -> Result<()> {
        let script = "return document.querySelector('[data-testid=\"request\"]')?.dataset.armed !== 'nothing'";
        self.until("a page that hears keys", script, json!([])).await.map(drop)
    }

    /// Waits until the button with this `data-testid` sends: what it stands beside was seen for a while.
    ///
    /// # Errors
    /// When that isn't so in time.
    pub async fn armed(&self, id: &str) -> Result<()> {
        let script = "const found = document.querySelector(arguments[0]);
            return found?.closest('[data-armed]')?.dataset.armed === 'send' && !found.disabled";
        self.until(&format!("{id} to send"), script, json!([test_id(id)])).await.map(drop)
    }

    /// Keeps in mind from now on what the page says that it didn't do: it says each for a few seconds only.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn keep_refusals(&self) -> Result<()> {
        let script = "window.__refused = [];
            new MutationObserver(() => {
              const word = document.querySelector(arguments[0])?.innerText;
              if (word) window.__refused.push(word);
            }).observe(document.body, { subtree: true, childList: true, characterData: true })";
        self.run(script, json!([test_id("refusal")])).await.map(drop)
    }

    /// What it has said so since [`Page::keep_refusals`], or since this was asked last: each at least once.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn refusals(&self) -> Result<Vec<String>> {
        let said = self.run("return window.__refused.splice(0)", json!([])).await?;
        serde_json::from_value(said).context("what was refused")
    }

    /// Waits until it has said so in words that contain this; nothing of that is kept any longer.
    ///
    /// # Errors
    /// When it doesn't in time.
    pub async fn refuses(&self, part: &str, limit: Duration) -> Result<()> {
        let look = || async { Ok(self.refusals().await?.iter().any(|said| said.contains(part)).then_some(())) };
        eventually(&format!("{part:?} for what was refused"), limit, look).await
    }

    /// Presses the button with this `data-testid`, which sends, as a person does: not before it does, and by a pointer
    /// that comes from beside it.
    ///
    /// # Errors
    /// When it doesn't send in time.
    pub async fn press_button(&self, id: &str) -> Result<()> {
        self.armed(id).await?;
        let script = "const box = document.querySelector(arguments[0])?.getBoundingClientRect();
            return box && [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]";
        let middle = self.until(id, script, json!([test_id(id)])).await?;
        self.click_at(serde_json::from_value(middle).context("a point")?).await
    }

    /// Types into an element; a path is what a file input takes.
    ///
    /// # Errors
    /// When it can't in time.
    pub async fn write(&self, selector: &str, text: &str) -> Result<()> {
        self.hears_keys().await?;
        let body = json!({"text": text});
        let act = async |element: String| self.driver.post(&format!("/element/{element}/value"), &body).await;
        self.on(selector, act).await
    }

    /// Presses keys together, in the order given, where the focus is.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn press(&self, keys: &[char]) -> Result<()> {
        self.hears_keys().await?;
        let down = keys.iter().map(|key| json!({"type": "keyDown", "value": key}));
        let up = keys.iter().rev().map(|key| json!({"type": "keyUp", "value": key}));
        let actions: Vec<_> = down.chain(up).collect();
        self.driver.post("/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]})).await?;
        Ok(())
    }

    /// Sends what is written by its keys, again while the window ignores them: it does so for a
    /// moment after one request took another's place, so that no key meant for the one answers the other.
    ///
    /// # Errors
    /// When the request `title` is still shown after a time.
    pub async fn send_by_keys(&self, title: &str, with: &[char]) -> Result<()> {
        let keys: Vec<char> = [CONTROL].into_iter().chain(with.iter().copied()).chain([ENTER]).collect();
        let look = || async {
            let shown =
                self.run("return document.querySelector('[data-testid=\"request-title\"]')?.innerText", json!([]));
            if shown.await? != title {
                return Ok(Some(()));
            }
            self.press(&keys).await?;
            Ok(None)
        };
        eventually(&format!("{title:?} sent by its keys"), LIMIT, look).await
    }

    /// Waits until what the page holds now has been painted.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn painted(&self) -> Result<()> {
        let frames = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
        self.run(frames, json!([])).await.map(drop)
    }

    /// Clicks on an element. The driver looks for its place and presses there a moment later: where the page has moved
    /// meanwhile, something else was pressed, and that may pass.
    async fn click_on(&self, element: &str) -> Result<Value> {
        let note = "window.removeEventListener('pointerdown', window.__note, true);
            const [element] = arguments;
            window.__pressed = null;
            window.__note = (event) => (window.__pressed = event.composedPath().includes(element));
            window.addEventListener('pointerdown', window.__note, true)";
        self.run(note, json!([{ ELEMENT: element }])).await?;
        let done = self.driver.post(&format!("/element/{element}/click"), &json!({})).await?;
        // A page that the click led away from says nothing of it.
        let pressed = self.run("return window.__pressed ?? null", json!([])).await;
        if pressed.is_ok_and(|pressed| pressed == false) {
            return Err(Refusal::moved().into());
        }
        Ok(done)
    }

    /// Does something with an element, again where the page changed under it.
    async fn on(&self, selector: &str, act: impl AsyncFn(String) -> Result<Value>) -> Result<()> {
        let last = Cell::new(None);
        let look = || async {
            let done = self.try_on(selector, &act).await?;
            last.set(done.as_ref().err().map(Refusal::to_string));
            Ok(done.ok())
        };
        let done = eventually(&format!("{selector} to act on"), LIMIT, look).await;
        done.with_context(|| format!("the driver says: {:?}", last.take()))
    }

    /// Does something with an element once; a refusal that may pass is given back.
    async fn try_on(&self, selector: &str, act: &impl AsyncFn(String) -> Result<Value>) -> Result<Result<(), Refusal>> {
        let attempt = async || {
            let element = self.driver.element(selector).await?;
            // The driver doesn't scroll to what is only partly hidden, as a person does.
            let script = "arguments[0].scrollIntoView({ block: 'nearest' })";
            self.run(script, json!([{ ELEMENT: element }])).await?;
            act(element).await
        };
        match attempt().await {
            Ok(_) => Ok(Ok(())),
            Err(error) => match error.downcast::<Refusal>() {
                Ok(refusal) if refusal.is_passing() => Ok(Err(refusal)),
                Ok(refusal) => Err(refusal.into()),
                Err(error) => Err(error),
            },
        }
    }
}
