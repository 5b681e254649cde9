//! What a browser shows where there is no page to be shown: a small one without a script, and with nothing in it that
//! came from the request.

use bytes::Bytes;
use gate_mcp::HttpBody;
use gate_texts::Texts;
use http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};

/// Where the style of this page is.
pub(super) const STYLE: &str = "/ui/notice.css";
/// Where browsers look for the tab's icon.
pub(super) const ICON: &str = "/favicon.ico";

const ICON_BYTES: &[u8] = include_bytes!("../../../../../icons/32x32.png");

/// The notice, by the name of its texts: `sign-in-NAME`, and with `-text` and `-then`.
const NOT_BUILT: &str = "not-built";

/// The command that it names.
const RUN: &str = "cargo xtask run";

const CSS: &str = "\
:root { color-scheme: light dark; --paper: #ffffff; --ink: #18181c; --quiet: #54545f; --line: #dfdfe5; }
@media (prefers-color-scheme: dark) { :root { --paper: #1a1a1f; --ink: #ededf2; --quiet: #b0b0bc; --line: #33333c; } }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 30rem; padding: 2rem; }
h1 { margin: 0 0 0.75rem; font-size: 20px; font-weight: 650; }
p { margin: 0 0 0.75rem; color: var(--quiet); }
pre { margin: 0 0 0.75rem; padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 10px; color: var(--ink);
  font: 13px/1.5 ui-monospace, monospace; user-select: all; overflow-x: auto; }
code { color: var(--ink); font: 13px/1.5 ui-monospace, monospace; }
a { color: inherit; }
";

/// There is no page to be shown.
pub(super) fn not_built(headers: &HeaderMap) -> Response<HttpBody> {
    page(StatusCode::SERVICE_UNAVAILABLE, NOT_BUILT, RUN, headers)
}

/// The style of this page.
pub(super) fn style() -> Response<HttpBody> {
    file(CSS.as_bytes(), "text/css; charset=utf-8")
}

/// The tab's icon.
pub(super) fn icon() -> Response<HttpBody> {
    file(ICON_BYTES, "image/png")
}

fn file(bytes: &'static [u8], kind: &'static str) -> Response<HttpBody> {
    let mut response = Response::new(Full::new(Bytes::from_static(bytes)).boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn page(status: StatusCode, name: &str, command: &str, headers: &HeaderMap) -> Response<HttpBody> {
    let texts = texts(headers);
    let [title, text, then] = ids(name).map(|id| texts.say(&id));
    let (tag, then) = (texts.tag(), with_code(&then));
    html(
        status,
        format!(
            "<!doctype html><html lang=\"{tag}\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{title} · Review Gate</title><link rel=\"stylesheet\" href=\"{STYLE}\"></head>\
             <body><main><h1>{title}</h1><p>{text}</p><pre>{command}</pre><p>{then}</p></main></body></html>"
        ),
    )
}

/// The ids of a notice's title, of its text, and of what its command does.
fn ids(name: &str) -> [String; 3] {
    ["", "-text", "-then"].map(|part| format!("sign-in-{name}{part}"))
}

/// What stands between backticks is a command.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

/// In the person's first language (RFC 9110, section 12.5.4).
fn texts(headers: &HeaderMap) -> Texts {
    let languages = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Texts::preferred(languages.split([',', ';']).map(str::trim).next())
}

fn html(status: StatusCode, text: String) -> Response<HttpBody> {
    let mut response = Response::new(Full::new(Bytes::from(text)).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use gate_api::Phrase;

    use super::*;

    #[test]
    fn the_catalogues_have_the_texts_of_the_notice_and_no_others() {
        let said = ids(NOT_BUILT).into_iter().map(Phrase::new);
        assert_eq!(gate_texts::testing::differences("sign-in", said), Vec::<String>::new());
    }

    #[tokio::test]
    async fn what_to_do_is_said_in_the_persons_language() -> Result<(), Box<dyn std::error::Error>> {
        for (language, lang, word) in [
            ("", "en", "clone"),
            ("xx-XX,zh;q=0.5", "en", "clone"),
            ("zh-CN,zh;q=0.9,en;q=0.8", "zh-CN", "仓库"),
            ("zh", "zh-CN", "仓库"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(language));
            let response = not_built(&headers);
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            let body = response.into_body().collect().await?.to_bytes();
            let text = std::str::from_utf8(&body)?;
            assert!(text.contains(&format!("lang=\"{lang}\"")) && text.contains(word), "{language}: {text}");
            assert!(text.contains(RUN) && !text.contains('`'), "it names the command: {text}");
            assert!(!text.contains("<script") && !text.contains("style="), "as the policy says: {text}");
        }
        Ok(())
    }
}
