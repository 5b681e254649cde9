//! The shell: tray, window and their commands around a running gate. It forwards; what a request
//! means is decided in `gate-app`.

mod arguments;
mod browser;
mod commands;
mod events;
mod folder;
mod hands;
mod hotkey;
mod login;
mod notices;
mod outside;
mod places;
mod quitting;
#[cfg(target_os = "linux")]
mod seat;
mod sound;
mod tray;
mod window;
mod wish;
mod words;

use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gate_api::ControlRequest;
use gate_api::subjects::program::Raise;
use gate_app::attention::{Move, Raising};
use gate_app::{Gate, RunOptions, Running, Started};
#[cfg(target_os = "linux")]
use gate_core::Code;
use gate_core::Fault;
use gate_link::{ControlConnection, Home, LinkError};
use tauri::{AppHandle, Manager as _, RunEvent, WindowEvent};

use crate::arguments::Arguments;
use crate::hands::Hands;
use crate::places::Places;

/// The file below the home's data that keeps the windows' places.
const WINDOWS_FILE: &str = "windows.json";
/// How long an app that was started at the same moment may take to open its gate.
const OTHER_OPENS: Duration = Duration::from_secs(10);
/// How often that is looked at.
const OTHER_POLL: Duration = Duration::from_millis(20);

/// Runs the desktop app until it is quit.
#[must_use]
pub fn main() -> ExitCode {
    if let Err(error) = gate_link::begin_anew(cfg!(feature = "conformance")) {
        return arguments::print_fault(&error.fault());
    }
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(text) => return arguments::print(&text),
    };
    #[cfg(target_os = "linux")]
    {
        make_slim();
        // What panels call the tray icon. Without it they say the program's file.
        gtk::glib::set_application_name("Review Gate");
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => arguments::print_fault(&fault),
    }
}

fn run(arguments: &Arguments) -> Result<(), Fault> {
    check_display()?;
    let home = Home::from_env().map_err(|error| error.fault())?;
    home.create().map_err(|error| error.fault())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Fault::internal(error.to_string()))?;
    tauri::async_runtime::set(runtime.handle().clone());
    let _log = gate_app::logging::start(home.logs_folder());
    let options = RunOptions::new(home.clone(), true, command_path());
    #[cfg(target_os = "linux")]
    let options = RunOptions { seat: seat::of_windows(home.data_folder()), ..options };
    // The gate opens before the toolkit starts: an agent that waits for it gets its answer first.
    match runtime.block_on(gate_app::start(options))? {
        Started::Gate(running) => show(arguments, &runtime, &home, running),
        Started::AlreadyRunning if arguments.hidden => Ok(()),
        Started::AlreadyRunning => runtime.block_on(raise_the_other(&home)),
    }
}

fn show(arguments: &Arguments, runtime: &tokio::runtime::Runtime, home: &Home, running: Running) -> Result<(), Fault> {
    let gate = running.gate.clone();
    // Listening comes before looking: a request that comes in meanwhile, as the one that had the app
    // started does, is then seen by one of them.
    let events = gate.events();
    let hands = Hands::of_this_system();
    let waiting = gate.attention_at_start(hands.idle());
    let opens = !arguments.hidden && (!is_below_an_agent() || Raising::after(hands.idle()) == Raising::Free);
    let visible = opens || waiting.iter().any(|(_, attention)| attention.window == Move::Raise);
    let tray_pictures = tray::pictures(home);
    let builder = tauri::Builder::default();
    #[cfg(not(target_os = "linux"))]
    let builder = builder
        .plugin(tauri_plugin_autostart::Builder::new().args(["--hidden"]).build())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init());
    let app = builder
        .manage(gate.clone())
        .manage(words::spoken(&gate.settings().window.language))
        .manage(hands)
        .manage(wish::Wish::default())
        .manage(window::Shown::default())
        .manage(window::MainWindow::default())
        .manage(window::Spots(Mutex::new(Places::read(&home.data_folder().join(WINDOWS_FILE)))))
        .manage(notices::Notices::default())
        .manage(login::AtLogin::default())
        .invoke_handler(tauri::generate_handler![
            commands::gate,
            commands::hide_window,
            commands::open_in_browser,
            commands::open_link,
            commands::open_main,
            commands::open_settings,
            commands::show_in_folder,
            commands::show_review,
            commands::window_ready
        ])
        .setup(move |app| {
            // In the menu bar alone, as its Info.plist says; without a bundle nothing else does.
            #[cfg(target_os = "macos")]
            app.set_activation_policy(tauri::ActivationPolicy::Accessory);
            let gate = app.state::<Gate>().inner().clone();
            let app = app.handle();
            let theme = window::create(app, &gate.settings(), visible)?;
            if let Err(fault) = login::follow(app, gate.settings().window.start_at_login) {
                gate.warn(fault);
            }
            tray::create(app, theme, tray_pictures)?;
            notices::prepare(app);
            hotkey::register(app, &gate);
            for (request, attention) in waiting {
                if attention.notify && !visible {
                    let (app, gate) = (app.clone(), gate.clone());
                    tauri::async_runtime::spawn(async move { notices::show(&app, &gate, request).await });
                }
            }
            tauri::async_runtime::spawn(events::forward(app.clone(), gate, events));
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| Fault::internal(format!("The window can't be opened: {error}.")))?;
    let handle = app.handle().clone();
    let stopped = runtime.spawn(async move {
        running.stopped().await;
        handle.exit(0);
    });
    stop_when_told(runtime, gate.clone());
    app.run(move |app, event| match event {
        RunEvent::WindowEvent { event, label, .. } => follow(app, &label, &event),
        RunEvent::ExitRequested { code: None, api, .. } => api.prevent_exit(),
        RunEvent::ExitRequested { code: Some(_), .. } => window::remember_all(app),
        RunEvent::Exit => tray::end(app),
        _ => {}
    });
    gate.stop();
    // Give the store the time to fold its log into the file.
    let _ = runtime.block_on(stopped);
    Ok(())
}

/// Something happened to a window.
fn follow(app: &AppHandle, label: &str, event: &WindowEvent) {
    match event {
        // Closing the review window only hides it: the gate goes on, and the tray brings it back.
        WindowEvent::CloseRequested { api, .. } if label == window::REVIEW => {
            api.prevent_close();
            window::hide(app);
        }
        WindowEvent::CloseRequested { .. } => {
            if let Some(window) = app.get_webview_window(label) {
                window::remember(&window);
            }
        }
        WindowEvent::Focused(true) if label == window::REVIEW => notices::clear(app),
        WindowEvent::ThemeChanged(theme) => tray::theme_changed(app, *theme),
        _ => {}
    }
}

/// What it is told as a gate without windows is, but for the end of the terminal that it was started in: `nohup` keeps it.
#[cfg(unix)]
fn stop_when_told(runtime: &tokio::runtime::Runtime, gate: Gate) {
    use tokio::signal::unix::{SignalKind, signal};
    runtime.spawn(async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        gate.stop();
    });
}

#[cfg(windows)]
fn stop_when_told(runtime: &tokio::runtime::Runtime, gate: Gate) {
    runtime.spawn(async move {
        if gate_os::programs::told_to_end().await.is_ok() {
            gate.stop();
        }
    });
}

/// Whether an agent has started this app, as far as can be seen. Whoever else has is shown the window: what a menu or a
/// desktop starts for a person may be below a shell or a script.
fn is_below_an_agent() -> bool {
    gate_link::this_process().is_some_and(|lineage| lineage.is_below_an_agent(|_| false))
}

/// Starting the app twice brings the first one's window to the front, as far as the gate lets it.
async fn raise_the_other(home: &Home) -> Result<(), Fault> {
    let deadline = Instant::now() + OTHER_OPENS;
    let mut connection = loop {
        match ControlConnection::open(home, false).await {
            Ok(connection) => break connection,
            // It has the lock but doesn't listen yet: it is just starting too.
            Err(LinkError::Unreachable { .. }) if Instant::now() < deadline => tokio::time::sleep(OTHER_POLL).await,
            Err(error) => return Err(error.fault()),
        }
    };
    let line = ControlRequest::line(1, &Raise {}).map_err(|error| Fault::internal(error.to_string()))?;
    connection.send_line(&line).await.map_err(|error| error.fault())?;
    connection.next_line().await.map_err(|error| error.fault())?;
    Ok(())
}

/// What GTK, WebKit and its JavaScriptCore read from the environment only, here and in their processes.
///
/// The first three keep them from preparing to share pictures with a GPU, megabytes that nothing here
/// draws with (see `window::linux`). Naming no device keeps WebKit in this process from asking Mesa
/// for one, which alone is 20 MB; the page's process asks for its own and needs it.
///
/// The others are how often a function or a loop has run before it is compiled, a hundred times what is usual. What a
/// window does to show a request seldom runs that often, and without the compilers its page is megabytes smaller; what
/// colours a large file is compiled a moment later. A WebKit that doesn't know one of them ignores it.
///
/// What the person has set stays as it is: on their graphics it may be what makes a window come up at all.
#[cfg(target_os = "linux")]
const SWITCHES: &[(&str, &str)] = &[
    ("GDK_GL", "disable"),
    ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
    ("WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null"),
    ("JSC_thresholdForJITAfterWarmUp", "50000"),
    ("JSC_thresholdForJITSoon", "20000"),
];

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "these are read from the environment only; see SAFETY")]
fn make_slim() {
    for (name, value) in SWITCHES.iter().filter(|(name, _)| std::env::var_os(name).is_none()) {
        // SAFETY: the first thing that the process does; no other thread is there to read the
        // environment.
        unsafe { std::env::set_var(name, value) };
    }
}

/// Without a display there must be no gate of this process: whoever started it tries `serve` next.
#[cfg(target_os = "linux")]
fn check_display() -> Result<(), Fault> {
    gtk::init().map_err(|error| {
        Fault::new(
            Code::Internal,
            format!("No window can be shown: {error}."),
            "Run `review-gate serve` here, and answer with `review-gate requests` and `review-gate answer`.",
        )
    })
}

#[cfg(not(target_os = "linux"))]
fn check_display() -> Result<(), Fault> {
    Ok(())
}

/// The command line program beside this one, as a client's configuration should name it.
fn command_path() -> String {
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("review-gate"));
    beside.filter(|path| path.exists()).map_or_else(|| "review-gate".to_owned(), |path| path.display().to_string())
}
