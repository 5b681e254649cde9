//! What may be done with a job of the review workflow and what follows: the tables of its design, written down as data, and a
//! small model that walks along them. Compiled into the tests of each crate that has to keep to them, and knows no type of any.

/// The phases, in their order.
pub(crate) const PHASES: [&str; 5] = ["initializing", "agents-running", "synthesizing", "publishing", "completed"];
/// Where a job stands.
pub(crate) const STATUSES: [&str; 8] =
    ["parked", "queued", "running", "interrupted", "completed", "failed", "cancelled", "superseded"];
/// What a phase leads to; a column for each of [`PHASES`]. `=` is that it is said again, `audits` that the audits of the phase
/// have to be finished, `all` that all have to be and none that blocks may have failed, `back` that it is a step back.
const WAYS: &str = "
from           initializing agents-running synthesizing publishing completed
initializing   =            ok             order        order      order
agents-running order        =              audits       order      order
synthesizing   order        back           =            all        order
publishing     order        back           back         =          ok
completed      over         over           over         over       =
";
/// What the two calls do with an audit, `=` that it is said again.
const AUDITS: &str = "
audit     start    succeed  give_up
pending   begin    unbegun  unbegun
running   =        end      end
failed    again    late     =
completed finished =        finished
";
/// What else is done to a job; a column for each of [`STATUSES`]. `work` is whatever a run does.
const LIFE: &str = "
act       parked     queued     running     interrupted completed failed cancelled superseded
work      waits      begin      =           again       over      over   over      over
release   queued     -          -           -           -         -      -         -
cancel    cancelled  cancelled  cancelled   cancelled   -         -      =         -
fail      failed     failed     failed      failed      -         -      -         -
supersede superseded superseded -           superseded  -         -      -         =
lose      -          -          interrupted =           -         -      -         -
hand_over =          =          =           =           -         -      -         -
return    -          -          =           =           -         -      -         -
clock     =          =          =           =           =         =      =         =
wait      =          =          =           =           =         =      =         =
go_on     =          =          =           =           =         =      =         =
off       =          =          =           =           =         =      =         =
";
/// What is done, besides [`PHASES`], which a run says it is in.
pub(crate) const ACTS: [&str; 16] = [
    "start",
    "succeed",
    "give_up",
    "add",
    "publish",
    "release",
    "cancel",
    "hand_over",
    "return",
    "fail",
    "supersede",
    "lose",
    "clock",
    "wait",
    "go_on",
    "off",
];

/// The cell of a table in this row and under this word.
fn cell(table: &'static str, row: &str, column: &str) -> &'static str {
    let mut lines =
        table.lines().filter(|line| !line.is_empty()).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let head = lines.next().expect("a table has a head");
    let at = head.iter().position(|known| *known == column).unwrap_or_else(|| panic!("no column {column}"));
    let found = lines.find(|line| line[0] == row).unwrap_or_else(|| panic!("no row {row}"));
    assert_eq!(found.len(), head.len(), "a cell for each column: {found:?}");
    found[at]
}

/// What leads from one phase to another.
pub(crate) fn way(from: &str, to: &str) -> &'static str {
    cell(WAYS, from, to)
}

/// What is known of the run that has the job, when another one calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    There,
    /// For so many milliseconds.
    Gone(i64),
    Unknown,
}

/// One act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Did {
    /// Which run: two of the job's party, one of another.
    pub(crate) run: usize,
    pub(crate) holder: Holder,
    pub(crate) act: &'static str,
    pub(crate) audit: usize,
    /// Which attempt it says.
    pub(crate) attempt: Option<u32>,
    /// Milliseconds since the act before.
    pub(crate) after: i64,
}

/// Numbers that a random act is made of.
pub(crate) type Dice = (u8, u8, u8, u8, u8);
/// The audits: order, weight, whether it blocks, whether it may run while the report is written.
pub(crate) const AUDITS_OF_JOB: [(u32, u32, bool, bool); 4] =
    [(1, 1, false, false), (1, 3, true, false), (2, 1, false, false), (3, 2, false, true)];
/// Which run is of another party.
pub(crate) const STRANGER: usize = 2;
const MINUTE: i64 = 60_000;
const PAUSES: [i64; 8] = [1, 1000, 31_000, MINUTE, MINUTE, 5 * MINUTE, 12 * MINUTE, 21 * MINUTE];
const RETRIES: u32 = 1;
const STEPS_BACK: u32 = 3;

/// An audit by the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Audit {
    pub(crate) status: &'static str,
    pub(crate) attempt: u32,
    pub(crate) failures: u32,
    pub(crate) timed_out: bool,
    pub(crate) late: bool,
    /// Milliseconds that it has run and that count.
    ran: i64,
}

/// Where a job stands by the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) now: i64,
    pub(crate) status: &'static str,
    pub(crate) phase: &'static str,
    pub(crate) begun: bool,
    pub(crate) audits: [Audit; 4],
    pub(crate) steps_back: u32,
    pub(crate) changes: bool,
    pub(crate) holder: Option<usize>,
    pub(crate) epoch: u64,
    pub(crate) handed: bool,
    pub(crate) losses: u32,
    pub(crate) waits: bool,
    /// Milliseconds that it has run and that count.
    ran: i64,
    /// Milliseconds since its run said something.
    quiet: i64,
    /// What is told of the last act.
    pub(crate) told: Vec<&'static str>,
}

impl Model {
    /// A job that was just created.
    pub(crate) fn new(is_parked: bool, now: i64) -> Self {
        let audit = Audit { status: "pending", attempt: 0, failures: 0, timed_out: false, late: false, ran: 0 };
        Self {
            now,
            status: if is_parked { "parked" } else { "queued" },
            phase: "initializing",
            begun: false,
            audits: [audit; 4],
            steps_back: 0,
            changes: false,
            holder: None,
            epoch: 0,
            handed: false,
            losses: 0,
            waits: false,
            ran: 0,
            quiet: 0,
            told: Vec::new(),
        }
    }

    /// The random act that these numbers make here: half of them go on as a run should.
    pub(crate) fn dice(&self, (who, act, audit, says, after): Dice) -> Did {
        let run = match who % 8 {
            6 => STRANGER,
            7 => 1,
            _ => self.holder.unwrap_or(0),
        };
        let holder = match says % 4 {
            0 => Holder::There,
            1 => Holder::Gone(29_999),
            2 => Holder::Gone(30_000),
            _ => Holder::Unknown,
        };
        let next = PHASES.iter().position(|phase| *phase == self.phase).map_or(0, |at| at + 1);
        let forward = match act % 11 {
            0 | 1 => PHASES[next.min(4)],
            // Where it is, and back from there.
            2 => [self.phase, PHASES[next.saturating_sub(2)], PHASES[1]][usize::from(audit) % 3],
            3..=5 => "start",
            6..=8 => "succeed",
            _ => "give_up",
        };
        let any = usize::from(act) % (PHASES.len() + ACTS.len());
        let act = match who / 128 {
            0 => forward,
            _ if any < PHASES.len() => PHASES[any],
            // A job ends soon enough.
            _ if matches!(ACTS[any - PHASES.len()], "cancel" | "fail" | "supersede") && says % 8 != 0 => "add",
            _ => ACTS[any - PHASES.len()],
        };
        let audit = usize::from(audit) % self.audits.len();
        let attempt = match says / 16 {
            0 => Some(u32::from(says % 4)),
            _ => None,
        };
        let after = PAUSES[usize::from(after) % PAUSES.len()];
        Did { run, holder, act, audit, attempt, after: if who % 3 == 0 { after } else { 1 + after / 60 } }
    }

    /// Time passes.
    pub(crate) fn passes(&mut self, millis: i64) {
        self.now += millis;
        self.quiet += millis;
        self.counts(millis);
    }

    fn counts(&mut self, millis: i64) {
        if self.status == "running" && !self.waits {
            self.ran += millis;
            self.audits.iter_mut().filter(|audit| audit.status == "running").for_each(|audit| audit.ran += millis);
        }
    }

    /// How far it is, in percent.
    pub(crate) fn progress(&self) -> u32 {
        let (mut done, mut all) = (0.0, 0.0);
        for (audit, (_, weight, ..)) in self.audits.iter().zip(AUDITS_OF_JOB) {
            let share = match audit.status {
                "completed" | "failed" => 1.0,
                "running" => 0.5,
                _ => 0.0,
            };
            (done, all) = (done + share * f64::from(weight), all + f64::from(weight));
        }
        let by_phase =
            [0.0, 5.0, 10.0, 15.0, 20.0][PHASES.iter().position(|phase| *phase == self.phase).expect("a phase")];
        let percent = (80.0 * done / all + by_phase + 0.5_f64).floor();
        (0..=100).find(|whole| f64::from(*whole) == percent).expect("a percentage")
    }

    /// What an act leads to, or the code by which it is refused.
    pub(crate) fn does(&self, did: &Did) -> Result<Self, &'static str> {
        let mut next = Self { told: Vec::new(), ..self.clone() };
        match did.act {
            phase if PHASES.contains(&phase) => next.enters(did, phase)?,
            "start" => next.starts(did)?,
            "succeed" | "give_up" => next.ends_audit(did)?,
            "add" => next.works(did)?,
            "publish" => {
                next.works(did)?;
                next.changes = false;
            }
            _ => next.lives(did)?,
        }
        Ok(next)
    }

    fn lives(&mut self, did: &Did) -> Result<(), &'static str> {
        match cell(LIFE, did.act, self.status) {
            "-" => return Err("wrong_state"),
            "=" => {}
            status => {
                let gives_up = !matches!(status, "queued" | "interrupted");
                if gives_up {
                    self.fail_running(false);
                    self.waits = false;
                }
                self.status = STATUSES[STATUSES.iter().position(|known| *known == status).expect("a state")];
                self.told.push(match status {
                    "queued" => "job:released",
                    "interrupted" => "job:interrupted",
                    "cancelled" => "job:cancelled",
                    "failed" => "job:failed",
                    _ => "job:superseded",
                });
                if status == "interrupted" {
                    (self.losses, self.waits) = (self.losses + 1, false);
                }
                return Ok(());
            }
        }
        match did.act {
            "hand_over" if !self.handed => {
                self.handed = true;
                self.told.push("job:handed_over");
            }
            "return" => self.changes = true,
            "wait" if self.status == "running" => self.waits = true,
            "go_on" if self.status == "running" => self.waits = false,
            "off" => {
                self.counts(-did.after);
                self.quiet = (self.quiet - did.after).max(0);
            }
            "clock" if self.status == "running" && !self.waits => self.clock(),
            _ => {}
        }
        Ok(())
    }

    fn clock(&mut self) {
        if self.ran >= 60 * MINUTE {
            self.fail_running(false);
            self.status = "failed";
            self.told.push("job:failed");
            return;
        }
        self.fail_running(true);
    }

    /// Audits that run fail: all of them, or those whose time is over.
    fn fail_running(&mut self, by_time: bool) {
        for audit in self.audits.iter_mut().filter(|audit| audit.status == "running") {
            if !by_time || audit.ran >= 20 * MINUTE {
                (audit.status, audit.failures, audit.timed_out) = ("failed", audit.failures + 1, by_time);
                self.told.push("agent:failed");
            }
        }
    }

    /// A run does something: it has the job, or gets it.
    fn works(&mut self, did: &Did) -> Result<(), &'static str> {
        let is_let = did.run != STRANGER || self.handed;
        let handed = self.handed && did.run == STRANGER;
        match cell(LIFE, "work", self.status) {
            "waits" => return Err("job_parked"),
            "over" => return Err("job_finished"),
            "begin" if !is_let => return Err("unknown_job"),
            "begin" => {
                (self.status, self.epoch, self.handed) = ("running", self.epoch + 1, false);
                self.told.push("job:started");
            }
            again if self.holder == Some(did.run) => {
                if again == "again" {
                    self.status = "running";
                    self.told.push("job:resumed");
                }
            }
            again => {
                let is_gone = match did.holder {
                    _ if again == "again" => true,
                    Holder::There => false,
                    Holder::Gone(millis) => millis >= 30_000,
                    Holder::Unknown => !self.waits && self.quiet > 20 * MINUTE,
                };
                if !is_let {
                    return Err("unknown_job");
                }
                if !is_gone && !handed {
                    return Err("job_taken");
                }
                for audit in self.audits.iter_mut().filter(|audit| audit.status == "running") {
                    audit.status = "pending";
                }
                (self.status, self.waits, self.epoch, self.handed) = ("running", false, self.epoch + 1, false);
                self.told.push("job:taken");
            }
        }
        (self.holder, self.quiet) = (Some(did.run), 0);
        Ok(())
    }

    fn enters(&mut self, did: &Did, phase: &'static str) -> Result<(), &'static str> {
        if self.status == "completed" && phase == "completed" {
            return Ok(());
        }
        self.works(did)?;
        let unfinished = |late: bool| {
            let of = self.audits.iter().zip(AUDITS_OF_JOB).filter(|(_, (.., is_late))| late || !is_late);
            of.filter(|(audit, _)| !matches!(audit.status, "completed" | "failed")).count()
        };
        let blocked = || {
            let of = self.audits.iter().zip(AUDITS_OF_JOB);
            of.filter(|(audit, (_, _, blocks, _))| *blocks && audit.status == "failed").count() > 0
        };
        match way(self.phase, phase) {
            "=" if self.begun => return Ok(()),
            "order" => return Err("phase_order"),
            "audits" if unfinished(false) > 0 => return Err("agents_unfinished"),
            "all" if unfinished(true) > 0 => return Err("agents_unfinished"),
            "all" if blocked() => return Err("agent_failed"),
            "back" => {
                let again = self.audits.iter().any(|audit| audit.status == "failed" && audit.failures <= RETRIES);
                if self.steps_back >= STEPS_BACK || !(again || self.changes) {
                    return Err("phase_order");
                }
                self.steps_back += 1;
            }
            _ => {}
        }
        (self.phase, self.begun) = (phase, true);
        self.told.push("phase:changed");
        if phase == "completed" {
            (self.status, self.waits) = ("completed", false);
            self.told.push("job:completed");
        }
        Ok(())
    }

    fn starts(&mut self, did: &Did) -> Result<(), &'static str> {
        self.works(did)?;
        let (order, _, _, is_late) = AUDITS_OF_JOB[did.audit];
        let audit = self.audits[did.audit];
        match cell(AUDITS, audit.status, "start") {
            "=" => return Ok(()),
            "finished" => return Err("agent_finished"),
            "again" if audit.failures > RETRIES => return Err("agent_finished"),
            _ => {}
        }
        let own = if is_late { "synthesizing" } else { "agents-running" };
        let place = |phase: &str| PHASES.iter().position(|known| *known == phase);
        if place(own) < place(self.phase) {
            return Err("phase_order");
        }
        let before = self.audits.iter().zip(AUDITS_OF_JOB).filter(|(_, (other, ..))| *other < order);
        if before.into_iter().any(|(audit, _)| !matches!(audit.status, "completed" | "failed")) {
            return Err("agent_order");
        }
        if self.phase == "initializing" {
            (self.phase, self.begun) = ("agents-running", true);
            self.told.push("phase:changed");
        }
        self.audits[did.audit] =
            Audit { status: "running", attempt: audit.attempt + 1, timed_out: false, late: false, ran: 0, ..audit };
        self.told.push("agent:started");
        Ok(())
    }

    fn ends_audit(&mut self, did: &Did) -> Result<(), &'static str> {
        let audit = self.audits[did.audit];
        let status = if did.act == "succeed" { "completed" } else { "failed" };
        let is_said = audit.status == status && did.attempt.is_none_or(|attempt| attempt == audit.attempt);
        if self.status == "completed" && is_said {
            return Ok(());
        }
        self.works(did)?;
        // Another run may have the job now.
        let audit = self.audits[did.audit];
        match did.attempt {
            Some(attempt) if attempt == 0 || attempt > audit.attempt => return Err("agent_not_started"),
            Some(attempt) if attempt < audit.attempt => return Err("agent_finished"),
            _ => {}
        }
        match cell(AUDITS, audit.status, did.act) {
            "=" => return Ok(()),
            "unbegun" => return Err("agent_not_started"),
            "finished" => return Err("agent_finished"),
            "late" if !audit.timed_out => return Err("agent_finished"),
            _ => {}
        }
        let late = audit.status == "failed";
        let failures = audit.failures + u32::from(status == "failed");
        self.audits[did.audit] = Audit { status, failures, late, timed_out: false, ..audit };
        self.told.push(if status == "failed" { "agent:failed" } else { "agent:completed" });
        Ok(())
    }
}
