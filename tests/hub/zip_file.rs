//! Zip files, also such as nobody should make.

use std::io::Write as _;

use flate2::{Compression, Crc, write::DeflateEncoder};

/// A member of a zip file.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) content: Vec<u8>,
    /// By deflate; else it is stored as it is.
    pub(crate) is_deflated: bool,
    /// The mode of Unix: what the member is, and who may do what.
    pub(crate) mode: u32,
    pub(crate) flags: u16,
    /// The length that the headers claim, if it is another.
    pub(crate) claimed_bytes: Option<u32>,
    pub(crate) has_other_crc: bool,
}

impl Member {
    /// A file that is deflated.
    pub(crate) fn new(name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        Self {
            name,
            content: content.into(),
            is_deflated: true,
            mode: 0o100_644,
            flags: 0,
            claimed_bytes: None,
            has_other_crc: false,
        }
    }

    /// A file that is stored.
    pub(crate) fn stored(name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        Self { is_deflated: false, ..Self::new(name, content) }
    }
}

/// A zip file of these members.
pub(crate) fn zip(members: &[Member]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let offset = bytes.len() as u32;
        let mut crc = Crc::new();
        crc.update(&member.content);
        let mut packed = member.content.clone();
        if member.is_deflated {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&member.content).unwrap();
            packed = encoder.finish().unwrap();
        }
        let mut shared = Vec::new();
        let method = if member.is_deflated { 8_u16 } else { 0 };
        for half in [20, member.flags, method, 0, 0x21] {
            shared.extend(u16::to_le_bytes(half));
        }
        let claimed = member.claimed_bytes.unwrap_or(member.content.len() as u32);
        let sum = crc.sum() ^ u32::from(member.has_other_crc);
        for word in [sum, packed.len() as u32, claimed] {
            shared.extend(word.to_le_bytes());
        }
        shared.extend((member.name.len() as u16).to_le_bytes());
        shared.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&shared);
        bytes.extend(member.name.as_bytes());
        bytes.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&shared);
        directory.extend([0; 6]);
        directory.extend((member.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(member.name.as_bytes());
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let count = members.len() as u16;
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}
