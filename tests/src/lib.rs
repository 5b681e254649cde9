//! The harness of the end-to-end tests: homes, programs, agents. It starts the built programs and
//! speaks to them from outside, as their users do; it links none of the product's crates.
//!
//! Each test has a [`Home`] of its own, so that all of them run side by side, at the default settings but for what the test
//! names. Whatever a test has started ends with its home. Linux only: processes are found through `/proc`.

mod acp;
mod agent;
mod agent_terminal;
mod answer;
mod asked;
mod bin;
mod broker;
mod browser;
mod campaign;
mod clients;
mod clinic;
mod confirming;
mod control;
mod days;
mod disk;
mod fake_desktop;
mod fake_login;
mod home;
mod http;
mod instant;
mod model;
mod no_network;
mod on_windows;
mod process;
mod programs;
mod real_agent;
mod record;
mod repository;
mod run;
mod sandbox;
pub mod schemas;
mod seed;
mod serve;
#[path = "../corpus/campaign.rs"]
mod shared_campaign;
mod signed_page;
mod skip;
mod sockets;
mod software_key;
mod sound;
mod terminal;
mod this_test;
mod wait;
mod window;
mod wine;

pub use acp::AcpClient;
pub use agent::{Adrift, Agent, Spawning, stateless_meta};
pub use agent_terminal::AgentTerminal;
pub use bin::bin;
pub use broker::{NOTES, Peer, Refused, adds, makes_it};
pub use browser::{Browser, ELSEWHERE, Touched};
pub use campaign::{campaign, campaign_tells};
pub use clients::{Client, Official, inspector, specification};
pub use clinic::{Clinic, Found, PERSON, found};
pub use confirming::{Confirming, PASSWORD, Prompts};
pub use control::Control;
pub use days::{Container, Forwarded, OwnSystemd, Remote, Tmux};
pub use disk::SmallDisk;
pub use fake_desktop::{Entry, FakeDesktop, Notification};
pub use fake_login::FakeLogin;
pub use home::{AT_ONCE, Home, HomeOptions, Person, SCRIPTS_ANSWER};
pub use http::{Http, Response};
pub use instant::{at_a_random_instant, at_the_instant};
pub use model::{Model, Part, Section, Turn};
pub use no_network::NoNetwork;
pub use process::{Process, processes_with};
pub use real_agent::{Program, RealAgent};
pub use repository::commit;
pub use run::Ran;
pub use sandbox::{installed, on_path};
pub use seed::Seed;
pub use serve::Serve;
pub use signed_page::{PageKey, SignedPage, Signing, link_parts, send_code};
pub use skip::{left_out, out_of_reach, skip};
pub use sockets::{Seen, Socket, address_in_table, sockets_of, watched};
pub use software_key::SoftwareKey;
pub use sound::{Sound, install_models};
pub use terminal::Terminal;
pub use wait::{LIMIT, eventually};
pub use window::{
    APPROVE, App, CONTROL, DOWN, Display, ENTER, ESCAPE, InputMethod, Key, OtherProgram, Page, RIGHT, SHIFT, Screen,
    TAB, UP, Viewer, Window, free_port, test_id,
};

/// The names of the default toolset's tools, in their order.
pub const TOOLS: [&str; 8] = [
    "review_gate_chat",
    "review_gate_update_progress",
    "review_gate_get_context",
    "review_gate_create_checkpoint",
    "review_gate_list_checkpoints",
    "review_gate_restore_checkpoint",
    "review_gate_get_config",
    "review_gate_update_config",
];
