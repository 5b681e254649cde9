//! The question whether to quit while requests are waiting. `review-gate stop` and signals don't ask.

use gate_app::Gate;
use gate_texts::Texts;
use tauri::{AppHandle, Manager as _};

/// Quits, after asking where something is waiting.
pub(crate) fn quit(app: &AppHandle) {
    let gate = app.state::<Gate>();
    match gate.pending() {
        0 => gate.stop(),
        pending => {
            let question = Question::of(&app.state::<Texts>(), pending);
            let gate = gate.inner().clone();
            dialog::ask(app, question, move || gate.stop());
        }
    }
}

struct Question {
    title: String,
    text: String,
    quit: String,
    keep: String,
}

impl Question {
    fn of(words: &Texts, pending: usize) -> Self {
        Self {
            title: words.say("shell-quit-title"),
            text: words.tell("shell-quit-text", [("count", pending.into())]),
            quit: words.say("shell-quit-confirm"),
            keep: words.say("shell-quit-keep"),
        }
    }
}

#[cfg(target_os = "linux")]
mod dialog {
    //! GTK's own dialog. The official plugin runs a second loop of GTK in a thread of its own for it.

    use std::cell::RefCell;

    use gtk::prelude::{DialogExt as _, GtkWindowExt as _, MessageDialogExt as _, WidgetExt as _};
    use gtk::{ButtonsType, DialogFlags, MessageDialog, MessageType, ResponseType, WindowPosition};
    use tauri::AppHandle;

    use super::Question;

    thread_local! {
        /// The question that is asked; kept on the toolkit's thread.
        static ASKED: RefCell<Option<MessageDialog>> = const { RefCell::new(None) };
    }

    pub(super) fn ask(app: &AppHandle, question: Question, quit: impl FnOnce() + Send + 'static) {
        let asked = app.run_on_main_thread(move || show(&question, quit));
        if let Err(error) = asked {
            tracing::warn!(%error, "the question can't be asked");
        }
    }

    fn show(question: &Question, quit: impl FnOnce() + 'static) {
        if let Some(asked) = ASKED.with_borrow(Clone::clone) {
            return asked.present();
        }
        let nobody: Option<&gtk::Window> = None;
        let (kind, buttons) = (MessageType::Question, ButtonsType::None);
        let dialog = MessageDialog::new(nobody, DialogFlags::empty(), kind, buttons, &question.title);
        dialog.set_title(&question.title);
        dialog.set_secondary_text(Some(&question.text));
        dialog.add_button(&question.keep, ResponseType::Cancel);
        dialog.add_button(&question.quit, ResponseType::Accept);
        dialog.set_default_response(ResponseType::Cancel);
        dialog.set_position(WindowPosition::Mouse);
        let quit = RefCell::new(Some(quit));
        dialog.connect_response(move |dialog, answer| {
            ASKED.set(None);
            dialog.hide();
            if let (ResponseType::Accept, Some(quit)) = (answer, quit.take()) {
                quit();
            }
        });
        dialog.show_all();
        dialog.present();
        ASKED.set(Some(dialog));
    }
}

#[cfg(not(target_os = "linux"))]
mod dialog {
    use tauri::AppHandle;
    use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons};

    use super::Question;

    pub(super) fn ask(app: &AppHandle, question: Question, quit: impl FnOnce() + Send + 'static) {
        let buttons = MessageDialogButtons::OkCancelCustom(question.quit, question.keep);
        let dialog = app.dialog().message(question.text).title(question.title).buttons(buttons);
        dialog.show(move |sure| {
            if sure {
                quit();
            }
        });
    }
}
