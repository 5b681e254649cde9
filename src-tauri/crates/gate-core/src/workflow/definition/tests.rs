//! The rules of definitions, each broken once, and the built-in ones.

use super::*;

/// The built-in review after a change.
fn changed(change: impl FnOnce(&mut Definition)) -> Result<Definition, Fault> {
    let mut definition = built_in("review").expect("it is built in");
    change(&mut definition);
    definition.checked()
}

#[test]
fn built_in_workflows_keep_the_rules_and_have_the_audits_that_clients_know() {
    for name in BUILT_IN {
        let definition = built_in(name).expect("it is built in");
        assert_eq!(definition.clone().checked().as_ref(), Ok(&definition), "{name} stands in its order");
    }
    let review = built_in("review").expect("it is built in");
    let names: Vec<_> = review.agents.iter().map(|agent| (agent.name.as_str(), agent.display_name.as_str())).collect();
    let expected = [
        ("clean-architecture", "Clean Archi"),
        ("ddd", "DDD"),
        ("react-best-practices", "React"),
        ("solid", "SOLID"),
        ("testing", "Testing"),
        ("code-quality", "Code Quality"),
        ("threads", "Threads"),
        ("report", "Rapport"),
    ];
    assert_eq!(names, expected);
    let by_alias = review.agent("clean-arch").map(|agent| agent.name.as_str());
    assert_eq!(by_alias, Some("clean-architecture"), "the seed's sequence calls it so");
    let followup = built_in("followup").expect("it is built in");
    let names: Vec<_> = followup.agents.iter().map(|agent| agent.display_name.as_str()).collect();
    assert_eq!(names, ["Contexte", "Vérification", "Scan", "Threads", "Rapport"]);
    assert_eq!(built_in("other"), None);
}

#[test]
fn what_breaks_a_rule_is_named() {
    type Change = fn(&mut Definition);
    let cases: [(Change, &str); 14] = [
        (|it| it.agents.clear(), "`agents` is 0; it may be 1 to 50."),
        (|it| it.title = " ".to_owned(), "`title`"),
        (|it| it.agents[1].name = "solid".to_owned(), "has the name `solid`"),
        (|it| it.agents[1].aliases = vec!["clean-arch".to_owned()], "has the name `clean-arch`"),
        (|it| it.agents[1].name = "a\nb".to_owned(), "`agents[1].name`"),
        (|it| it.agents[2].weight = 0, "`agents[2].weight` is 0; it may be 1 to 100."),
        (|it| it.agents[2].order = 1001, "`agents[2].order` is 1001"),
        (|it| it.agents[2].phase = Phase::Publishing, "`agents[2].phase` is `publishing`"),
        (|it| it.agents[7].order = 0, "give it a lower `order`"),
        (|it| it.agents[0].files = vec![String::new()], "`agents[0].files` has an empty text"),
        (|it| it.agents[0].prompt = Some("x".repeat(201)), "`agents[0].prompt` has 201 characters"),
        (|it| it.limits.agent_minutes = 61, "`limits.agent_minutes` is 61; it may be 1 to 60."),
        (|it| it.limits.retries = 11, "`limits.retries` is 11"),
        (|it| it.instructions = Some("x".repeat(16 * 1024 + 1)), "`instructions` has 16385 bytes"),
    ];
    for (change, says) in cases {
        let fault = changed(change).expect_err(says);
        assert_eq!(fault.code, Code::WorkflowDefinition, "{fault}");
        assert!(fault.message.contains(says), "{fault} names {says}");
    }
}

#[test]
fn audits_stand_in_their_order_and_only_those_for_the_files_are_left() {
    let definition = changed(|it| {
        it.agents[2].order = 1;
        it.agents[2].files = vec!["**/*.tsx".to_owned()];
        it.agents[0].order = 3;
    });
    let definition = definition.expect("it keeps the rules");
    let names = |it: &Definition| it.agents.iter().map(|agent| agent.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&definition)[..3], ["react-best-practices", "ddd", "clean-architecture"]);
    assert_eq!(names(&definition.for_files(&["src/a.rs"]))[..2], ["ddd", "clean-architecture"], "no such file");
    assert_eq!(names(&definition.for_files(&["App.tsx"])).len(), 8, "a file at the top, too");
    let only = changed(|it| {
        it.agents.truncate(1);
        it.agents[0].files = vec!["src/**".to_owned()];
    });
    let only = only.expect("it keeps the rules");
    assert_eq!(only.for_files(&["docs/a.md"]), only, "a workflow has an audit at least");
}

#[test]
fn a_definition_comes_back_as_it_was_kept_and_defaults_need_not_be_written() {
    let review = built_in("review").expect("it is built in");
    let kept = serde_json::to_string(&review).expect("it can be written");
    assert_eq!(serde_json::from_str::<Definition>(&kept).ok(), Some(review));
    let short = r#"{"name":"a","title":"A","job_type":"review","agents":[{"name":"x","displayName":"X"}]}"#;
    let short: Definition = serde_json::from_str(short).expect("the rest has defaults");
    let agent = &short.agents[0];
    assert_eq!((agent.weight, agent.on_failure, agent.phase), (1, OnFailure::Continue, Phase::AgentsRunning));
    assert_eq!(short.limits, Limits { job_minutes: 60, agent_minutes: 20, retries: 1, lines: 20_000 });
}
