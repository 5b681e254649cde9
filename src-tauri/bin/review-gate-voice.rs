//! The program that listens and recognises speech, started by the other two. Links the sound system and the
//! speech engine, and nothing else does.

use std::process::ExitCode;

fn main() -> ExitCode {
    gate_speech::main(std::env::args_os().skip(1))
}
