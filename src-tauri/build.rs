//! Generates the Tauri context. The commands are named here, so that a window can call only those
//! that its capability lists.

/// Commands of the shell; `src-tauri/capabilities` says which window may call them.
const COMMANDS: &[&str] = &["gate", "hide_window", "open_link", "open_main", "show_review", "window_ready"];

fn main() {
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*.json")
        .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}
