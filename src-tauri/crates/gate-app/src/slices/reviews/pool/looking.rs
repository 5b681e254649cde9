//! Which review gets a run, of which program, and when there is none. It goes on beside the clock, which doesn't wait for
//! a program that is slow to say its version.

use std::sync::Arc;
use std::time::Duration;

use gate_core::proposal::{ReviewPlace, ReviewQuery, ReviewStatus, ReviewStore as _, ReviewSummary, StoredReview};
use gate_core::{Code, Fault, Timestamp};
use gate_worker::{Allowance, Full, Limits, Program};

use super::super::Reviews;
use super::{FAILURES, Place, Running, Told, name_of};

/// For how many milliseconds a review may wait for somebody to claim it before a run is started.
const UNCLAIMED_MILLIS: u64 = 30 * 1000;
/// How often it is looked for such reviews, in milliseconds.
const LOOK_MILLIS: u64 = 5 * 1000;
/// Reviews that are read at a time.
const PAGE: usize = 200;
/// Milliseconds of a day.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// What became of a review that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// It has a run, or waits for something.
    Seen,
    /// There may be no further run now, of any.
    Full,
}

/// That it is looked, until this is dropped.
struct Looking(Arc<Reviews>);

impl Drop for Looking {
    fn drop(&mut self) {
        self.0.pool.lock().is_looking = false;
    }
}

impl Reviews {
    /// Looks for reviews that nobody claims, where the person has a pool, and starts runs for them. Waits for none of it.
    pub(in super::super) fn look_for_reviewers(self: &Arc<Self>, now: Timestamp) {
        let programs = self.pool_programs();
        // Nothing is wrong with what isn't there.
        self.pool.untell_but(&self.bus, |told| match told {
            Told::Day | Told::Shelter => !programs.is_empty(),
            Told::Fails(program) => programs.contains(&program),
        });
        if programs.is_empty() {
            return;
        }
        {
            let mut state = self.pool.lock();
            let is_early = |at: Timestamp| at <= now && now < at.plus_millis(LOOK_MILLIS);
            if state.is_looking || state.looked_at.is_some_and(is_early) {
                return;
            }
            (state.looked_at, state.is_looking) = (Some(now), true);
            if state.programs != programs {
                state.over.clear();
                state.programs.clone_from(&programs);
            }
        }
        let looking = Looking(Arc::clone(self));
        tokio::spawn(async move {
            let reviews = &looking.0;
            tokio::select! {
                () = reviews.bus.stop().cancelled() => {}
                looked = reviews.look(&programs, now) => if let Err(fault) = looked {
                    tracing::warn!(%fault, "which reviews wait for the pool can't be looked up");
                }
            }
        });
    }

    /// The programs that the person lets review, in their order.
    pub(in super::super) fn pool_programs(&self) -> Vec<Program> {
        self.settings.in_force().security.pool.iter().filter_map(|id| Program::of_id(id)).collect()
    }

    async fn look(self: &Arc<Self>, programs: &[Program], now: Timestamp) -> Result<(), Fault> {
        let full = self.pool.lock().used.full(self.day(now), &self.allowance());
        match full {
            Some(Full::AtOnce) => return Ok(()),
            Some(Full::Today | Full::Money) => {}
            None => self.pool.untell(&self.bus, Told::Day),
        }
        for review in self.unclaimed(now).await? {
            match self.begin_run(&review, programs, now).await {
                Ok(Looked::Seen) => {}
                Ok(Looked::Full) => break,
                Err(fault) => tracing::warn!(%fault, review = %review.review_id, "no run can be started for a review"),
            }
        }
        Ok(())
    }

    /// The reviews that nobody has claimed for a while and for which something may be done, in the order of the queue.
    async fn unclaimed(&self, now: Timestamp) -> Result<Vec<ReviewSummary>, Fault> {
        let query = ReviewQuery { status: Some(ReviewStatus::Created), ..ReviewQuery::default() };
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.store.reviews(&query, after, PAGE).await?;
            let is_last = page.len() < PAGE;
            after = page.last().map(|last| ReviewPlace { updated_at: last.updated_at, review_id: last.review_id });
            all.extend(page);
            if is_last {
                break;
            }
        }
        let mut state = self.pool.lock();
        state.over.retain(|review, event| all.iter().any(|known| known.review_id == *review && known.event == *event));
        // What somebody else has just now comes back as the round that it was.
        state.failed.retain(|(review, round, _), _| {
            all.iter().find(|known| known.review_id == *review).is_none_or(|known| known.round == *round)
        });
        all.retain(|review| {
            now >= review.updated_at.plus_millis(UNCLAIMED_MILLIS)
                && !state.running.contains_key(&review.review_id)
                && !state.over.contains_key(&review.review_id)
        });
        all.sort_by_key(|review| (review.priority.queue_key(review.created_at), review.review_id));
        Ok(all)
    }

    /// Starts a run of the next program that has said nothing of a review's newest round, where there may be one.
    async fn begin_run(
        self: &Arc<Self>,
        review: &ReviewSummary,
        programs: &[Program],
        now: Timestamp,
    ) -> Result<Looked, Fault> {
        let review = review.review_id;
        let Some(stored) = self.store.review(review).await? else { return Ok(Looked::Seen) };
        let mut found = None;
        for program in self.next_programs(&stored, programs, now).await? {
            found = self.pool.installed(program, now).await;
            if found.is_some() {
                break;
            }
        }
        let Some(installed) = found else { return Ok(Looked::Seen) };
        let settings = self.settings.in_force();
        let is_unsheltered = settings.security.pool_unsheltered == Some(true);
        if !is_unsheltered && let Err(lacks) = self.pool.shelters(now).await {
            let message = format!("The reviewer pool starts nothing, since it has no sandbox: {}", lacks.message);
            let mend = format!("{} Or let its programs run without one: `security.pool_unsheltered`.", lacks.mend);
            self.pool.tell(&self.bus, Told::Shelter, Fault::new(Code::Sandbox, message, mend));
            return Ok(Looked::Full);
        }
        self.pool.untell(&self.bus, Told::Shelter);
        let (day, allowed) = (self.day(now), self.allowance());
        let full = self.pool.lock().used.full(day, &allowed);
        match full {
            None => self.pool.untell(&self.bus, Told::Day),
            Some(Full::AtOnce) => return Ok(Looked::Full),
            Some(Full::Today | Full::Money) => {
                self.pool.tell(&self.bus, Told::Day, day_is_full(allowed.a_day));
                return Ok(Looked::Full);
            }
        }
        let time = Duration::from_secs(u64::from(settings.review.pool_minutes) * 60);
        let running = Running {
            review,
            program: installed.program,
            installed,
            limits: Limits { time, ..Limits::default() },
            is_unsheltered,
        };
        // What somebody else has, or is kept for somebody, takes nothing of the day.
        let Some(held) = self.claim_for_run(&running).await? else { return Ok(Looked::Seen) };
        {
            let mut state = self.pool.lock();
            // Nobody else starts any.
            let _ = state.used.start(day, &allowed);
            state.running.insert(review, held.token);
        }
        let mut place = Place { reviews: Arc::clone(self), review, day, is_started: false, cost: None };
        let stop = self.bus.stop().child_token();
        tokio::spawn(async move {
            let reviews = Arc::clone(&place.reviews);
            if let Err(fault) = Box::pin(reviews.run(&running, held, &mut place, &stop)).await {
                let program = running.program.id();
                tracing::warn!(%fault, review = %running.review, program, "a run of the pool came to nothing");
            }
        });
        Ok(Looked::Seen)
    }

    /// The programs of these that may look at a review's newest round, in their order.
    async fn next_programs(
        &self,
        stored: &StoredReview,
        programs: &[Program],
        now: Timestamp,
    ) -> Result<Vec<Program>, Fault> {
        let (review, round) = (stored.summary.review_id, stored.summary.round);
        let verdicts = self.store.verdicts(review).await?;
        let mut state = self.pool.lock();
        let is_through = |program: &Program| {
            let failed = state.failed.get(&(review, round, *program)).copied().unwrap_or(0);
            let said = verdicts.iter().any(|verdict| verdict.round == round && verdict.author == name_of(*program));
            said || failed >= FAILURES
        };
        let left: Vec<_> = programs.iter().copied().filter(|program| !is_through(program)).collect();
        if left.is_empty() {
            state.over.insert(review, stored.summary.event);
        }
        let is_paused = |program: &Program| state.pauses.get(program).is_some_and(|pause| pause.until(now).is_some());
        Ok(left.into_iter().filter(|program| !is_paused(program)).collect())
    }

    fn allowance(&self) -> Allowance {
        let settings = self.settings.in_force();
        Allowance { at_once: settings.review.pool_at_once, a_day: settings.review.pool_a_day, money_a_day: None }
    }

    /// The day that it is for the person.
    fn day(&self, now: Timestamp) -> i64 {
        let local = now.0.saturating_add(i64::from(self.bus.local_offset(now)) * 1000);
        local.div_euclid(DAY_MILLIS)
    }

    /// Claims a review as a run of this program does, of which nothing else is known.
    #[cfg(test)]
    pub(crate) async fn claim_as_a_run(
        &self,
        program: Program,
        review: gate_core::proposal::ReviewId,
    ) -> Result<(), Fault> {
        use gate_core::proposal::{Act, Brought};
        let party = super::party_of_program(program).ok_or_else(|| Fault::internal("it is one"))?;
        self.store.act(self.acting(party, review, Act::Claim, Brought::Nothing)).await.map(drop)
    }

    /// Whether nothing of the pool goes on.
    #[cfg(test)]
    pub(crate) fn pool_rests(&self) -> bool {
        let state = self.pool.lock();
        !state.is_looking && state.running.is_empty()
    }
}

fn day_is_full(a_day: u32) -> Fault {
    Fault::new(
        Code::TooMany,
        format!("The reviewer pool has started {a_day} programs today, as many as it may: reviews wait."),
        "It goes on at midnight. Other agents, and you, may review them before; `review.pool_a_day` allows more.",
    )
}
