//! The settings: parse, one call.

use gate_api::subjects::settings::{
    ExportSettings, Handler, ImportSettings, PreviewSettingsImport, ReadSettings, SaveSettings, SettingsImportPreview,
    SettingsText, UndoSettingChange, UndoSettings, WeakenGuard,
};
use gate_api::{Origin, SettingsView};
use gate_core::Fault;

use crate::slices::Gate;

impl Handler for Gate {
    async fn settings(&self, _: ReadSettings, _: Origin) -> Result<SettingsView, Fault> {
        self.inner.settings.settings_view().await
    }

    async fn save_settings(&self, saved: SaveSettings, origin: Origin) -> Result<SettingsView, Fault> {
        self.inner.settings.save_settings(saved.values, saved.seen, origin).await
    }

    async fn weaken_guard(&self, weakened: WeakenGuard, origin: Origin) -> Result<SettingsView, Fault> {
        self.inner.settings.weaken_guard(weakened.key, weakened.value, origin).await
    }

    async fn undo_settings(&self, _: UndoSettings, origin: Origin) -> Result<SettingsView, Fault> {
        self.inner.settings.undo_settings(origin).await
    }

    async fn undo_setting_change(&self, undone: UndoSettingChange, origin: Origin) -> Result<SettingsView, Fault> {
        self.inner.settings.undo_setting_change(undone.change_id, origin).await
    }

    async fn preview_settings_import(
        &self,
        asked: PreviewSettingsImport,
        _: Origin,
    ) -> Result<SettingsImportPreview, Fault> {
        let (differences, problems) = self.inner.settings.settings_differences(asked.text).await?;
        Ok(SettingsImportPreview { differences, problems })
    }

    async fn import_settings(&self, imported: ImportSettings, origin: Origin) -> Result<SettingsView, Fault> {
        self.inner.settings.import_settings(imported.text, origin).await
    }

    async fn export_settings(&self, _: ExportSettings, _: Origin) -> Result<SettingsText, Fault> {
        Ok(SettingsText { text: self.inner.settings.export_settings().await? })
    }
}
