//! What a gate of a home would go by, for commands that need none.

use gate_link::Home;
use gate_settings::{Held, Overlay, Settings, SettingsFile, Values};

/// The file of a home's settings.
pub(crate) fn file(home: &Home) -> SettingsFile {
    SettingsFile::at(home.config_file()).holding(Held::of_home(home.window_mark().exists()))
}

/// The settings of `config.yaml` and of the environment.
pub(crate) fn of(home: &Home) -> Settings {
    file(home).load(&Overlay::of_process(Values::new())).settings
}
