//! What findings say: each sentence by a name, as a phrase of the catalogue `finding.ftl`.

use gate_api::{Phrase, PhraseValue};

/// Makes of each name a function that gives its phrase, with what is put into it, and the list of all. The phrase's
/// id is the name with dashes, after `finding-`.
macro_rules! words {
    ($($name:ident($($value:ident),*);)*) => {
        $(pub(crate) fn $name($($value: impl Into<PhraseValue>),*) -> Phrase {
            phrase(stringify!($name))$(.with(stringify!($value), $value))*
        })*

        /// Every phrase, each value by its own name.
        #[cfg(test)]
        fn all() -> Vec<Phrase> {
            vec![$($name($(stringify!($value)),*)),*]
        }
    };
}

words! {
    // What needs no words: a path, a name, what a fault says.
    as_it_is(text);

    // What several checks say.
    cant_start(program, error);
    cant_read(path, error);
    cant_see(path, error);
    cant_write(path, error);
    no_folder(path);
    no_file(path);
    first_start();
    not_executable(program);
    version(program, version);
    mend_executable();
    mend_make_new();
    mend_move_what_is_there();
    mend_other_home();
    mend_restart_gate();
    mend_write_entry();

    // Prompts.
    prompts_not_fetched(cause, at);
    prompts_never_fetched(cause);
    prompts_broken(count);
    prompts_served(count);
    mend_prompts();

    // The programs.
    program_missing();
    program_same_version(found, ours);
    program_other_version(found, theirs, program, ours);
    program_another(found);
    program_ends(found, code, words);
    program_silent(found, seconds);
    program_cant_start(found, error);
    mend_link();
    mend_path_there(folder);
    mend_path();
    desktop_missing();
    desktop_other_version(program, theirs, ours);
    desktop_ends(program, code, words);
    desktop_silent(program, seconds);
    libraries_good();
    library_missing(library);
    mend_desktop();
    mend_same_package();
    mend_library();
    mend_install_anew();

    // What other programs of this user may do.
    others_kept_out();
    others_type(device);
    others_look_in();
    others_replace(folder);
    others_glib(version);
    others_root_group(group);
    others_root_sudo();
    mend_others_type();
    mend_others_look_in();
    mend_others_replace();
    mend_others_glib();
    mend_others_root();

    // What the system confirms.
    system_confirms(version, key);
    system_absent();
    mend_system();

    // The folders.
    disk_local();
    disk_network(folder);
    disk_full(folder, error);
    disk_read_only(folder);
    disk_left(megabytes, folder);
    disk_unknown();
    home_not_yet(folder);
    of_another_user(path, owner, ours);
    others_enter(folder, mode);
    others_read(file, mode);
    socket_not_yet();
    socket_in_the_way(path);
    token_empty(path);
    mend_free_space();
    mend_no_space();
    mend_little_space();
    mend_disk_writable();
    mend_yours();
    mend_yours_alone();
    mend_yours_and_writable();
    mend_folder_yours();
    mend_socket_folder();
    mend_move();
    mend_token_read();
    mend_token_empty();

    // The settings.
    settings_none();
    settings_more(count);
    mend_entries();

    // The running gate.
    gate_with_window(pid, version, waiting);
    gate_without_window(pid, version, waiting);
    gate_other_version(theirs, ours);
    gate_none();
    gate_silent(pid);
    lock_held();
    lock_free();
    lock_stuck(pid);
    socket_left(pid);
    person_away();
    person_quiet();
    guards_weak(what);
    mend_guards();
    receipts_whole(lines);
    receipts_broken(breaks, lost);
    receipts_unread();
    mend_receipts();
    heard_none();
    heard(agent, transport, token, protocol, declared, seconds, last);
    window_there();
    window_missing();
    window_none();
    mend_end_gate();
    mend_end_holder();
    mend_start_again();
    mend_stop_older();
    mend_away();
    mend_quiet();
    mend_window();

    // The HTTP port.
    http_off();
    http_not_served();
    http_answers(url);
    http_another(url);
    http_unreachable(url, error);
    http_silent(url, seconds);
    port_taken(port, served);
    mend_restart();
    mend_http_another();
    mend_port();

    // The record.
    record_read_only(path);
    record_slow(seconds);
    record_large(megabytes);
    record_sound();
    record_counts(conversations, messages, waiting);
    record_unsound(problem);
    record_without_schema();
    record_behind();
    record_newer();
    backup_bad(name, problem, others);
    backups_off();
    backups_none(hours);
    backups_old(behind, hours);
    backups_good(count, hours);
    search_good();
    search_empty();
    search_none(file);
    search_not_yet();
    mend_writable();
    mend_record();
    mend_newer();
    mend_backups_off();
    mend_backups_old();
    mend_search();

    // The desktop.
    systems_own();
    display_reached(display);
    display_unreachable(tried);
    display_unnamed();
    display_none();
    desktop_unneeded();
    bus_unnamed();
    bus_unreachable(error);
    bus_silent(seconds);
    bus_missing();
    notifications_run();
    notifications_on_demand();
    notifications_none();
    tray_there();
    tray_none();
    mend_display();
    mend_display_unnamed();
    mend_session();
    mend_notifications();
    mend_tray();

    // Voice.
    voice_off();
    voice_missing(name, program);
    voice_other_version(program, theirs, ours);
    voice_ends(program, words);
    voice_hangs(program);
    microphones(name, others);
    microphone_unneeded();
    microphone_none();
    microphone_no_device();
    microphone_unplugged(server);
    microphone_closed(count, server);
    model_cut(name, bytes, whole);
    model_none();
    model_missing(name);
    model_no_detector();
    mend_install_all();
    mend_voice();
    mend_plug();
    mend_sound_server();
    mend_get();
    mend_get_again();
    mend_model_none();
    mend_model_missing();

    // Clients.
    clients_none();
    clients_unconnected(clients);
    clients_in_folders(client, folders);
    mend_connect_everywhere();
    clients_others(clients);
    entry_of_v2(file, name);
    entry_again(file, count, others, last);
    entry_good(file, command);
    entry_empty(file);
    entry_time_out(client, file);
    entry_asks_first(client);
    entry_may_ask(client);
    entry_not_on_path(file, command);
    entry_missing(file, command);
    entry_not_executable(file, command);
    entry_no_server(file, command);
    entry_other_home(file, theirs, ours);
    entry_url(file, url);
    entry_url_elsewhere(file, url, served);
    entry_url_unserved(file, url);
    mend_clients_none();
    mend_connect();
    mend_take_over();
    mend_leave_one();
    mend_entry_empty();
    mend_time_out();
    mend_asks_first();
    mend_entry_path();
    mend_entry_home();
    mend_entry_url();

    // Permission questions.
    questions_good(file, milliseconds);
    questions_untried(file);
    questions_tool(file);
    questions_unasked(file, milliseconds, why);
    questions_other_home(file, theirs, ours);
    questions_foreign(file);
    questions_silent(file, command, seconds);
    questions_ended(file, command, code, words);
    questions_printed(file, command, words);
    questions_lost(file, command);
    questions_there(client);
    questions_missing(client, file, program);
    questions_unknown(client, file, program);
    questions_untrusted(client, file);
    questions_twice(client, files);
    mend_questions_there();
    mend_questions_anew();
    mend_questions_untrusted(client);
    mend_questions_on();
    mend_questions_twice();

    // Trials.
    trial_good(tools, milliseconds);
    trial_other_version(theirs, ours);
    trial_without_gate();
    trial_too_many(count);
    trial_silent(command, asked, seconds);
    trial_ended(command, asked, code, words);
    trial_no_mcp(command, words);
    trial_no_answer(command, count);
    trial_refused(command, asked, words);
    trial_another(command, name);
    trial_no_chat(command);
    mend_trial_other_version();
    mend_trial_refused();

    // The test request.
    seen_in_window(seconds);
    seen_in_browser(seconds);
    seen_in_terminal(seconds);
    seen_by_script(seconds);
    seen_in_notification(seconds);
    seen_closed(seconds);
    unseen(seconds);
    unseen_without_window(seconds);
    mend_unseen();
    mend_browser();
}

fn phrase(name: &str) -> Phrase {
    Phrase::new(format!("finding-{}", name.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use gate_texts::{LANGUAGES, Texts, testing};

    use super::*;

    #[test]
    fn the_catalogues_have_all_that_findings_say_and_nothing_else() {
        assert_eq!(testing::differences("finding", all()), Vec::<String>::new());
    }

    #[test]
    fn no_language_leaves_a_finding_in_english() {
        let english = Texts::english();
        for texts in LANGUAGES.into_iter().filter_map(Texts::of).filter(|texts| texts.tag() != english.tag()) {
            // What needs no words is the same in every language.
            for said in all().iter().filter(|said| **said != as_it_is("text")) {
                assert!(texts.has(&said.id), "{} lacks {}", texts.tag(), said.id);
                assert_ne!(texts.phrase(said), english.phrase(said), "{} says it in English: {}", texts.tag(), said.id);
            }
        }
    }

    #[test]
    fn a_terminal_is_told_in_english_what_there_is_and_what_is_not() {
        let none = None::<&str>;
        for (said, text) in [
            (socket_left(none), "The last gate was killed or broke down, and left its socket behind."),
            (
                socket_left(Some("41234")),
                "The last gate, process 41234, was killed or broke down, and left its socket behind.",
            ),
            (settings_more(1_usize), "1 more entry is wrong."),
            (settings_more(12_usize), "12 more entries are wrong."),
            (
                model_cut("small", 487_601_966_u64, 487_601_967_u64),
                "small has 487601966 bytes instead of 487601967: it is cut off, or another file.",
            ),
            (
                trial_ended("gate", "initialize", Some("7"), Some("no library")),
                "gate was started and didn't answer `initialize`: it ended with code 7. It said: no library",
            ),
            (
                trial_ended("gate", "initialize", Some("0"), none),
                "gate was started and didn't answer `initialize`: it ended with code 0. It said nothing.",
            ),
            (
                questions_unasked("f", 9_u64, "off"),
                "f has its agents ask here whether they may do something; a trial came here in 9 ms. Nobody would be asked \
                 now: such questions are switched off here.",
            ),
            (
                questions_ended("f", "gate", Some("7"), none),
                "f has its agents ask here whether they may do something by gate, which ended with code 7 on a trial. It \
                 said nothing.",
            ),
            (
                heard(Some("Codex 1.2"), Some("http"), Some("0"), Some("2025-11-25"), none, 50_u64, "today"),
                "Codex 1.2 over http, token 0, protocol 2025-11-25, declares nothing; waits 50 s, last today",
            ),
            (
                heard(none, none, none, none, none, 50_u64, "today"),
                "An agent over a terminal, protocol unknown, declares nothing; waits 50 s, last today",
            ),
        ] {
            assert_eq!(Texts::english().phrase(&said), text);
        }
    }
}
