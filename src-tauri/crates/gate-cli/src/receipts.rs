//! `review-gate receipts` and `review-gate revoke`: what was given, and taking back what an approval lets happen.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use gate_api::ReceiptStanding;
use gate_api::subjects::receipts::{LISTED, ListReceipts, ListedReceipt, WithdrawReceipt};
use gate_core::{Code, Decision, Digest, Fault, RequestId, Timestamp};
use gate_link::Home;

use crate::client::Client;
use crate::output::counted;
use crate::{ending, exit, output, verify};

/// Shortest beginning of a receipt's name that may stand for the whole.
const SHORTEST: usize = 8;

#[derive(Debug, Args)]
#[command(
    after_help = "Each reply has a receipt, whose name is the digest of its line in the log. It is held while the
reply may still be taken back, good from then on, an approval for 30 days; withdrawn, expired; or set aside: it counts, but its
log was damaged, and a line that withdrew it may be lost. What was approved is a tree on another one, by git's names,
where the gate itself read it.

--notes writes those that are signed (L2, L3) as git's notes beside the commits that they lead to, for a build server's
`review-gate verify --notes`: docs/ci.md. It runs no program of the repository's, and pushes nothing. Afterwards it
also notes what was withdrawn since. --keys prints the file that such a server takes from the protected branch, with
the keys that are enrolled in your home.

Examples:
  review-gate receipts
  review-gate receipts --request 0193c1f0-…
  review-gate receipts --json | jq -r '.[] | select(.receipt.standing == \"good\") | .receipt.id'
  review-gate receipts --keys > .review-gate.json
  review-gate receipts --notes origin/main..HEAD && git push origin HEAD refs/notes/review-gate"
)]
pub(crate) struct ReceiptsArguments {
    /// Of one request: its id, or its last characters
    #[arg(long, value_name = "ID")]
    request: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=i64::from(LISTED)))]
    limit: u32,
    /// Write those that are signed as notes beside commits of the repository here: HEAD where none is named
    #[arg(long, value_name = "COMMIT | A..B", num_args = 0..=1, default_missing_value = "HEAD")]
    #[arg(conflicts_with_all = ["request", "limit"])]
    notes: Option<String>,
    /// Print the file .review-gate.json by which a build server believes your keys
    #[arg(long, conflicts_with_all = ["request", "limit", "notes", "json"])]
    keys: bool,
    /// With --notes: the branch whose commits count as they are, e.g. origin/main
    #[arg(long, value_name = "BRANCH", requires = "notes")]
    protected: Option<String>,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "What was approved by it counts no more: `review-gate verify` refuses it from then on. What has
happened already isn't undone. It is a person's act: do it in a terminal that no agent has started. A reply that may still be
taken back is taken back in the window.

Exit codes: 0 withdrawn; 1 not confirmed; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate revoke 4f1c9a02          a receipt, by its whole name or the beginning of it
  review-gate revoke 0193c1f0-…        what was given last to a request
  review-gate revoke 4f1c9a02 --yes    without being asked")]
pub(crate) struct RevokeArguments {
    /// A receipt, or a request whose last approval is meant
    #[arg(value_name = "RECEIPT | REQUEST")]
    which: String,
    /// Don't ask whether it is meant
    #[arg(long)]
    yes: bool,
}

pub(crate) async fn list(home: &Home, arguments: &ReceiptsArguments) -> Result<ExitCode, Fault> {
    if arguments.keys {
        return verify::print_keys(home).await;
    }
    if let Some(what) = &arguments.notes {
        return verify::write_notes(home, what, arguments.protected.as_deref(), arguments.json).await;
    }
    let mut client = Client::started(home).await?;
    let listed = match &arguments.request {
        None => listed(&mut client, None, arguments.limit).await?,
        Some(text) => match ending::whole::<RequestId>(text)? {
            Some(request) => listed(&mut client, Some(request), arguments.limit).await?,
            None => {
                let all = listed(&mut client, None, LISTED).await?;
                let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
                all.into_iter().filter(|entry| ends(entry, text)).take(limit).collect()
            }
        },
    };
    if arguments.json {
        output::json(&listed)?;
    } else if listed.is_empty() {
        output::line("There are no receipts of that yet.");
    } else {
        for entry in &listed {
            said(entry, output::clock).iter().for_each(|line| output::line(line));
        }
    }
    Ok(ExitCode::from(exit::DONE))
}

async fn listed(client: &mut Client, request_id: Option<RequestId>, limit: u32) -> Result<Vec<ListedReceipt>, Fault> {
    Ok(client.ask(ListReceipts { request_id, limit }).await?.receipts)
}

fn ends(entry: &ListedReceipt, text: &str) -> bool {
    !ending::of(text, std::iter::once(entry.request_id)).is_empty()
}

/// A receipt for a person; `moment` says how a moment is shown.
fn said(entry: &ListedReceipt, moment: impl Fn(Timestamp) -> String) -> Vec<String> {
    let receipt = &entry.receipt;
    let decided = match entry.decision {
        Some(Decision::Approved) => "approved",
        Some(Decision::ChangesRequested) => "changes requested",
        None => "answered",
    };
    let standing = match (receipt.standing, receipt.expires) {
        (ReceiptStanding::Held, _) => format!("held until {}", moment(receipt.from)),
        (ReceiptStanding::Good, Some(expires)) => format!("good until {}", moment(expires)),
        (ReceiptStanding::Good, None) => "good".to_owned(),
        (ReceiptStanding::Withdrawn, _) => {
            format!("withdrawn{}", receipt.withdrawn_at.map_or(String::new(), |at| format!(" {}", moment(at))))
        }
        (ReceiptStanding::Expired, _) => "expired".to_owned(),
        (ReceiptStanding::SetAside, _) => "counts, but its log was set aside or is damaged".to_owned(),
    };
    let mut lines = vec![
        format!(
            "{} {decided} {} ({}): {standing}",
            moment(entry.at),
            verify::given(entry.given),
            receipt.level.as_str()
        ),
        format!("  receipt {}", receipt.id),
        format!("  request {}", entry.request_id),
    ];
    if let (Some(tree), Some(base)) = (&receipt.tree, &receipt.base) {
        lines.push(format!("  tree    {tree}"));
        lines.push(format!("  on      {base}"));
    }
    lines
}

pub(crate) async fn revoke(home: &Home, arguments: &RevokeArguments) -> Result<ExitCode, Fault> {
    let mut client = Client::started(home).await?;
    let receipt = match arguments.which.parse::<Digest>() {
        Ok(whole) => whole,
        Err(_) => {
            let entry = find(&mut client, &arguments.which).await?;
            said(&entry, output::clock).iter().for_each(|line| output::aside(line));
            entry.receipt.id
        }
    };
    if !arguments.yes && !is_meant(receipt)? {
        output::aside("Nothing was withdrawn.");
        return Ok(ExitCode::from(exit::NOT_APPROVED));
    }
    client.ask(WithdrawReceipt { receipt }).await?;
    output::line("Withdrawn. What was approved by it counts no more.");
    Ok(ExitCode::from(exit::DONE))
}

/// The one that is meant: a receipt by the beginning of its name, or what was given last to a request and counts.
async fn find(client: &mut Client, text: &str) -> Result<ListedReceipt, Fault> {
    let all = match text.parse::<RequestId>() {
        Ok(request) => listed(client, Some(request), LISTED).await?,
        Err(_) => listed(client, None, LISTED).await?,
    };
    one_of(all, text)
}

fn one_of(all: Vec<ListedReceipt>, text: &str) -> Result<ListedReceipt, Fault> {
    let begins = |entry: &&ListedReceipt| text.len() >= SHORTEST && entry.receipt.id.to_string().starts_with(text);
    let named: Vec<_> = all.iter().filter(begins).cloned().collect();
    if let [one] = &named[..] {
        return Ok(one.clone());
    }
    if named.len() > 1 {
        let mend = "Give more of its name.";
        return Err(Fault::new(Code::InvalidInput, format!("{} receipts begin with {text:?}.", named.len()), mend));
    }
    let whole = ending::whole::<RequestId>(text)?;
    let is_of = |entry: &ListedReceipt| match whole {
        Some(request) => entry.request_id == request,
        None => ends(entry, text),
    };
    let mut of: Vec<_> = all.into_iter().filter(is_of).collect();
    // Of one that was withdrawn there is nothing to take back.
    of.retain(|entry| entry.receipt.standing != ReceiptStanding::Withdrawn);
    let Some(newest) = of.first().cloned() else {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("No receipt that counts has a name that begins with {text:?}, or is of a request that ends so."),
            "`review-gate receipts` lists them.",
        ));
    };
    match of.iter().filter(|entry| entry.request_id != newest.request_id).count() {
        0 => Ok(newest),
        others => Err(Fault::new(
            Code::InvalidInput,
            format!("{} have an id that ends in {text:?}.", counted(others + 1, "receipt")),
            "Give more of the id.",
        )),
    }
}

/// Asks whether it is meant.
fn is_meant(receipt: Digest) -> Result<bool, Fault> {
    let input = io::stdin();
    if !input.is_terminal() {
        return Err(Fault::new(
            Code::InvalidInput,
            "It has to be confirmed at a terminal, and standard input isn't one.",
            "Run it by itself in a terminal, or add --yes; nothing was withdrawn.",
        ));
    }
    output::aside(&format!("Withdraw receipt {}? That can't be undone. Type yes:", receipt.beginning()));
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| {
        let mend = "Add --yes; nothing was withdrawn.";
        Fault::new(Code::UnreadableFile, format!("The terminal can't be read: {error}."), mend)
    })?;
    Ok(line.trim().eq_ignore_ascii_case("yes"))
}

#[cfg(test)]
mod tests {
    use gate_api::ReceiptView;
    use gate_core::{AnsweredFrom, Assurance};
    use uuid::Uuid;

    use super::*;

    fn entry(name: &str, request: u128, standing: ReceiptStanding) -> ListedReceipt {
        ListedReceipt {
            receipt: ReceiptView {
                id: Digest::of_bytes(name.as_bytes()),
                level: Assurance::L1,
                from: Timestamp(5),
                expires: Some(Timestamp(7)),
                standing,
                withdrawn_at: (standing == ReceiptStanding::Withdrawn).then_some(Timestamp(6)),
                tree: Some("ab".repeat(20)),
                base: Some("cd".repeat(20)),
            },
            request_id: RequestId(Uuid::from_u128(request)),
            at: Timestamp(4),
            given: AnsweredFrom::Desktop,
            decision: Some(Decision::Approved),
        }
    }

    #[test]
    fn a_receipt_says_when_where_how_sure_and_how_it_stands() {
        let lines = |standing| said(&entry("a", 1, standing), |at| format!("at {}", at.0));
        assert_eq!(lines(ReceiptStanding::Good)[0], "at 4 approved in the window (L1): good until at 7");
        assert_eq!(lines(ReceiptStanding::Held)[0], "at 4 approved in the window (L1): held until at 5");
        assert_eq!(lines(ReceiptStanding::Withdrawn)[0], "at 4 approved in the window (L1): withdrawn at 6");
        let text = lines(ReceiptStanding::Expired).join("\n");
        for part in ["expired", &Digest::of_bytes(b"a").to_string(), &"ab".repeat(20), &"cd".repeat(20)] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_is_meant_is_found_by_a_beginning_or_by_its_request() {
        let (a, b, c) = (
            entry("a", 0x1234_ab12, ReceiptStanding::Withdrawn),
            entry("b", 0x1234_ab12, ReceiptStanding::Good),
            entry("c", 0x1_1234_ab12, ReceiptStanding::Good),
        );
        let all = vec![a.clone(), b.clone(), c.clone()];
        let find = |text: &str| one_of(all.clone(), text);
        let name = a.receipt.id.to_string();
        assert_eq!(find(&name[..8]), Ok(a), "by the beginning of its name, to be told that it was withdrawn");
        assert_eq!(find(&b.request_id.to_string()), Ok(b.clone()), "what counts of a request");
        assert_eq!(find("11234ab12"), Ok(c));
        assert_eq!(one_of(vec![b.clone()], "1234ab12"), Ok(b));
        let fault = find("1234ab12").expect_err("of two requests");
        assert!(fault.mend.contains("more of the id"), "{fault}");
        assert!(find("ffffffff").expect_err("of none").mend.contains("review-gate receipts"));
        assert!(find("12").is_err(), "too short to stand for anything");
    }
}
