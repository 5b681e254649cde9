//! Generates the Tauri context. The commands are named here, so that a window can call only those
//! that its capability lists.

/// Commands of the shell; `src-tauri/capabilities` says which window may call them.
const COMMANDS: &[&str] = &[
    "gate",
    "hide_window",
    "open_in_browser",
    "open_link",
    "open_main",
    "open_settings",
    "show_in_folder",
    "show_review",
    "window_ready",
];

fn main() {
    pack_relocations();
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*.json")
        .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}

/// A relay runs for every agent, and the loader reads its whole table of relocations: half a megabyte
/// where it isn't packed. glibc knows packed ones since 2.36; a linker that doesn't ignores the option.
fn pack_relocations() {
    let is = |key: &str, value: &str| std::env::var(key).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        for program in ["review-gate", "review-gate-relay"] {
            println!("cargo::rustc-link-arg-bin={program}=-Wl,-z,pack-relative-relocs");
        }
    }
}
