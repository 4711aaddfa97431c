//! The container of binary glTF: a header, a chunk of JSON, a chunk of binary data.

use super::super::error::{AssetError, Place};

#[derive(Debug)]
pub struct Container<'b> {
    pub json: &'b [u8],
    pub binary: Option<&'b [u8]>,
}

const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;

impl<'b> Container<'b> {
    /// Text that begins with a brace is JSON alone.
    pub fn read(file: &str, bytes: &'b [u8]) -> Result<Self, AssetError> {
        if bytes.trim_ascii_start().starts_with(b"{") {
            return Ok(Self { json: bytes, binary: None });
        }
        let wrong =
            |at: usize, found: String, expected: &str| Err(AssetError::new(file, Place::Byte(at), found, expected));
        if !bytes.starts_with(b"glTF") {
            let magic = String::from_utf8_lossy(&bytes[..bytes.len().min(4)]).into_owned();
            return wrong(0, format!("the magic {magic:?}"), "glTF, a binary glTF file's header, or JSON");
        }
        let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
            return wrong(
                4,
                format!("the end after {} bytes", bytes.len()),
                "a header of 12 bytes; the file is truncated",
            );
        };
        if version != 2 {
            return wrong(4, format!("version {version}"), "version 2; export the object again as glTF 2.0");
        }
        if u64::from(length) > bytes.len() as u64 {
            let found = format!("a length of {length} bytes in a file of {}", bytes.len());
            return wrong(8, found, "the file's own length; it is truncated, so copy or export it again");
        }
        let bytes = &bytes[..length as usize];
        let json = chunk(file, bytes, HEADER_BYTES)?.filter(|chunk| &chunk.kind == b"JSON");
        let Some(json) = json else {
            return wrong(HEADER_BYTES, "another chunk".to_owned(), "a first chunk of JSON");
        };
        let binary = chunk(file, bytes, json.end)?.filter(|chunk| &chunk.kind == b"BIN\0");
        Ok(Self { json: json.data, binary: binary.map(|chunk| chunk.data) })
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

struct Chunk<'b> {
    kind: [u8; 4],
    data: &'b [u8],
    end: usize,
}

/// The chunk at a place; `None` where the file ends.
fn chunk<'b>(file: &str, bytes: &'b [u8], at: usize) -> Result<Option<Chunk<'b>>, AssetError> {
    let Some(length) = word(bytes, at) else { return Ok(None) };
    let kind = bytes.get(at + 4..at + CHUNK_HEADER_BYTES);
    let start = at + CHUNK_HEADER_BYTES;
    let data = start.checked_add(length as usize).and_then(|end| bytes.get(start..end));
    match (kind, data) {
        (Some(kind), Some(data)) => {
            let end = (start + data.len()).next_multiple_of(4);
            Ok(Some(Chunk { kind: [kind[0], kind[1], kind[2], kind[3]], data, end }))
        }
        _ => {
            let found = format!("a chunk of {length} bytes in a file of {}", bytes.len());
            Err(AssetError::new(file, Place::Byte(at), found, "a chunk within the file; it is truncated"))
        }
    }
}
