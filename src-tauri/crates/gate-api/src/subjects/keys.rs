//! The security keys that approvals may be signed with.

use gate_core::RequestId;
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::{commands, events};

commands! {
    /// The security keys that are enrolled.
    security_keys: ListSecurityKeys {} -> SecurityKeys, by Anyone, Look;

    /// Enrols a security key, which the person has just confirmed. `invalid_input` where the file isn't a security key's
    /// or what signs with it isn't beside it.
    add_security_key: AddSecurityKey {
        /// The file of its public key on the gate's machine, e.g. `~/.ssh/id_ed25519_sk.pub`.
        file: String,
    } -> SecurityKeys, by Confirmer, Act;

    /// Removes a security key, which the person has just confirmed: it signs nothing from then on. What it signed before
    /// stays good. `invalid_input` where there is none of this name.
    remove_security_key: RemoveSecurityKey {
        /// Its name.
        key: String,
    } -> SecurityKeys, by Confirmer, Act;

    /// Begins to have a browser make a security key ready for the gate's page (WebAuthn). `invalid_input` where no page is
    /// served.
    begin_page_key: BeginPageKey {} -> PageKeyBegun, by Confirmer, Look;

    /// Enrols a key that the browser had made in the gate's page, which the person has just confirmed. `invalid_input` where
    /// what the browser says isn't that, or isn't of the key that was begun last.
    add_page_key: AddPageKey {
        /// What the person calls it; empty for nothing.
        name: String,
        /// The authenticator's data, base64 (RFC 4648, with padding).
        authenticator: String,
        /// What the browser says along with it, JSON as it wrote it, base64.
        client: String,
    } -> SecurityKeys, by Confirmer, Act;

    /// Gives the touch that `touch_wanted` asked for. Whether it counts is what the approval then answers. `not_signed` where
    /// nobody waits for it any longer.
    give_touch: GiveTouch {
        /// Of the approval of which request.
        request_id: RequestId,
        /// Which key was touched, by its credential, base64.
        credential: String,
        /// The authenticator's data, base64.
        authenticator: String,
        /// What the browser signed along with it, JSON as it wrote it, base64.
        client: String,
        /// The signature, base64.
        signature: String,
    } -> Done, by Confirmer, Act;

    /// Says that there will be no touch for `touch_wanted`: the approval ends as `not_signed`, and says why.
    no_touch: NoTouch {
        /// Of the approval of which request.
        request_id: RequestId,
        /// The browser's word for it, a `DOMException`'s name.
        error: String,
    } -> Done, by Confirmer, Act;
}

events! {
    /// An approval that is just being sent from the gate's page takes a touch of one of these keys, in that page.
    TouchWanted {
        /// The approval of which request.
        request_id: RequestId,
        /// What is to be signed, base64: the digest of the receipt's line.
        challenge: String,
        /// The relying party.
        site: String,
        /// The keys, by their credentials, base64.
        credentials: Vec<String>,
    }, InWindows;

    /// That touch isn't waited for any longer, whatever came of it.
    TouchOver {
        /// The approval of which request.
        request_id: RequestId,
    }, InWindows;
}

/// What a browser needs to have a security key made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PageKeyBegun {
    /// What it is to hold the key against, base64; good for five minutes, once, and until another one is begun.
    pub challenge: String,
    /// The relying party.
    pub site: String,
    /// The origin that the page has to have, e.g. `http://localhost:8321`.
    pub origin: String,
    /// For whom, base64: bytes that say nothing of the person.
    pub user: String,
    /// Keys that are enrolled there already, by their credentials, base64.
    pub known: Vec<String>,
}

/// The security keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SecurityKeys {
    /// Those that are enrolled, in the order in which they were.
    pub keys: Vec<SecurityKey>,
    /// Files of security keys in the usual folder that aren't enrolled.
    pub found: Vec<String>,
}

/// A security key that is enrolled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SecurityKey {
    /// Its name, as `ssh-keygen -l` prints it.
    pub key: String,
    /// What its file or the person calls it; empty for nothing.
    pub comment: String,
    /// The file that it is used by; absent where it can't be used on this machine, and of one of a page.
    pub file: Option<String>,
    /// Of a key that was made in a page: its origin, where alone it is touched, e.g. `http://localhost:8321`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub page: Option<String>,
}
