//! Reading lines with a bound, so that a peer without newlines can't eat the memory.

use std::io::{self, BufRead as _};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes asked for at a time; all that is kept between lines. The longest answer that comes often, the list of tools,
/// fits in.
const CHUNK_BYTES: usize = 32 * 1024;
/// How much of the start and of the end of a line that is too long is kept, to find its id in.
pub(crate) const EDGE_BYTES: usize = 1024;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Read {
    /// A line with its newline.
    Line(Vec<u8>),
    /// The bytes behind the last newline when the stream ended, without a newline.
    Rest(Vec<u8>),
    /// A line longer than the bound; the rest of it is gone.
    TooLong {
        /// Its first bytes, a kilobyte.
        head: Vec<u8>,
        /// Its last bytes, a kilobyte, and its newline.
        tail: Vec<u8>,
    },
    /// The stream ended.
    End,
}

/// Reads lines of at most a given length.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    bound: usize,
    /// What was read last. Memory that nothing was read into stays untouched.
    chunk: Vec<u8>,
    /// How much of that is used up.
    from: usize,
    line: Vec<u8>,
    /// The head of the line that is being skipped; `line` then holds its latest bytes.
    skipping: Option<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Lines of at most `bound` bytes, without the newline. With a bound of less than a kilobyte,
    /// the head of a longer line may be shorter than that.
    pub fn new(reader: R, bound: usize) -> Self {
        Self { reader, bound, chunk: Vec::with_capacity(CHUNK_BYTES), from: 0, line: Vec::new(), skipping: None }
    }

    /// What comes next. Cancel safe: a call that is dropped has lost nothing.
    ///
    /// # Errors
    /// The reader's.
    pub async fn next(&mut self) -> io::Result<Read> {
        loop {
            if self.from == self.chunk.len() {
                self.chunk.clear();
                self.from = 0;
                if self.reader.read_buf(&mut self.chunk).await? == 0 {
                    return Ok(self.end());
                }
            }
            let mut seen = &self.chunk[self.from..];
            self.from += seen.read_until(b'\n', &mut self.line)?;
            let is_whole = self.line.last() == Some(&b'\n');
            let length = self.line.len() - usize::from(is_whole);
            let before_tail = length.saturating_sub(EDGE_BYTES);
            if self.skipping.is_none() && length > self.bound {
                let head = self.line[..EDGE_BYTES.min(length)].to_vec();
                // A new buffer: the old one is as large as the bound.
                self.line = self.line[before_tail..].to_vec();
                self.skipping = Some(head);
            } else if self.skipping.is_some() {
                self.line.drain(..before_tail);
            }
            if is_whole {
                return Ok(self.finish());
            }
        }
    }

    fn finish(&mut self) -> Read {
        let line = std::mem::take(&mut self.line);
        match self.skipping.take() {
            Some(head) => Read::TooLong { head, tail: line },
            None => Read::Line(line),
        }
    }

    fn end(&mut self) -> Read {
        match (self.skipping.is_some(), self.line.is_empty()) {
            (true, _) => self.finish(),
            (false, true) => Read::End,
            (false, false) => Read::Rest(std::mem::take(&mut self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EDGE_BYTES, LineReader, Read};
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

    /// Counts how often it is asked.
    struct Counted<'a> {
        text: &'a [u8],
        reads: usize,
    }

    impl AsyncRead for Counted<'_> {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            into: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            self.reads += 1;
            Pin::new(&mut self.text).poll_read(context, into)
        }
    }

    #[tokio::test]
    async fn a_line_as_long_as_the_list_of_tools_comes_at_once() -> io::Result<()> {
        let text = [vec![b'a'; 24 * 1024], b"\nb\n".to_vec()].concat();
        let mut lines = LineReader::new(Counted { text: &text, reads: 0 }, text.len());
        for line in [&text[..text.len() - 2], &text[text.len() - 2..]] {
            assert_eq!(lines.next().await?, Read::Line(line.to_vec()), "as it was written");
        }
        assert_eq!(lines.reader.reads, 1, "the system is asked once for all that it has");
        Ok(())
    }

    #[tokio::test]
    async fn a_line_at_the_bound_is_read_and_one_byte_more_is_skipped() -> std::io::Result<()> {
        let text = b"12345\n123456\nab\nrest";
        let mut lines = LineReader::new(&text[..], 5);
        assert_eq!(lines.next().await?, Read::Line(b"12345\n".to_vec()), "the bound itself is allowed");
        assert_eq!(
            lines.next().await?,
            Read::TooLong { head: b"123456".to_vec(), tail: b"123456\n".to_vec() },
            "one byte more is not, and its edges are kept"
        );
        assert_eq!(lines.next().await?, Read::Line(b"ab\n".to_vec()), "the stream goes on behind it");
        assert_eq!(lines.next().await?, Read::Rest(b"rest".to_vec()), "an unfinished line is told apart");
        assert_eq!(lines.next().await?, Read::End, "and then it ends");
        Ok(())
    }

    #[tokio::test]
    async fn the_edges_of_a_long_line_are_the_same_however_it_comes() -> std::io::Result<()> {
        let text = [vec![b'a'; 2 * EDGE_BYTES], b"z\n".to_vec()].concat();
        let mut tails = Vec::new();
        for first in [text.len(), text.len() - 1] {
            let mut lines = LineReader::new((&text[..first]).chain(&text[first..]), EDGE_BYTES);
            let Read::TooLong { tail, .. } = lines.next().await? else { panic!("the line is too long") };
            tails.push(tail);
        }
        assert_eq!(tails[0], text[EDGE_BYTES + 1..], "the last bytes before the newline, and it");
        assert_eq!(tails[0], tails[1], "a newline that comes by itself takes the place of none");
        Ok(())
    }
}
