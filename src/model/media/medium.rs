//! An image, a video or a sound that a message has.

use serde::{Deserialize, Serialize};

use super::MediaAddress;
use super::address::{Digest, digest};
use crate::audio::{self, MOST_AUDIO_BYTES, Sound};
use crate::image::{self, Pixels, Transparency, Video};
use crate::model::vision::addressed_video;

/// Most bytes of an image's file.
pub const MOST_IMAGE_FILE_BYTES: u64 = 64 << 20;

/// What a model is shown or hears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediumKind {
    /// A picture.
    #[default]
    Image,
    /// Pictures of one size, one after the other.
    Video,
    /// Sound of one channel or two.
    Sound,
}

impl MediumKind {
    /// In the order in which they are counted.
    pub(super) const ALL: [Self; 3] = [Self::Image, Self::Video, Self::Sound];

    /// What one of them is called.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Sound => "sound",
        }
    }

    /// One of them in a sentence.
    pub fn named(self) -> &'static str {
        match self {
            Self::Image => "an image",
            Self::Video => "a video",
            Self::Sound => "a sound",
        }
    }

    /// What several of them are called.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Video => "videos",
            Self::Sound => "sounds",
        }
    }
}

/// Something that a message shows or lets hear.
#[derive(Clone, Debug, PartialEq)]
pub struct Medium {
    /// What it is.
    pub kind: MediumKind,
    /// Where it is.
    pub address: MediaAddress,
    /// How many images of a video are a second, where the message says it.
    pub frames_per_second: Option<f64>,
}

impl Medium {
    /// As it stands in a prompt: the address of an image, and before others what they are.
    pub(super) fn written(&self) -> String {
        let address = self.address.written();
        match (self.kind, self.frames_per_second) {
            (MediumKind::Image, _) => address,
            (MediumKind::Sound, _) => format!("sound {address}"),
            (MediumKind::Video, None) => format!("video - {address}"),
            (MediumKind::Video, Some(rate)) => format!("video {rate} {address}"),
        }
    }

    /// Reads what `written` wrote.
    ///
    /// # Errors
    /// As [`MediaAddress::parse`].
    pub fn parse(written: &str) -> Result<Self, String> {
        let (kind, frames_per_second, address) = match written.split_once(' ') {
            Some(("sound", address)) => (MediumKind::Sound, None, address),
            Some(("video", rest)) => {
                let (rate, address) = rest.split_once(' ').unwrap_or(("-", rest));
                (MediumKind::Video, rate.parse().ok(), address)
            }
            _ => (MediumKind::Image, None, written),
        };
        Ok(Self { kind, address: MediaAddress::parse(address)?, frames_per_second })
    }

    /// What stands for it in messages.
    pub fn shown(&self) -> String {
        match &self.address {
            MediaAddress::File(path) => path.display().to_string(),
            MediaAddress::Data(data) => {
                format!("{} of {} bytes in base64", self.kind.named(), data.len())
            }
        }
    }

    /// What it is, and where.
    pub(super) fn labeled(&self) -> String {
        match &self.address {
            MediaAddress::File(_) => format!("{} {}", self.kind.singular(), self.shown()),
            MediaAddress::Data(_) => self.shown(),
        }
    }

    fn bytes(&self, most_bytes: u64) -> Result<Vec<u8>, String> {
        self.address.bytes(most_bytes).map_err(|problem| {
            let failed = self.failed(&problem);
            match self.unfilled() {
                Some(name) => {
                    format!("{failed}; no column and no piece of the row fills in {{{name}}}")
                }
                None => failed,
            }
        })
    }

    fn failed(&self, problem: &dyn std::fmt::Display) -> String {
        format!("{}: {problem}", self.shown())
    }

    /// The field in its file's name, if it has one.
    fn unfilled(&self) -> Option<String> {
        let MediaAddress::File(path) = &self.address else { return None };
        let path = path.to_string_lossy();
        let (_, rest) = path.split_once('{')?;
        rest.split_once('}').map(|(name, _)| name.to_owned())
    }

    /// Its pixels, and the SHA-256 of its bytes.
    ///
    /// # Errors
    /// It cannot be read or decoded.
    pub(super) fn pixels(&self) -> Result<(Pixels, Digest), String> {
        let bytes = self.bytes(MOST_IMAGE_FILE_BYTES)?;
        let pixels = image::decode(&bytes, Transparency::Dropped);
        Ok((pixels.map_err(|error| self.failed(&error))?, digest(&bytes)))
    }

    /// Its frames, and the SHA-256 of what they were made of.
    ///
    /// # Errors
    /// As [`addressed_video`].
    pub(super) fn video(&self) -> Result<(Video, Digest), String> {
        addressed_video(&self.address, self.frames_per_second)
            .map_err(|problem| self.failed(&problem))
    }

    /// Its samples, and the SHA-256 of its bytes.
    ///
    /// # Errors
    /// It cannot be read or decoded.
    pub(super) fn sound(&self) -> Result<(Sound, Digest), String> {
        let bytes = self.bytes(MOST_AUDIO_BYTES as u64)?;
        let sound = audio::decode(&bytes);
        Ok((sound.map_err(|error| self.failed(&error))?, digest(&bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let address = |written| MediaAddress::parse(written).unwrap();
        for (kind, at, frames_per_second) in [
            (MediumKind::Image, "sound of a/video 2 x.png", None),
            (MediumKind::Sound, "a b.wav", None),
            (MediumKind::Sound, "data:audio/wav;base64,AAAA", None),
            (MediumKind::Video, "a b", None),
            (MediumKind::Video, "file:///a b/2 c", Some(0.1)),
        ] {
            let medium = Medium { kind, address: address(at), frames_per_second };
            assert_eq!(Medium::parse(&medium.written()), Ok(medium));
        }
    }

    #[test]
    fn addresses_are_files_or_data() {
        for (written, wanted) in [
            ("https://example.org/a.wav", "on the network"),
            ("data:audio/wav,RIFF", "not in base64"),
        ] {
            assert!(MediaAddress::parse(written).unwrap_err().contains(wanted), "{written}");
        }
        let data = MediaAddress::Data("!".to_owned());
        let medium = Medium { kind: MediumKind::Sound, address: data, frames_per_second: None };
        assert!(medium.sound().unwrap_err().contains("a sound of 1 bytes in base64: no base64"));
    }
}
