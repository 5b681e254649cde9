//! `review-gate-voice listen`: a microphone's sound as frames, from when it is asked for until it isn't.

use std::io::{BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use gate_voice::frame::{self, Frame};
use gate_voice::protocol::{FromListener, ToListener};

use crate::microphone::{Microphones, System};
use crate::watch::{Out, Watch};

/// How long a driver that hangs may keep this program from ending.
const GRACE: Duration = Duration::from_secs(1);

/// Runs until the input ends.
pub(crate) fn run() -> ExitCode {
    let (told, orders) = mpsc::channel();
    let (over, ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        read(std::io::stdin(), &told);
        drop(told);
        // Opening and closing go through drivers, which can hang; this program must end all the same.
        if ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
            std::process::exit(0);
        }
    });
    let code = crate::role(|| listen(System::new(), &orders, &mut std::io::stdout().lock()));
    drop(over);
    code
}

fn read(input: impl Read, told: &mpsc::Sender<ToListener>) {
    let mut input = BufReader::new(input);
    while let Ok(Some(frame)) = frame::read::<ToListener>(&mut input) {
        if let Frame::Message(message) = frame
            && told.send(message).is_err()
        {
            return;
        }
    }
}

/// Listens as it is told to, until nobody tells it anything any more, or it is worn.
///
/// # Errors
/// When the other side has gone.
fn listen<M>(system: M, orders: &Receiver<ToListener>, output: &mut impl Write) -> std::io::Result<()>
where
    M: Microphones,
    M::Open: Send + 'static,
{
    let mut watch = Watch::new(system);
    frame::write(output, &FromListener::Ready)?;
    loop {
        let order = match watch.pause(Instant::now()) {
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(pause) => orders.recv_timeout(pause),
        };
        let now = Instant::now();
        let out = match order {
            Ok(ToListener::Open { microphone }) => watch.open(microphone, now),
            Ok(ToListener::Close) => watch.close(),
            Err(RecvTimeoutError::Timeout) => watch.tick(now),
            Err(RecvTimeoutError::Disconnected) => {
                watch.close();
                return Ok(());
            }
        };
        for out in out {
            match out {
                Out::Say(message) => frame::write(output, &message)?,
                Out::Sound(samples) => frame::write_sound(output, &samples)?,
            }
        }
        if watch.is_worn() {
            return Ok(());
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
