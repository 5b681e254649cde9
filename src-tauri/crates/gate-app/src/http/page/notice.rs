//! What a browser shows that isn't signed in: small pages without a script, and with nothing in them
//! that came from the request.

use bytes::Bytes;
use gate_mcp::HttpBody;
use http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};

use crate::browsers::Refused;

/// Where the style of these pages is.
pub(super) const STYLE: &str = "/ui/notice.css";
/// Where browsers look for the tab's icon.
pub(super) const ICON: &str = "/favicon.ico";

const ICON_BYTES: &[u8] = include_bytes!("../../../../../../icons/32x32.png");

/// What a page says in one language.
struct Words {
    title: &'static str,
    text: &'static str,
    /// The command to type; empty for none.
    command: &'static str,
    /// What the command does.
    then: &'static str,
}

/// In English and in Chinese.
type Notice = [Words; 2];

const LINK: &str = "review-gate link";

const SIGN_IN: Notice = [
    Words {
        title: "This browser isn’t signed in",
        text: "In a terminal on the machine where the gate runs, type",
        command: LINK,
        then: "and open the link that it prints in this browser. It is good once, for ten minutes.",
    },
    Words {
        title: "此浏览器尚未登录",
        text: "在运行 Review Gate 的机器上打开终端，输入",
        command: LINK,
        then: "然后在此浏览器中打开它打印的链接。链接只能使用一次，十分钟内有效。",
    },
];

const USED: Notice = [
    Words {
        title: "This link was used before",
        text: "A link signs in one browser, once. For another one, type in a terminal on the machine where the gate runs",
        command: LINK,
        then: "If it wasn’t you who used it, `review-gate link --sign-out` signs every browser out.",
    },
    Words {
        title: "此链接已被使用",
        text: "每个链接只能让一个浏览器登录一次。要获取新链接，请在运行 Review Gate 的机器上打开终端，输入",
        command: LINK,
        then: "如果使用它的人不是你，运行 `review-gate link --sign-out` 可让所有浏览器退出登录。",
    },
];

const EXPIRED: Notice = [
    Words {
        title: "This link is too old",
        text: "A link is good for ten minutes. For a new one, type in a terminal on the machine where the gate runs",
        command: LINK,
        then: "and open the link that it prints in this browser.",
    },
    Words {
        title: "此链接已过期",
        text: "链接在十分钟内有效。要获取新链接，请在运行 Review Gate 的机器上打开终端，输入",
        command: LINK,
        then: "然后在此浏览器中打开它打印的链接。",
    },
];

const UNKNOWN: Notice = [
    Words {
        title: "This link isn’t known",
        text: "It was cut when it was copied, or the gate was restarted since. For a new one, type in a terminal on the \
               machine where the gate runs",
        command: LINK,
        then: "and open the link that it prints in this browser.",
    },
    Words {
        title: "无法识别此链接",
        text: "链接可能在复制时被截断，或者 Review Gate 之后重新启动过。要获取新链接，请在运行它的机器上打开终端，输入",
        command: LINK,
        then: "然后在此浏览器中打开它打印的链接。",
    },
];

const NOT_BUILT: Notice = [
    Words {
        title: "The page isn’t built in",
        text: "This program was built before its pages were. In a clone of the repository, type",
        command: "cargo xtask run",
        then: "which builds both, and starts the gate.",
    },
    Words {
        title: "此程序不含页面",
        text: "构建此程序时页面尚未构建。在代码仓库中输入",
        command: "cargo xtask run",
        then: "它会构建两者并启动 Review Gate。",
    },
];

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

/// How to sign in.
pub(super) fn sign_in(headers: &HeaderMap) -> Response<HttpBody> {
    page(StatusCode::UNAUTHORIZED, &SIGN_IN, headers)
}

/// Why a link signs nobody in.
pub(super) fn refused(headers: &HeaderMap, refused: Refused) -> Response<HttpBody> {
    match refused {
        Refused::Used => page(StatusCode::GONE, &USED, headers),
        Refused::Expired => page(StatusCode::GONE, &EXPIRED, headers),
        Refused::Unknown => page(StatusCode::FORBIDDEN, &UNKNOWN, headers),
    }
}

/// There is no page to be shown.
pub(super) fn not_built(headers: &HeaderMap) -> Response<HttpBody> {
    page(StatusCode::SERVICE_UNAVAILABLE, &NOT_BUILT, headers)
}

/// Goes to the page from here: the browser brings the cookie to where its own page leads, not to where
/// a stranger's does.
pub(super) fn go_on() -> Response<HttpBody> {
    let text = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=/\">\
                <title>Review Gate</title><main><a href=\"/\">Review Gate</a></main></html>";
    html(StatusCode::OK, text.to_owned())
}

/// The style of these pages.
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

fn page(status: StatusCode, [english, chinese]: &Notice, headers: &HeaderMap) -> Response<HttpBody> {
    let (tag, words) = if reads_chinese(headers) { ("zh-CN", chinese) } else { ("en", english) };
    let Words { title, text, command, then } = words;
    let then = with_code(then);
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

/// What stands between backticks is a command.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

/// Whether the person's first language is Chinese (RFC 9110, section 12.5.4).
fn reads_chinese(headers: &HeaderMap) -> bool {
    let first = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let tag = first.split([',', ';']).next().unwrap_or_default().trim();
    tag.split('-').next().is_some_and(|base| base.eq_ignore_ascii_case("zh"))
}

fn html(status: StatusCode, text: String) -> Response<HttpBody> {
    let mut response = Response::new(Full::new(Bytes::from(text)).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_refusal_says_what_to_do_in_the_persons_language() -> Result<(), Box<dyn std::error::Error>> {
        for (language, lang, word) in [
            ("", "en", "terminal"),
            ("de-DE,zh;q=0.5", "en", "terminal"),
            ("zh-CN,zh;q=0.9,en;q=0.8", "zh-CN", "终端"),
            ("zh", "zh-CN", "终端"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(language));
            for refusal in [Refused::Used, Refused::Expired, Refused::Unknown] {
                let response = refused(&headers, refusal);
                assert!(response.status().is_client_error(), "{refusal:?}");
                let body = response.into_body().collect().await?.to_bytes();
                let text = std::str::from_utf8(&body)?;
                assert!(text.contains(&format!("lang=\"{lang}\"")) && text.contains(word), "{language}: {text}");
                assert!(text.contains("review-gate link") && !text.contains('`'), "it names the command: {text}");
                assert!(!text.contains("<script") && !text.contains("style="), "as the policy says: {text}");
            }
        }
        Ok(())
    }
}
