//! What must hold for every generated conversation.

use std::collections::HashSet;

use super::*;

const PLAN: Plan = Plan { conversations: 60, messages: 3000, seed: 1 };

fn made(plan: &Plan) -> Vec<Value> {
    let (vocabulary, mut before) = (Vocabulary::new(), 0);
    let sizes = plan.sizes().into_iter();
    let made = (0..).zip(sizes).map(|(number, size)| {
        let made = plan.conversation(&vocabulary, number, size, before);
        before += size;
        made.json
    });
    made.collect()
}

fn entries(conversation: &Value) -> &[Value] {
    conversation["entries"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The moment that a UUID of version 7 holds, in milliseconds.
fn moment(uuid: &str) -> Option<u64> {
    let parts: Vec<&str> = uuid.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let [high, low, version, variant, _] = parts.as_slice() else { return None };
    let is_v7 = version.starts_with('7') && variant.starts_with(['8', '9', 'a', 'b']) && lengths == [8, 4, 4, 4, 12];
    u64::from_str_radix(&format!("{high}{low}"), 16).ok().filter(|_| is_v7)
}

#[test]
fn the_sizes_are_exact_and_skewed() {
    for plan in [
        PLAN,
        Plan { conversations: 20_000, messages: 1_000_000, seed: 9 },
        Plan { conversations: 3, messages: 3, seed: 0 },
    ] {
        let sizes = plan.sizes();
        assert_eq!((sizes.len() as u64, sizes.iter().sum::<u64>()), (plan.conversations, plan.messages), "{plan:?}");
        assert!(sizes.iter().all(|size| *size >= 1), "no conversation is empty: {plan:?}");
    }
    let sizes = Plan { conversations: 20_000, messages: 1_000_000, seed: 9 }.sizes();
    let (few, many) =
        (sizes.iter().filter(|size| **size <= 4).count(), sizes.iter().filter(|size| **size > 900).count());
    assert!(few > 8000 && (100..1000).contains(&many), "{few} are short and {many} are long");
}

#[test]
fn every_message_is_there_and_every_identifier_is_one_of_its_own() {
    let made = made(&PLAN);
    assert_eq!(made.iter().map(|each| entries(each).len()).sum::<usize>(), 3000);
    let mut seen = HashSet::new();
    for conversation in &made {
        let begin = moment(conversation["session_uuid"].as_str().unwrap());
        assert_eq!(begin.map(rfc3339).as_deref(), conversation["created_at"].as_str(), "the id is of its time");
        assert!(seen.insert(conversation["session_uuid"].clone()));
        for entry in entries(conversation) {
            let asks = entry["role"] == "agent";
            let at = moment(entry["request_id"].as_str().unwrap()).map(rfc3339);
            if asks {
                assert_eq!(at.as_deref(), entry["created_at"].as_str(), "the id is of its time");
            }
            assert_eq!(seen.insert(entry["request_id"].clone()), asks, "a question is new, a reply follows one");
        }
        for checkpoint in conversation["checkpoints"].as_array().unwrap() {
            assert!(moment(checkpoint["checkpoint_id"].as_str().unwrap()).is_some());
            assert!(seen.insert(checkpoint["checkpoint_id"].clone()));
            let after = usize::try_from(checkpoint["after_entries"].as_u64().unwrap()).unwrap();
            assert!((1..=entries(conversation).len()).contains(&after), "it stands among the entries");
        }
    }
}

#[test]
fn time_goes_on_within_a_conversation() {
    for conversation in made(&PLAN) {
        let mut times: Vec<&str> =
            entries(&conversation).iter().map(|entry| entry["created_at"].as_str().unwrap()).collect();
        times.insert(0, conversation["created_at"].as_str().unwrap());
        let seconds: Vec<&str> = times.iter().map(|time| &time[..19]).collect();
        assert!(seconds.is_sorted(), "{seconds:?}");
        assert!(times.iter().all(|time| time.ends_with('Z')));
    }
}

#[test]
fn the_same_seed_makes_the_same_record_and_another_one_another() {
    assert_eq!(made(&PLAN), made(&PLAN));
    assert_ne!(made(&PLAN), made(&Plan { seed: 2, ..PLAN }));
}

#[test]
fn the_rare_word_is_rare_and_the_rest_is_mixed() {
    let made = made(&PLAN);
    let texts: Vec<String> = made.iter().flat_map(entries).map(ToString::to_string).collect();
    let with = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
    assert_eq!(with(RARE) as u64, RARE_MESSAGES, "as many as a search is to find");
    for part in ["```", "\"approved\"", "changes_requested", "--- a/", "\"side\":\"new\"", "。", "\"selected\":[\"1"] {
        assert!(with(part) > 0, "{part} occurs");
    }
    let of_all = |field: &str| made.iter().map(|each| each[field].to_string()).collect::<HashSet<_>>().len();
    assert!(of_all("client") > 4 && of_all("workspace") > 8 && of_all("status") == 3, "many work in many places");
    assert!(made.iter().any(|each| each["progress"].is_object()) && made.iter().any(|each| each["progress"].is_null()));
}
