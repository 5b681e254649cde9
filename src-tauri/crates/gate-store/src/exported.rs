//! A file that was exported, read one conversation at a time.

use std::cell::Cell;
use std::fmt;
use std::io::Read;
use std::rc::Rc;

use gate_core::export::{ExportedConversation, FORMAT, VERSION};
use gate_core::{Code, Fault, bounds};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};

/// Reads an exported file, one conversation at a time. Ends when `take` returns false.
///
/// # Errors
/// `invalid_input` where it isn't such a file, with the place; conversations before that were taken.
pub fn read_export(from: impl Read, mut take: impl FnMut(ExportedConversation) -> bool) -> Result<(), Fault> {
    let mut stopped = false;
    let left = Rc::new(Cell::new(bounds::IMPORT_BYTES));
    let from = BoundedRead { from, left: Rc::clone(&left) };
    let mut deserializer = serde_json::Deserializer::from_reader(std::io::BufReader::new(from));
    let take = move |conversation| {
        left.set(bounds::IMPORT_BYTES);
        take(conversation)
    };
    let read = ExportFile { take, stopped: &mut stopped }.deserialize(&mut deserializer);
    match read {
        Ok(()) => Ok(()),
        Err(_) if stopped => Ok(()),
        Err(error) => Err(Fault::new(
            Code::InvalidInput,
            format!("The file can't be read as an export of Review Gate: {error}."),
            "Make it with `review-gate export --format json`; what comes before that place was imported.",
        )),
    }
}

/// Reads no more than so many bytes of one conversation.
struct BoundedRead<R> {
    from: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Read for BoundedRead<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left.get() == 0 {
            let why = format!("one conversation has more than {} bytes", bounds::IMPORT_BYTES);
            return Err(std::io::Error::other(why));
        }
        let most = into.len().min(self.left.get());
        let read = self.from.read(into.get_mut(..most).unwrap_or_default())?;
        self.left.set(self.left.get() - read);
        Ok(read)
    }
}

struct ExportFile<'a, F> {
    take: F,
    stopped: &'a mut bool,
}

impl<'de, F: FnMut(ExportedConversation) -> bool> DeserializeSeed<'de> for ExportFile<'_, F> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(ExportedConversation) -> bool> Visitor<'de> for ExportFile<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `format`, `version` and `conversations`")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let (mut format, mut version) = (false, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" => {
                    let found: String = map.next_value()?;
                    if found != FORMAT {
                        return Err(A::Error::custom(format!("its format is {found:?}, not {FORMAT:?}")));
                    }
                    format = true;
                }
                "version" => {
                    let found: u32 = map.next_value()?;
                    if found > VERSION {
                        let why = format!("its version is {found}, and this program reads up to {VERSION}");
                        return Err(A::Error::custom(why));
                    }
                    version = true;
                }
                "conversations" if format && version => {
                    map.next_value_seed(Conversations { take: &mut self.take, stopped: self.stopped })?;
                }
                "conversations" => {
                    return Err(A::Error::custom("`format` and `version` have to come before `conversations`"));
                }
                _ => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
        }
        if format { Ok(()) } else { Err(A::Error::custom("it says no `format`")) }
    }
}

struct Conversations<'a, F> {
    take: &'a mut F,
    stopped: &'a mut bool,
}

impl<'de, F: FnMut(ExportedConversation) -> bool> DeserializeSeed<'de> for Conversations<'_, F> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(ExportedConversation) -> bool> Visitor<'de> for Conversations<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(conversation) = seq.next_element()? {
            if !(self.take)(conversation) {
                *self.stopped = true;
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}
