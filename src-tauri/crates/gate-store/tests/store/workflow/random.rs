//! Random acts of several runs, the person and the gate against the record, which is closed and opened in between, and the
//! model that walks along the tables (`tests/corpus/jobs.rs`).

use gate_core::Timestamp;
use gate_core::workflow::record::{Acting, Actor, Handed, NewJob};
use gate_core::workflow::{
    Act, AgentDefinition, AgentEnd, Connection, Definition, JobId, OnFailure, Phase, WorkflowStore, built_in,
};

use super::scene::*;
use super::tables::{AUDITS_OF_JOB, Dice, Did, Holder, Model, STRANGER};
use crate::fixture::{NOW, Numbers, Outcome, campaign};
use crate::parties::{client, nobody_ended};

fn definition() -> Definition {
    let review = built_in("review").expect("it is built in");
    let of = |(at, (order, weight, blocks, late)): (usize, (u32, u32, bool, bool))| AgentDefinition {
        name: format!("audit-{at}"),
        order,
        weight,
        on_failure: if blocks { OnFailure::Block } else { OnFailure::Continue },
        phase: if late { Phase::Synthesizing } else { Phase::AgentsRunning },
        aliases: vec![format!("a{at}")],
        ..review.agents[0].clone()
    };
    Definition { agents: AUDITS_OF_JOB.into_iter().enumerate().map(of).collect(), ..review }
}

fn actor(did: &Did, model: &Model) -> Actor {
    match did.act {
        "release" | "cancel" | "hand_over" | "return" => Actor::Person,
        "fail" | "supersede" | "lose" | "clock" | "wait" | "go_on" | "off" => Actor::Gate,
        _ => {
            let connection = match did.holder {
                Holder::There => Connection::There,
                Holder::Gone(millis) => Connection::Gone(Timestamp(model.now - millis)),
                Holder::Unknown => Connection::Unknown,
            };
            Actor::Run {
                run: format!("run {}", did.run),
                party: Box::new(client(party(did.run))),
                has_ended: nobody_ended,
                holder: model.holder.map(|holder| (format!("run {holder}"), connection)),
            }
        }
    }
}

fn party(run: usize) -> &'static str {
    if run == STRANGER { "codex" } else { "claude-code" }
}

fn act(did: &Did) -> Act {
    let name = format!("{}{}", if did.after % 2 == 0 { "audit-" } else { "a" }, did.audit);
    let complete = |end, error: Option<&str>| Act::CompleteAgent {
        name: name.clone(),
        end,
        error: error.map(str::to_owned),
        attempt: did.attempt,
    };
    match did.act {
        "start" => Act::StartAgent(name),
        "succeed" => complete(AgentEnd::Success, None),
        "give_up" => complete(AgentEnd::Failed, Some("it can't be done")),
        "add" => Act::Add,
        "publish" => Act::Publish,
        "release" => Act::Release,
        "cancel" => Act::Cancel,
        "hand_over" => Act::HandOver(client(party(STRANGER)).key),
        "return" => Act::Return,
        "fail" => Act::Fail("it can't be run".to_owned()),
        "supersede" => Act::Supersede,
        "lose" => Act::Lose,
        "clock" => Act::Clock,
        "wait" => Act::Wait(true),
        "go_on" => Act::Wait(false),
        "off" => Act::Off(did.after.unsigned_abs()),
        phase => Act::SetPhase(Phase::parse(phase).unwrap_or_else(|| panic!("{phase} is no act"))),
    }
}

/// Holds what is kept against the model.
async fn agrees(scene: &Scene, job: JobId, model: &Model, did: &Did) -> Outcome {
    let read = scene.read(job).await?;
    let state = &read.state;
    let found = (
        (state.status.as_str(), state.phase.as_str(), state.begun, state.waits, state.changes_requested),
        (state.steps_back, state.epoch, state.losses, state.handed_to.is_some()),
        state.run.as_ref().map(|run| run.key.clone()),
    );
    let expected = (
        (model.status, model.phase, model.begun, model.waits, model.changes),
        (model.steps_back, model.epoch, model.losses, model.handed),
        model.holder.map(|run| format!("run {run}")),
    );
    assert_eq!(found, expected, "after {did:?}: {model:?}");
    let audits = state.agents.iter().map(|it| (it.status.as_str(), it.attempt, it.failures, it.timed_out, it.late));
    let of_model = model.audits.iter().map(|it| (it.status, it.attempt, it.failures, it.timed_out, it.late));
    assert_eq!(audits.collect::<Vec<_>>(), of_model.collect::<Vec<_>>(), "after {did:?}: {model:?}");
    let summary = (read.summary.status, read.summary.phase, read.summary.overall_progress);
    assert_eq!(summary, (state.status, state.phase, model.progress()), "the summary says the same");
    let run_party = model.holder.map(|run| client(party(run)));
    assert_eq!(read.run_party, run_party, "whose run has it, or had it last");
    Ok(())
}

async fn walk(scene: &mut Scene, number: u64, numbers: &mut Numbers, length: usize) -> Outcome {
    let is_parked = numbers.below(4) == 0;
    let new = NewJob { definition: definition(), is_parked, ..scene.new_job(number) };
    let job = scene.create_as(Some(&client(party(0))), new, None).await?.job.job_id;
    let mut model = Model::new(is_parked, NOW);
    let mut told = vec!["job:created"];
    let restarts_at = numbers.below(2 * length);
    for at in 0..length {
        if at == restarts_at {
            scene.restart().await?;
        }
        let mut byte = || u8::try_from(numbers.below(256)).unwrap_or(0);
        let dice: Dice = (byte(), byte(), byte(), byte(), byte());
        let did = model.dice(dice);
        model.passes(did.after);
        let before = scene.read(job).await?;
        let acting = Acting {
            job_id: job,
            actor: actor(&did, &model),
            act: act(&did),
            with: Handed::Nothing,
            call_key: None,
            at: Timestamp(model.now),
        };
        match (model.does(&did), scene.store.act_on_job(acting).await) {
            (Ok(next), Ok(acted)) => {
                assert_eq!(acted.happened, !next.told.is_empty(), "{did:?} at {model:?}");
                told.extend(&next.told);
                model = next;
            }
            (Err(expected), Err(fault)) => {
                assert_eq!(fault.code.as_str(), expected, "{did:?} at {model:?}");
                assert_eq!(scene.read(job).await?, before, "nothing of it is there: {did:?}");
            }
            (expected, found) => panic!("{did:?} at {model:?}: the tables have {expected:?}, it is {found:?}"),
        }
        agrees(scene, job, &model, &did).await?;
    }
    assert_eq!(scene.kinds(job).await?, told, "each thing is told once, in its order");
    Ok(())
}

#[tokio::test]
async fn random_acts_are_kept_as_the_tables_say_over_restarts() -> Outcome {
    let mut scene = Scene::new().await?;
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for number in 0..campaign(2000, 30) {
        walk(&mut scene, number + 1, &mut numbers, 60).await?;
    }
    Ok(())
}
