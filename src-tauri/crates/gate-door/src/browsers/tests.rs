//! Links, sign-ins, how long they last, and what the file of them holds.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const HERE: Place<'_> = Place { host: "localhost:8321", port: 8321 };
const NOW: Timestamp = Timestamp(1_800_000_000_000);
const KEY: &[u8] = b"a point on the curve";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

fn browsers() -> Result<(tempfile::TempDir, Browsers), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let browsers = Browsers::open(folder.path().join("browsers"));
    Ok((folder, browsers))
}

fn signed_in(browsers: &Browsers, linked_by: LinkedBy, key: &[u8]) -> Result<Pass, Box<dyn std::error::Error>> {
    let (code, _) = browsers.new_link(linked_by, NOW)?;
    Ok(browsers.sign_in(&code, key, HERE, FIREFOX, NOW)?.map_err(|refused| format!("{refused:?}"))?)
}

#[test]
fn a_browser_that_nobody_uses_for_three_days_is_signed_out() -> Outcome {
    let (folder, browsers) = browsers()?;
    let pass = signed_in(&browsers, LinkedBy::Person, KEY)?;
    let (hour, days) = (60 * 60 * 1000, |days: u64| NOW.plus_millis(days * 24 * 60 * 60 * 1000));
    assert!(browsers.find(&pass.name(), HERE, days(2)).is_some(), "it was used two days ago");
    assert!(browsers.is_noted(&pass, NOW.plus_millis(hour - 1)), "the file isn't written for each command");
    assert!(!browsers.is_noted(&pass, NOW.plus_millis(hour)), "but every hour");
    assert!(browsers.find(&pass.name(), HERE, days(3)).is_none(), "72 hours");

    browsers.note_use(&pass, days(2))?;
    let again = Browsers::open(folder.path().join("browsers"));
    let last = Timestamp(days(5).0 - 1);
    assert!(again.find(&pass.name(), HERE, last).is_some(), "three days more, over a restart too");
    assert!(!again.is_good(&pass, days(5)), "and then an open page hears no more");
    Ok(())
}

#[test]
fn a_link_signs_one_browser_in_for_thirty_days_and_over_restarts() -> Outcome {
    let (folder, browsers) = browsers()?;
    let (code, until) = browsers.new_link(LinkedBy::Person, NOW)?;
    assert_eq!(until, NOW.plus_millis(10 * 60 * 1000), "ten minutes, as the documentation says");
    assert!(code.len() >= 22, "at least 128 bits: {code}");
    let pass = browsers.sign_in(&code, KEY, HERE, FIREFOX, NOW)?.map_err(|refused| format!("{refused:?}"))?;
    assert_eq!(pass.name(), Digest::of_bytes(KEY), "its key is its name, in the receipts too");
    assert_eq!(browsers.sign_in(&code, b"another", HERE, FIREFOX, NOW)?, Err(Refused::Used), "once only");

    let file = folder.path().join("browsers");
    let kept = std::fs::read_to_string(&file)?;
    assert!(!kept.contains(&code), "nothing in the file opens anything: {kept}");
    assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600, "nobody else reads it");

    let again = Browsers::open(file);
    let last = Timestamp(NOW.plus_millis(bounds::BROWSER_MILLIS).0 - 1);
    again.note_use(&pass, last)?;
    let (found, key) = again.find(&pass.name(), HERE, last).ok_or("still signed in after a restart")?;
    assert_eq!((found.origin(), key.as_slice()), (Origin::Browser, KEY));
    assert!(again.find(&pass.name(), HERE, last.plus_millis(1)).is_none(), "30 days, no more");
    for elsewhere in [
        Place { host: "127.0.0.1:8321", ..HERE },
        Place { host: "localhost:8322", ..HERE },
        Place { port: 8322, ..HERE },
    ] {
        assert!(again.find(&pass.name(), elsewhere, NOW).is_none(), "another place: {elsewhere:?}");
    }
    assert!(again.find(&Digest::of_bytes(b"another"), HERE, NOW).is_none(), "nobody else");
    again.sign_out()?;
    assert!(!again.is_good(&pass, NOW), "signed out");
    assert_eq!(Browsers::open(folder.path().join("browsers")).names(), [], "for good");
    Ok(())
}

#[test]
fn whoever_is_signed_out_is_that_whatever_can_be_written() -> Outcome {
    let (folder, browsers) = browsers()?;
    let mut passes = Vec::new();
    for key in [KEY, b"another point"] {
        passes.push(signed_in(&browsers, LinkedBy::Person, key)?);
    }
    std::fs::remove_dir_all(folder.path())?;
    assert!(browsers.sign_one_out(&passes[0].name()).is_err(), "it can't be kept");
    assert!(!browsers.is_good(&passes[0], NOW) && browsers.is_good(&passes[1], NOW), "the one is signed out");
    assert!(browsers.sign_out().is_err());
    assert!(!browsers.is_good(&passes[1], NOW), "and now the other");
    Ok(())
}

#[test]
fn a_code_that_is_old_wrong_or_forgotten_signs_nobody_in() -> Outcome {
    let (_folder, browsers) = browsers()?;
    let (code, until) = browsers.new_link(LinkedBy::Person, NOW)?;
    assert_eq!(browsers.sign_in(&code, KEY, HERE, FIREFOX, until)?, Err(Refused::Expired));
    for wrong in ["", "x", &code[1..]] {
        assert_eq!(browsers.sign_in(wrong, KEY, HERE, FIREFOX, NOW)?, Err(Refused::Unknown), "{wrong:?}");
    }
    for _ in 0..bounds::LINKS {
        browsers.new_link(LinkedBy::Person, NOW)?;
    }
    assert_eq!(browsers.sign_in(&code, KEY, HERE, FIREFOX, NOW)?, Err(Refused::Unknown), "the oldest gave way");
    assert_eq!(browsers.names(), []);
    Ok(())
}

#[test]
fn what_a_script_signed_in_stays_a_script() -> Outcome {
    let (_folder, browsers) = browsers()?;
    let pass = signed_in(&browsers, LinkedBy::Script, KEY)?;
    let (found, _) = browsers.find(&pass.name(), HERE, NOW).ok_or("signed in")?;
    assert_eq!(found.origin(), Origin::Script, "the record must not call it a person in a browser");
    Ok(())
}

#[test]
fn a_further_browser_signs_the_oldest_out_and_a_further_page_replaces_the_oldest() -> Outcome {
    let (_folder, browsers) = browsers()?;
    let mut all = Vec::new();
    for number in 0..=bounds::BROWSERS {
        all.push(signed_in(&browsers, LinkedBy::Person, &number.to_be_bytes())?);
    }
    assert!(!browsers.is_good(&all[0], NOW) && browsers.is_good(&all[1], NOW));
    let (one, other) = (&all[1], &all[2]);
    let (_, of_other) = browsers.listen(other);
    let pages: Vec<_> = (0..=bounds::BROWSER_PAGES).map(|_| browsers.listen(one)).collect();
    let replaced: Vec<_> = pages.iter().map(|(_, replaced)| replaced.is_cancelled()).collect();
    assert_eq!(replaced.iter().filter(|is| **is).count(), 1, "one makes room: {replaced:?}");
    assert!(replaced[0] && !of_other.is_cancelled(), "the oldest of the same browser");
    for (number, _) in pages {
        browsers.leave(number);
    }
    assert!(browsers.any_listens(), "the other one's page");
    Ok(())
}

#[test]
fn a_damaged_file_signs_out_and_stops_nothing() -> Outcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("browsers");
    std::fs::write(&file, "{]")?;
    let browsers = Browsers::open(file);
    signed_in(&browsers, LinkedBy::Person, KEY).map(drop)
}

#[test]
fn a_browser_that_signed_in_with_a_cookie_is_forgotten_and_the_others_stay() -> Outcome {
    let (folder, browsers) = browsers()?;
    let pass = signed_in(&browsers, LinkedBy::Person, KEY)?;
    let file = folder.path().join("browsers");
    let mut all: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(&file)?)?;
    let mut before = all[0].clone();
    before["sha256"] = "00".repeat(32).into();
    before.as_object_mut().ok_or("an entry")?.remove("key");
    all.insert(0, before);
    std::fs::write(&file, serde_json::to_vec(&all)?)?;
    assert_eq!(Browsers::open(file).names(), [pass.name()]);
    Ok(())
}

#[test]
fn who_is_signed_in_is_told_the_newest_first_and_until_they_are_signed_out() -> Outcome {
    let (folder, browsers) = browsers()?;
    let one = signed_in(&browsers, LinkedBy::Person, KEY)?;
    let later = NOW.plus_millis(60_000);
    let (code, _) = browsers.new_link(LinkedBy::Script, later)?;
    let there = Place { host: "127.0.0.1:8321", port: 8321 };
    let other =
        browsers.sign_in(&code, b"another", there, "curl/8.5", later)?.map_err(|refused| format!("{refused:?}"))?;
    let hours = later.plus_millis(3 * NOTED_MILLIS);
    browsers.note_use(&one, hours)?;
    let (page, _) = browsers.listen(&one);
    let told = SignedInBrowser {
        browser: one.name(),
        name: Some("Firefox".to_owned()),
        system: Some("Linux".to_owned()),
        address: "localhost:8321".to_owned(),
        signed_in_at: NOW,
        used_at: hours,
        by_script: false,
        open: true,
        here: false,
    };
    let unknown = SignedInBrowser {
        browser: other.name(),
        name: None,
        system: None,
        address: "127.0.0.1:8321".to_owned(),
        signed_in_at: later,
        used_at: later,
        by_script: true,
        open: false,
        here: false,
    };
    assert_eq!(browsers.all(hours), [unknown, told.clone()], "each with what is known of it");
    assert_eq!(browsers.one(&one.name(), hours), Some(told.clone()));

    browsers.leave(page);
    browsers.sign_one_out(&other.name())?;
    let closed = SignedInBrowser { open: false, ..told };
    assert_eq!(browsers.all(hours), std::slice::from_ref(&closed), "who is signed out isn't there any more");
    let again = Browsers::open(folder.path().join("browsers"));
    assert_eq!(again.all(hours), [closed], "and a restart says the same");
    assert_eq!(again.all(hours.plus_millis(bounds::BROWSER_UNUSED_MILLIS)), [], "nor is one that nobody used");
    Ok(())
}

#[test]
fn a_browser_of_a_version_that_kept_no_name_stays_signed_in() -> Outcome {
    let (folder, browsers) = browsers()?;
    let pass = signed_in(&browsers, LinkedBy::Person, KEY)?;
    let file = folder.path().join("browsers");
    let mut all: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(&file)?)?;
    all[0].as_object_mut().ok_or("an entry")?.remove("called");
    std::fs::write(&file, serde_json::to_vec(&all)?)?;
    let told = Browsers::open(file).one(&pass.name(), NOW).ok_or("signed in")?;
    assert_eq!((told.name, told.system), (None, None));
    Ok(())
}
