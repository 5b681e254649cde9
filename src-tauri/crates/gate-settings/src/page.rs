//! `docs/settings.md`, made from the table.

use gate_api::{AgentAccess, Applies};
use gate_core::bounds;
use gate_texts::Texts;

use crate::guard::Guard;
use crate::schema::{self, Entry, PROGRAMS, Shape};
use crate::{SETTINGS, TABS, scalar};

const INTRODUCTION: &str = "<!-- Made by `cargo xtask codegen` from src-tauri/crates/gate-settings/src/table.rs
and ui/locales/en/setting.ftl; change it there. -->

# Settings

Everything here can be changed in the app, in the main window under Settings. The same settings are in
`config.yaml`, in the configuration folder (`review-gate config path` names it):

```yaml
version: 1
window:
  theme: dark
waiting:
  clients:
    codex: 290
```

- What you write there is kept: comments, order, blanks, and entries that Review Gate doesn't know. It reads the
  file again as soon as it is changed. A file that can't be read is named with its line and column, and never
  overwritten.
- A variable wins over the file: `REVIEW_GATE__WINDOW__THEME=light` is `window.theme`. Lists are separated by
  commas. An argument, as in `review-gate serve --port 9000`, wins over both.
- `review-gate config get`, `set`, `unset`, `list`, `path`, `validate`, `import` and `export` do the same from a
  terminal.
- Agents may see most settings, and change some: you are told of it, and can take it back.
- A *guard* protects you: it keeps others from answering for you, you from approving what you haven't seen, others from
  coming in. The file, a variable and `config set` can only make it safer; it gets weaker in the window's settings or on a
  signed-in page, where you confirm it. So what you have made safer there, or by `config set`, stays so, whatever the file
  says. Who answers more easily than by itself (`security.*`) is told by `review-gate status`, by the doctor and with each
  reply. In a home that never had a window, guards that aren't about answers are what the file and the variables say.
";

/// The page's text.
#[must_use]
pub fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for tab in TABS {
        page.push_str(&format!("\n## {}\n", Texts::english().phrase(&tab.title())));
        for entry in SETTINGS.iter().filter(|entry| entry.tab == tab) {
            page.push_str(&described(entry));
        }
    }
    page
}

fn described(entry: &Entry) -> String {
    let default = match (entry.default)() {
        serde_json::Value::Null => "none".to_owned(),
        value => format!("`{}`", scalar::flow(&value)),
    };
    let applies = match entry.applies {
        Applies::Now => "at once",
        Applies::NextStart => "when Review Gate is started the next time",
    };
    let agents = match entry.agent {
        AgentAccess::None => "can't see it",
        AgentAccess::See => "may see it",
        AgentAccess::Change => "may change it",
    };
    let guard = match entry.guard {
        None => "",
        Some(Guard::Switch) => "- A guard: `false` is the safest, `true` the weakest\n",
        Some(Guard::Demand) => "- A guard: `true` is the safest, `false` the weakest\n",
        Some(Guard::Words(_)) => "- A guard: the first is the safest\n",
        Some(Guard::Rules | Guard::ReviewRules) => "- A guard: one rule less, or one that asks for less, is weaker\n",
        Some(Guard::AtLeast) => "- A guard: the more, the safer\n",
        Some(Guard::Entries) => "- A guard: an entry more makes it weaker\n",
        Some(Guard::Text) => "- A guard: another text makes it weaker, none is the safest\n",
    };
    format!(
        "\n### `{}`\n\n{}\n\n- {}\n- Default: {default}\n- Applies {applies}; agents {agents}\n{guard}",
        entry.key,
        Texts::english().phrase(&entry.help()),
        allowed(entry)
    )
}

fn allowed(entry: &Entry) -> String {
    let (items, chars) = (bounds::SETTING_ITEMS, bounds::SETTING_CHARS);
    match entry.shape {
        Shape::Switch => "`true` or `false`".to_owned(),
        Shape::Number { min, max, unit } => {
            let unit =
                unit.map(|unit| format!(" {}", Texts::english().phrase(&schema::unit(unit)))).unwrap_or_default();
            format!("{min} to {max}{unit}")
        }
        Shape::Keys => format!("Keys as in `CmdOrCtrl+Alt+G`, up to {chars} characters, or empty"),
        Shape::Choice(values) => {
            let called = |value: &&str| format!("`{value}` ({})", Texts::english().phrase(&entry.choice(value)));
            values.iter().map(called).collect::<Vec<_>>().join(", ")
        }
        Shape::Text => format!("A line of up to {chars} characters, or empty"),
        Shape::Address => {
            format!("An address with `https://`, or with `http://` on this machine, up to {chars} characters, or empty")
        }
        Shape::Words => {
            format!("Up to {items} words, or pairs as `get hub -> GitHub`, each up to {chars} characters")
        }
        Shape::Rules => {
            format!(
                "Up to {items} rules as `L3; repository=/home/me/pay; branch=main; path=deploy/|infra/; words=production`, \
                 each up to {chars} characters"
            )
        }
        Shape::Programs => {
            let names = PROGRAMS.map(|name| format!("`{name}`")).join(", ");
            format!("Any of {names}, in the order in which they are asked")
        }
        Shape::ReviewRules => {
            format!(
                "Up to {items} rules as `person; path=migrations/|*.sql` or `agents:2; repository=/home/me/pay; lines=400`, \
                 each up to {chars} characters"
            )
        }
        Shape::Hosts => format!("Up to {items} names without a port, each up to {chars} characters"),
        Shape::Origins => format!("Up to {items} origins, each a scheme and a host of up to {chars} characters"),
        Shape::Hours => "Two times of the day, e.g. `22:00-07:30`, or empty".to_owned(),
        Shape::Waiting { min, max } => {
            format!("Up to {items} names of clients, each with {min} to {max} seconds, or with `{{stdio: …, http: …}}`")
        }
    }
}
