//! Buffers, and the numbers in them: every range is checked before a byte of it is read.

use std::borrow::Cow;

use ::gltf as format;
use base64_simd::STANDARD;
use format::accessor::{DataType, Dimensions};

use super::super::error::{AssetError, Place};
use super::super::limits;
use super::super::path::{folder_of, join};
use super::super::source::Files;

/// The bytes of a document's buffers.
#[derive(Debug)]
pub struct Buffers<'b> {
    file: &'b str,
    data: Vec<Cow<'b, [u8]>>,
}

impl<'b> Buffers<'b> {
    pub fn read(
        file: &'b str,
        document: &format::Document,
        binary: Option<&'b [u8]>,
        files: &mut Files,
    ) -> Result<Self, AssetError> {
        let mut data = Vec::new();
        for buffer in document.buffers() {
            let bytes = match buffer.source() {
                format::buffer::Source::Bin => Cow::Borrowed(binary.unwrap_or_default()),
                format::buffer::Source::Uri(uri) => Cow::Owned(resource(file, uri, files)?.1),
            };
            if buffer.length() > bytes.len() {
                let found = format!(
                    "buffer {} of {} bytes, of which {} are there",
                    buffer.index(),
                    buffer.length(),
                    bytes.len()
                );
                return Err(AssetError::new(file, Place::File, found, "all its bytes; the file is truncated"));
            }
            data.push(bytes);
        }
        Ok(Self { file, data })
    }

    pub fn view(&self, view: &format::buffer::View) -> Result<&[u8], AssetError> {
        let buffer = view.buffer();
        let bytes = &self.data[buffer.index()][..buffer.length()];
        let end = view.offset().checked_add(view.length());
        end.and_then(|end| bytes.get(view.offset()..end)).ok_or_else(|| {
            let (offset, length) = (view.offset(), view.length());
            let found = format!("buffer view {} from byte {offset} on, {length} bytes long", view.index());
            self.wrong(found, format!("a range within buffer {}, which has {} bytes", buffer.index(), bytes.len()))
        })
    }

    fn wrong(&self, found: String, expected: impl Into<String>) -> AssetError {
        AssetError::new(self.file, Place::File, found, expected)
    }

    /// Vectors of at least N parts, of which the first N are taken: floats, or normalised integers.
    pub fn numbers<const N: usize>(
        &self,
        accessor: &format::Accessor,
        what: &str,
    ) -> Result<Vec<[f64; N]>, AssetError> {
        let is_number = accessor.data_type() == DataType::F32 || accessor.normalized();
        if accessor.dimensions().multiplicity() < N || is_matrix(accessor.dimensions()) || !is_number {
            let found = format!("{what}: accessor {} of another type", accessor.index());
            return Err(self.wrong(found, format!("vectors of {N} floats or normalised integers")));
        }
        self.items(accessor, what, |bytes| number(accessor.data_type(), bytes))
    }

    pub fn indices(&self, accessor: &format::Accessor, what: &str) -> Result<Vec<u32>, AssetError> {
        let is_index = matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32);
        if accessor.dimensions() != Dimensions::Scalar || !is_index {
            let found = format!("{what}: accessor {} of another type", accessor.index());
            return Err(self.wrong(found, "indices of 8, 16 or 32 bits"));
        }
        let indices: Vec<[u32; 1]> = self.items(accessor, what, |bytes| integer(accessor.data_type(), bytes))?;
        Ok(indices.into_iter().map(|[index]| index).collect())
    }

    fn items<T: Copy + Default, const N: usize>(
        &self,
        accessor: &format::Accessor,
        what: &str,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<[T; N]>, AssetError> {
        let count = accessor.count();
        let most = 3 * limits::MAX_TRIANGLES;
        if count > most {
            let found = format!("{what}: accessor {} with {count} items", accessor.index());
            return Err(self.wrong(found, format!("at most {most}; make the object coarser")));
        }
        let part = accessor.data_type().size();
        let item = |bytes: &[u8]| std::array::from_fn(|i| read(&bytes[i * part..]));
        let mut items = match accessor.view() {
            // Without a view all are zero, and a sparse part replaces some.
            None => vec![[T::default(); N]; count],
            Some(view) => {
                let stride = view.stride().unwrap_or(accessor.size());
                self.strided(&view, accessor.offset(), stride, accessor.size(), count)?.map(item).collect()
            }
        };
        if let Some(sparse) = accessor.sparse() {
            let replaced = sparse.count();
            let (indices, values) = (sparse.indices(), sparse.values());
            let kind = match indices.index_type() {
                format::accessor::sparse::IndexType::U8 => DataType::U8,
                format::accessor::sparse::IndexType::U16 => DataType::U16,
                format::accessor::sparse::IndexType::U32 => DataType::U32,
            };
            let (index_view, value_view) = (indices.view(), values.view());
            let places = self.strided(&index_view, indices.offset(), kind.size(), kind.size(), replaced)?;
            let values = self.strided(&value_view, values.offset(), accessor.size(), accessor.size(), replaced)?;
            for (place, value) in places.map(|bytes| integer(kind, bytes)).zip(values) {
                *items.get_mut(place as usize).ok_or_else(|| {
                    let found = format!("{what}: accessor {}: the sparse index {place}", accessor.index());
                    self.wrong(found, format!("one of its {count} items, from 0"))
                })? = item(value);
            }
        }
        Ok(items)
    }

    /// `count` items of `size` bytes each.
    fn strided(
        &self,
        view: &format::buffer::View,
        offset: usize,
        stride: usize,
        size: usize,
        count: usize,
    ) -> Result<impl Iterator<Item = &[u8]>, AssetError> {
        let bytes = self.view(view)?;
        let end = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size)?.checked_add(offset));
        if stride < size || end.is_none_or(|end| end > bytes.len()) {
            let found = format!(
                "{count} items of {size} bytes, {stride} apart, from byte {offset} of buffer view {}",
                view.index()
            );
            return Err(self.wrong(found, format!("items within the view, which has {} bytes", bytes.len())));
        }
        Ok((0..count).map(move |i| &bytes[offset + i * stride..][..size]))
    }
}

fn is_matrix(dimensions: Dimensions) -> bool {
    matches!(dimensions, Dimensions::Mat2 | Dimensions::Mat3 | Dimensions::Mat4)
}

/// A float as it is, an integer as the fraction of its largest.
fn number(kind: DataType, b: &[u8]) -> f64 {
    match kind {
        DataType::I8 => (f64::from(b[0] as i8) / 127.0).max(-1.0),
        DataType::U8 => f64::from(b[0]) / 255.0,
        DataType::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).max(-1.0),
        DataType::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0,
        DataType::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])) / f64::from(u32::MAX),
        DataType::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
    }
}

fn integer(kind: DataType, b: &[u8]) -> u32 {
    match kind.size() {
        1 => b[0].into(),
        2 => u16::from_le_bytes([b[0], b[1]]).into(),
        _ => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
    }
}

/// What a URI holds or names, and how to call it in messages.
pub fn resource(file: &str, uri: &str, files: &Files) -> Result<(String, Vec<u8>), AssetError> {
    if let Some(data) = uri.strip_prefix("data:") {
        let bytes = data.split_once(";base64,").and_then(|(_, text)| STANDARD.decode_to_vec(text).ok());
        let expected = "data:…;base64, and base64";
        let bytes = bytes.ok_or_else(|| AssetError::new(file, Place::File, "a data URI with an error", expected))?;
        return Ok((format!("{file} (data URI)"), bytes));
    }
    let path = join(folder_of(file), &unescaped(uri));
    let bytes = files.read(&path, file)?;
    Ok((path, bytes.into_owned()))
}

/// Without the `%20` of URIs.
fn unescaped(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
