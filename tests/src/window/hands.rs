//! A person's hands on a page: keys pressed one by one where the focus is, and a pointer that is pressed,
//! moved and let go.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::page::{Page, test_id};

/// A point in the page's view, in pixels from its left and its top.
type Point = [i64; 2];

/// For how long a pointer moves, in milliseconds: in several steps, as a hand's does.
const MOVE: u32 = 60;
/// From how far a pointer comes to a button, in pixels.
const BESIDE: i64 = 12;

impl Page {
    /// Types a text key by key, where the focus is.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        self.hears_keys().await?;
        let stroke = |key: char| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        let actions: Vec<Value> = text.chars().flat_map(stroke).collect();
        let keys = json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]});
        self.driver().post("/actions", &keys).await.map(drop)
    }

    /// Brings the pointer there from beside it, and clicks.
    pub(super) async fn click_at(&self, [x, y]: Point) -> Result<()> {
        let actions = [
            json!({"type": "pointerMove", "duration": 0, "x": x - BESIDE, "y": y}),
            json!({"type": "pointerMove", "duration": MOVE, "x": x, "y": y}),
            json!({"type": "pointerDown", "button": 0}),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let hand = json!({"type": "pointer", "id": "hand", "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.driver().post("/actions", &json!({"actions": [hand]})).await.map(drop)
    }

    /// Presses the pointer at one place and lets it go at another.
    ///
    /// # Errors
    /// When the page doesn't answer.
    pub async fn drag(&self, from: Point, to: Point) -> Result<()> {
        let between = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
        let move_to = |[x, y]: Point| json!({"type": "pointerMove", "duration": MOVE, "x": x, "y": y});
        let actions = [
            move_to(from),
            json!({"type": "pointerDown", "button": 0}),
            move_to(between),
            move_to(to),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let hand = json!({"type": "pointer", "id": "hand", "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.driver().post("/actions", &json!({"actions": [hand]})).await.map(drop)
    }

    /// Presses the pointer in one element and lets it go in another, each at a share of its width and its
    /// height.
    ///
    /// # Errors
    /// When one of them isn't there in time.
    pub async fn drag_between(&self, from: (&str, [f64; 2]), to: (&str, [f64; 2])) -> Result<()> {
        let script = "return arguments[0].map(([selector, [x, y]]) => {
              const found = document.querySelector(selector);
              found?.scrollIntoView({ block: 'nearest' });
              const box = found?.getBoundingClientRect();
              return box && box.width > 0 ? [Math.round(box.left + box.width * x), Math.round(box.top + box.height * y)] : null;
            }).filter((place) => place !== null)";
        let wanted = json!([[[from.0, from.1], [to.0, to.1]]]);
        let complete = format!("const places = (() => {{ {script} }})(); return places.length === 2 && places");
        let points = self.until(&format!("{} and {}", from.0, to.0), &complete, wanted).await?;
        let [from, to]: [Point; 2] = serde_json::from_value(points).context("two points")?;
        self.drag(from, to).await
    }

    /// Marks words with the pointer, as a reader does: from the left of the first to the right of the last.
    /// They stand in one text of the element, in one line.
    ///
    /// # Errors
    /// When they aren't there in time.
    pub async fn mark(&self, selector: &str, words: &str) -> Result<()> {
        let script = "const within = document.querySelector(arguments[0]);
            const walker = within && document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
            while (walker?.nextNode()) {
              const start = walker.currentNode.textContent.indexOf(arguments[1]);
              if (start < 0) continue;
              const range = document.createRange();
              range.setStart(walker.currentNode, start);
              range.setEnd(walker.currentNode, start + arguments[1].length);
              walker.currentNode.parentElement.scrollIntoView({ block: 'nearest' });
              const box = range.getBoundingClientRect();
              const middle = Math.round((box.top + box.bottom) / 2);
              return [[Math.ceil(box.left), middle], [Math.floor(box.right), middle]];
            }
            return null";
        let points = self.until(&format!("{words:?} in {selector}"), script, json!([selector, words])).await?;
        let [from, to]: [Point; 2] = serde_json::from_value(points).context("two points")?;
        self.drag(from, to).await
    }

    /// Goes out of what is written by a click on the request's title, so that letters are keys.
    ///
    /// # Errors
    /// When the text keeps the focus.
    pub async fn leave_text(&self) -> Result<()> {
        self.click(&test_id("request-title")).await?;
        let script = "return !document.activeElement?.matches('textarea, input')";
        self.until("that no text has the keys", script, json!([])).await.map(drop)
    }

    /// Waits until the element with this `data-testid` has the focus.
    ///
    /// # Errors
    /// When it hasn't in time.
    pub async fn focus_on(&self, id: &str) -> Result<()> {
        let script = "return document.activeElement?.matches(arguments[0])";
        self.until(&format!("the focus on {id}"), script, json!([test_id(id)])).await.map(drop)
    }
}
