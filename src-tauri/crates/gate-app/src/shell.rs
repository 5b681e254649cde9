//! What a shell asks of the gate besides commands, in the words of windows, tray and notifications: each a line that
//! leads to the slice that knows.

use std::sync::Arc;
use std::time::Duration;

use gate_api::subjects::person::SetDoNotDisturb;
use gate_api::subjects::{program, voice};
use gate_api::{Event, Origin, RequestSummary};
use gate_core::{AnsweredFrom, Digest, Fault, RequestId};
use gate_settings::Settings;
use tokio::sync::broadcast;

use crate::link_page::LinkPage;
use crate::slices::Gate;
use crate::slices::person::attention::{Asked, Attention, Move, Window};
use crate::slices::person::{Glance, QuietFor};
use crate::slices::requests::{Notice, QuickReply};

impl Gate {
    /// Asks the gate to stop; [`crate::Running::stopped`] resolves.
    pub fn stop(&self) {
        self.inner.bus.stop().cancel();
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.inner.bus.events()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.inner.settings.in_force()
    }

    /// Where HTTP is served, e.g. `http://127.0.0.1:8321`; absent where it isn't.
    #[must_use]
    pub fn http(&self) -> Option<&str> {
        self.inner.host.http.as_deref()
    }

    /// Something that the person should know of, now and whenever a window opens.
    pub fn warn(&self, fault: Fault) {
        self.inner.bus.warn(fault);
    }

    /// What was warned of no longer holds.
    pub fn take_back_warning(&self, gone: &Fault) {
        self.inner.bus.take_back_warnings(&[gone]);
    }

    /// Number of pending requests.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.inner.queue.board.len()
    }

    /// How things are at a glance.
    #[must_use]
    pub fn at_a_glance(&self) -> Glance {
        self.inner.person.at_a_glance()
    }

    /// What a request does that has just come in. Nobody has typed or clicked for `idle`; absent where the system
    /// doesn't say.
    #[must_use]
    pub fn attention(&self, request: &RequestSummary, window: Window, idle: Option<Duration>) -> Attention {
        self.inner.person.attention(request, window, idle)
    }

    /// What a request does that is due again; nothing when it no longer waits.
    #[must_use]
    pub fn attention_again(&self, request: RequestId, window: Window, idle: Option<Duration>) -> Attention {
        self.inner.person.attention_again(request, window, idle)
    }

    /// What becomes of the window that is asked for, by a start of the app or by another program, while nobody has typed or
    /// clicked for `idle`. Where it comes up, the event that raises it follows.
    #[must_use]
    pub fn raise_asked(&self, starts: bool, window: Window, idle: Option<Duration>) -> Asked {
        let wanted = self.inner.person.raise_asked(starts, window, idle);
        if wanted == Asked::Now(Move::Raise) {
            self.inner.bus.emit(program::Event::Raise { request_id: None, by_person: false });
        }
        wanted
    }

    /// What those requests do that wait already when the app starts hidden, in their order.
    #[must_use]
    pub fn attention_at_start(&self, idle: Option<Duration>) -> Vec<(RequestId, Attention)> {
        self.inner.person.attention_at_start(idle)
    }

    /// Switches do-not-disturb.
    ///
    /// # Errors
    /// When that can't be stored.
    pub async fn do_not_disturb(&self, quiet: QuietFor) -> Result<(), Fault> {
        let bus = &self.inner.bus;
        let now = bus.now();
        let (on, until) = (quiet != QuietFor::Off, quiet.until(now, bus.local_offset(now)));
        self.execute(SetDoNotDisturb { on, until }, Origin::Desktop).await.map(drop)
    }

    /// What a notification shows of a request; absent for one that no longer waits.
    ///
    /// # Errors
    /// When the record can't be read.
    pub async fn notice_of(&self, request_id: RequestId) -> Result<Option<Notice>, Fault> {
        self.inner.requests.notice_of(request_id).await
    }

    /// Answers a request with one of its options, as a click on the button of a notification with this digest does.
    ///
    /// # Errors
    /// `unknown_request`, `not_pending` and `changed_question`, `invalid_input` for what is no quick reply of this
    /// request.
    pub async fn quick_reply(&self, request_id: RequestId, digest: Digest, label: &str) -> Result<QuickReply, Fault> {
        let Some(draft) = self.inner.requests.quick_reply(request_id, label).await? else {
            return Ok(QuickReply::Begun);
        };
        let (requests, given) = (&self.inner.requests, AnsweredFrom::Notification.into());
        self.inner.person.acted().await;
        let sent = requests.answer_from_window(request_id, digest, None, &draft, given).await;
        self.inner.conversations.notice_damage(sent.as_ref().err());
        sent.map(|()| QuickReply::Sent)
    }

    /// Brings the review window to the front where there is one, as the person has it done: by the hotkey, the tray, a
    /// notification, another window.
    pub fn raise(&self, request_id: Option<RequestId>) {
        self.inner.bus.emit(program::Event::Raise { request_id, by_person: true });
    }

    /// A file that leads a browser to this link, for as long as the result is there.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn link_page(&self, url: &str) -> Result<LinkPage, Fault> {
        LinkPage::leading_to(self.inner.host.home.data_folder(), url)
    }

    /// The keys that are held to speak went down or up.
    pub fn voice_key(&self, down: bool) {
        self.inner.bus.emit(voice::Event::VoiceKey { down });
    }
}
