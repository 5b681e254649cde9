//! What a gate of a home would go by, for commands that need none.

use gate_link::Home;
use gate_settings::{Overlay, Settings, SettingsFile, Values};

/// The settings of `config.yaml` and of the environment.
pub(crate) fn of(home: &Home) -> Settings {
    SettingsFile::at(home.config_file()).load(&Overlay::of_process(Values::new())).settings
}
