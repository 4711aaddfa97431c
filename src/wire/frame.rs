//! Frames out of a stream: a 4-byte big-endian length, then that many bytes, however the stream was cut.

use byteorder::{BigEndian, ByteOrder};

/// Bytes of the length that stands before each body.
pub const HEADER_BYTES: usize = 4;

/// What the stream held next.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    Body(&'a [u8]),
    /// Announced longer than the limit; its bytes are passed over as they come.
    TooLong {
        announced: u32,
    },
}

/// Collects bytes and yields frames. Holds what came and no more: nothing is reserved by an announced length.
#[derive(Debug)]
pub struct FrameReader {
    limit: u32,
    buffer: Vec<u8>,
    /// Where the next frame starts in `buffer`.
    start: usize,
    /// How many bytes of a frame that is too long are still to be passed over.
    to_skip: usize,
}

impl FrameReader {
    pub fn new(limit: u32) -> Self {
        Self { limit, buffer: Vec::new(), start: 0, to_skip: 0 }
    }

    pub fn limit(&self) -> u32 {
        self.limit
    }

    pub fn receive(&mut self, bytes: &[u8]) {
        let skipped = self.to_skip.min(bytes.len());
        self.to_skip -= skipped;
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(&bytes[skipped..]);
    }

    /// The next whole frame, or the news of one that is too long; `None` until more bytes come.
    pub fn next_frame(&mut self) -> Option<Frame<'_>> {
        let waiting = &self.buffer[self.start..];
        if waiting.len() < HEADER_BYTES {
            return None;
        }
        let announced = BigEndian::read_u32(waiting);
        let length = announced as usize;
        let body = self.start + HEADER_BYTES;
        if announced > self.limit {
            let here = length.min(self.buffer.len() - body);
            self.to_skip = length - here;
            self.start = body + here;
            return Some(Frame::TooLong { announced });
        }
        if self.buffer.len() - body < length {
            return None;
        }
        self.start = body + length;
        Some(Frame::Body(&self.buffer[body..self.start]))
    }

    /// Whether the stream stands inside a frame: an end of input here has cut it.
    pub fn is_inside_frame(&self) -> bool {
        self.to_skip > 0 || self.start < self.buffer.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(reader: &mut FrameReader) -> Vec<String> {
        let mut seen = Vec::new();
        while let Some(frame) = reader.next_frame() {
            seen.push(match frame {
                Frame::Body(body) => String::from_utf8_lossy(body).into_owned(),
                Frame::TooLong { announced } => format!("too long: {announced}"),
            });
        }
        seen
    }

    #[test]
    fn frames_come_out_wherever_the_stream_is_cut() {
        let stream = b"\0\0\0\x03abc\0\0\0\0\0\0\0\x09too long!\0\0\0\x02de";
        let expected = ["abc", "", "too long: 9", "de"];
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let mut reader = FrameReader::new(5);
                let mut seen = Vec::new();
                for piece in [&stream[..first], &stream[first..second], &stream[second..]] {
                    reader.receive(piece);
                    seen.extend(frames(&mut reader));
                }
                assert_eq!(seen, expected, "cut at {first} and {second}");
                assert!(!reader.is_inside_frame());
            }
        }
    }

    #[test]
    fn a_cut_frame_is_noticed() {
        for cut in [&b"\0"[..], b"\0\0\0\x03", b"\0\0\0\x03ab", b"\0\0\0\x09too"] {
            let mut reader = FrameReader::new(5);
            reader.receive(cut);
            frames(&mut reader);
            assert!(reader.is_inside_frame(), "{cut:?}");
        }
    }

    #[test]
    fn an_announced_length_reserves_nothing() {
        let mut reader = FrameReader::new(u32::MAX);
        reader.receive(b"\xff\xff\xff\xffabc");
        assert_eq!(reader.next_frame(), None);
        assert!(reader.buffer.capacity() < 1024);
    }
}
