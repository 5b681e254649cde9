//! The settings: the one place where a setting is added. Its type, its default, its bounds, where it
//! stands on the page, and who may change it; everything else follows. Its words are those of its key in
//! `ui/locales/*/setting.ftl`.

use gate_core::QuietHours;

use crate::guard::Guard;
use crate::schema::{Shape, Tab, counted, number, settings};
use crate::values::Waits;

/// The tabs of the settings page, in their order.
pub const TABS: [Tab; 8] = [WAITING, NOTIFICATIONS, APPEARANCE, VOICE, PROMPTS, SESSIONS, STORAGE, NETWORK];

const WAITING: Tab = Tab("waiting");
const NOTIFICATIONS: Tab = Tab("notifications");
const APPEARANCE: Tab = Tab("appearance");
const VOICE: Tab = Tab("voice");
const PROMPTS: Tab = Tab("prompts");
const SESSIONS: Tab = Tab("sessions");
const STORAGE: Tab = Tab("storage");
const NETWORK: Tab = Tab("network");

const SECONDS: &str = "seconds";
const HOURS: &str = "hours";
const DAYS: &str = "days";
const MEGABYTES: &str = "megabytes";
const PIXELS: &str = "pixels";
const BACKUPS: &str = "backups";
const MINUTES: &str = "minutes";
const ROUNDS: &str = "rounds";

const DAY_SECONDS: i64 = 24 * 60 * 60;
const WEEK_SECONDS: i64 = 7 * DAY_SECONDS;

const THEMES: &[&str] = &["system", "light", "dark"];
/// The languages that there are catalogues of.
const LANGUAGES: &[&str] = &{
    let mut all = ["system"; gate_texts::LANGUAGES.len() + 1];
    let (_, languages) = all.split_at_mut(1);
    languages.copy_from_slice(&gate_texts::LANGUAGES);
    all
};
const SPOKEN: &[&str] = &[
    "auto", "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "no",
    "pl", "pt", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh",
];
/// How sure an approval has to be, the surest first.
const LEVELS: &[&str] = &["L3", "L2", "L1", "L0"];
const JOURNALS: &[&str] = &["auto", "wal", "rollback"];

settings! {
    /// How long agents wait, and for whom. An agent changes its own client's time alone.
    waiting: Waiting {
        clients: Waits = {}, Shape::Waiting { min: 5, max: WEEK_SECONDS };
            on WAITING, agents Change, applies Now;
        away_after_pending: u32 = 0, counted(0, 1000, ROUNDS);
            on WAITING, agents See, applies Now;
    }

    /// How the person is called. Agents change none of it.
    notifications: Notifications {
        enabled: bool = true, Shape::Switch;
            on NOTIFICATIONS, agents See, applies Now;
        sounds: bool = true, Shape::Switch;
            on NOTIFICATIONS, agents See, applies Now;
        quiet_hours: Option<QuietHours> = null, Shape::Hours;
            on NOTIFICATIONS, agents See, applies Now;
    }

    /// What the windows look like, and how they come up.
    window: Window {
        raise: bool = true, Shape::Switch;
            on NOTIFICATIONS, agents See, applies Now;
        undo_seconds: u8 = 5, counted(0, 30, SECONDS);
            on WAITING, agents See, applies Now [guard Guard::AtLeast];
        theme: String = "system", Shape::Choice(THEMES);
            on APPEARANCE, agents Change, applies Now;
        font_size: u8 = 14, counted(11, 24, PIXELS);
            on APPEARANCE, agents Change, applies Now;
        language: String = "system", Shape::Choice(LANGUAGES);
            on APPEARANCE, agents Change, applies Now;
        reduced_motion: bool = false, Shape::Switch;
            on APPEARANCE, agents Change, applies Now;
        always_on_top: bool = false, Shape::Switch;
            on APPEARANCE, agents Change, applies Now;
        hotkey: String = "CmdOrCtrl+Alt+G", Shape::Keys;
            on APPEARANCE, agents See, applies NextStart;
        start_at_login: Option<bool> = null, Shape::Switch;
            on APPEARANCE, agents See, applies NextStart;
    }

    /// How requests are looked at.
    review: Review {
        require_seen: bool = false, Shape::Switch;
            on WAITING, agents See, applies Now [guard Guard::Demand];
        pool_at_once: u32 = 2, number(1, 10);
            on WAITING, agents None, applies Now;
        pool_minutes: u32 = 10, counted(1, 60, MINUTES);
            on WAITING, agents None, applies Now;
        pool_a_day: u32 = 100, number(1, 10_000);
            on WAITING, agents None, applies Now;
    }

    /// Agents that ask whether they may. Agents change none of it.
    permissions: Permissions {
        enabled: bool = true, Shape::Switch;
            on WAITING, agents See, applies Now;
        wait_seconds: u32 = 590, counted(10, 590, SECONDS);
            on WAITING, agents See, applies Now;
        raise: bool = false, Shape::Switch;
            on NOTIFICATIONS, agents See, applies Now;
        sound: bool = true, Shape::Switch;
            on NOTIFICATIONS, agents See, applies Now;
    }

    /// Speaking replies. Agents change none of it: what is heard is the person's word. Which microphone listens,
    /// when, and where models come from is none of their business.
    voice: Voice {
        enabled: bool = true, Shape::Switch;
            on VOICE, agents See, applies Now;
        model: String = "", Shape::Text;
            on VOICE, agents See, applies Now;
        language: String = "auto", Shape::Choice(SPOKEN);
            on VOICE, agents See, applies Now;
        microphone: String = "", Shape::Text;
            on VOICE, agents None, applies Now;
        armed: bool = true, Shape::Switch;
            on VOICE, agents None, applies Now;
        hotkey: String = "", Shape::Keys;
            on VOICE, agents See, applies NextStart;
        commands: bool = false, Shape::Switch;
            on VOICE, agents See, applies Now;
        longest_minutes: u8 = 10, counted(1, 60, MINUTES);
            on VOICE, agents See, applies Now;
        vocabulary: Vec<String> = [], Shape::Words;
            on VOICE, agents See, applies Now;
        mirror: String = "", Shape::Address;
            on VOICE, agents None, applies Now [guard Guard::Text];
        unload_minutes: u8 = 5, counted(1, 240, MINUTES);
            on VOICE, agents See, applies Now;
    }

    /// Where prompts come from. Agents change none of it: prompts say what agents are told to do.
    prompts: Prompts {
        folder: String = "", Shape::Text;
            on PROMPTS, agents See, applies Now;
        repository: String = "", Shape::Text;
            on PROMPTS, agents None, applies Now [guard Guard::Text];
        branch: String = "", Shape::Text;
            on PROMPTS, agents None, applies Now;
        subfolder: String = "", Shape::Text;
            on PROMPTS, agents None, applies Now;
        interval_seconds: u32 = 300, counted(30, DAY_SECONDS, SECONDS);
            on PROMPTS, agents See, applies Now;
        pin: String = "", Shape::Text;
            on PROMPTS, agents None, applies Now;
        token: String = "", Shape::Text;
            on PROMPTS, agents None, applies Now, secret;
        own_credentials: bool = false, Shape::Switch;
            on PROMPTS, agents None, applies Now [guard Guard::Switch];
        webhook_secret: String = "", Shape::Text;
            on PROMPTS, agents None, applies Now, secret;
    }

    /// When a session's status changes.
    sessions: Sessions {
        timeout_seconds: u32 = 300, counted(1, WEEK_SECONDS, SECONDS);
            on SESSIONS, agents See, applies Now;
        stale_seconds: u32 = 30, counted(1, DAY_SECONDS, SECONDS);
            on SESSIONS, agents See, applies Now;
        forget_seconds: u32 = 3600, counted(1, WEEK_SECONDS, SECONDS);
            on SESSIONS, agents See, applies Now;
    }

    /// How the record is kept.
    storage: Storage {
        backups: u32 = 5, counted(0, 100, BACKUPS);
            on STORAGE, agents See, applies Now;
        backup_hours: u32 = 24, counted(1, 31 * 24, HOURS);
            on STORAGE, agents See, applies Now;
        keep_days: Option<u32> = null, counted(1, 36_500, DAYS);
            on STORAGE, agents See, applies Now;
        max_megabytes: Option<u32> = null, counted(10, 1_000_000, MEGABYTES);
            on STORAGE, agents See, applies Now;
        journal: String = "auto", Shape::Choice(JOURNALS);
            on STORAGE, agents See, applies NextStart;
    }

    /// How the gate is reached over HTTP, and by whom.
    network: Network {
        http: bool = true, Shape::Switch;
            on NETWORK, agents See, applies NextStart;
        port: u16 = 8321, number(0, 65_535);
            on NETWORK, agents See, applies NextStart;
        allowed_hosts: Vec<String> = [], Shape::Hosts;
            on NETWORK, agents See, applies Now [guard Guard::Entries];
        allowed_origins: Vec<String> = [], Shape::Origins;
            on NETWORK, agents See, applies Now [guard Guard::Entries];
    }

    /// Who answers for the person: each is a guard, told where it is weak. Without a value, the first two are as the gate
    /// was started.
    security: Security {
        scripted_answers: Option<bool> = null, Shape::Switch;
            on NETWORK, agents None, applies Now [guard Guard::Switch];
        terminal_answers: Option<bool> = null, Shape::Switch;
            on NETWORK, agents None, applies Now [guard Guard::Switch];
        require: String = "L1", Shape::Choice(LEVELS);
            on NETWORK, agents None, applies Now [guard Guard::Words(LEVELS)];
        require_for: Vec<String> = [], Shape::Rules;
            on NETWORK, agents None, applies Now [guard Guard::Rules];
        review_rules: Vec<String> = [], Shape::ReviewRules;
            on NETWORK, agents None, applies Now [guard Guard::ReviewRules];
        pool: Vec<String> = [], Shape::Programs;
            on NETWORK, agents None, applies Now [guard Guard::Entries];
        pool_unsheltered: Option<bool> = null, Shape::Switch;
            on NETWORK, agents None, applies Now [guard Guard::Switch];
    }
}
