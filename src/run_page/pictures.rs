//! The pictures of a page: the images that prompts name, as they were when the model was shown them.
//!
//! Images are not in a store. Each is read where its prompt says it is, and drawn only if its bytes have the digest that the sample
//! keeps; an image that is gone or was changed is named with that.

use std::collections::{HashMap, hash_map::Entry};

use crate::{
    image::{Transparency, decode, thumbnail},
    model::media::{MOST_IMAGE_FILE_BYTES, Medium, ShownMedium},
    report::page::{Drawn, ImageTokens, Picture, Piece},
};

/// Most bytes of a picture.
const MOST_PICTURE_BYTES: usize = 64 << 10;

/// Most bytes of all pictures of a page.
const MOST_PAGE_BYTES: usize = 16 << 20;

/// The pictures of a page, numbered as they come.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    known: HashMap<(String, String), u32>,
    all: Vec<Picture>,
    /// What all that are drawn have.
    bytes: usize,
}

impl Pictures {
    /// The piece that an image is in a text; its picture is read when it comes for the first time.
    pub(crate) fn piece(&mut self, medium: &Medium, image: &ShownMedium) -> Piece {
        let number = match self.known.entry((medium.shown(), image.sha256.clone())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
                let drawn = drawn(medium, image, MOST_PAGE_BYTES - self.bytes);
                if let Drawn::File { bytes, .. } = &drawn {
                    self.bytes += bytes.len();
                }
                let ShownMedium { width, height, .. } = *image;
                self.all.push(Picture { name: medium.shown(), width, height, drawn });
                *new.insert(number)
            }
        };
        Piece::image(number, ImageTokens { rows: image.rows, all: image.tokens })
    }

    /// They, in the order of their numbers.
    pub(crate) fn into_pictures(self) -> Vec<Picture> {
        self.all
    }
}

/// What is drawn of an image where there is room for so many bytes.
fn drawn(medium: &Medium, image: &ShownMedium, room_bytes: usize) -> Drawn {
    if room_bytes < MOST_PICTURE_BYTES {
        return Drawn::Nothing(format!(
            "the pictures of a page have {} MiB together, and those before it have them",
            MOST_PAGE_BYTES >> 20
        ));
    }
    let bytes = match medium.address.bytes(MOST_IMAGE_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(problem) => return Drawn::Nothing(format!("it cannot be read any more: {problem}")),
    };
    if ShownMedium::digest(&bytes) != image.sha256 {
        return Drawn::Nothing("its file has changed since the model was shown it".to_owned());
    }
    let small = decode(&bytes, Transparency::Dropped)
        .and_then(|pixels| thumbnail(&bytes, &pixels, MOST_PICTURE_BYTES));
    match small {
        Ok(Some(own)) => Drawn::File { media_type: own.media_type, bytes: own.bytes },
        Ok(None) => Drawn::Nothing(format!(
            "no picture of it has less than {} KiB",
            MOST_PICTURE_BYTES >> 10
        )),
        Err(error) => Drawn::Nothing(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::media::{MediaAddress, MediumKind};

    fn image(address: MediaAddress) -> Medium {
        Medium { kind: MediumKind::Image, address, frames_per_second: None }
    }

    fn shown(sha256: String) -> ShownMedium {
        ShownMedium {
            kind: MediumKind::Image,
            sha256,
            width: 2,
            height: 1,
            first_token: 0,
            tokens: 5,
            rows: 4,
        }
    }

    /// Two pixels: <https://en.wikipedia.org/wiki/BMP_file_format>.
    fn file() -> Vec<u8> {
        let mut file = b"BM".to_vec();
        for number in [62_u32, 0, 54, 40, 2, 1, 0x0018_0001, 0, 8, 0, 0, 0, 0] {
            file.extend(number.to_le_bytes());
        }
        file.extend([1, 2, 3, 4, 5, 6, 0, 0]);
        file
    }

    #[test]
    fn a_picture_is_drawn_once_and_only_if_it_is_the_one_that_was_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("two.bmp");
        std::fs::write(&path, file()).unwrap();
        let medium = image(MediaAddress::File(path.clone()));
        let own = shown(ShownMedium::digest(&file()));
        let mut pictures = Pictures::default();
        let first = pictures.piece(&medium, &own);
        assert_eq!(first, Piece::image(0, ImageTokens { rows: 4, all: 5 }));
        assert_eq!(pictures.piece(&medium, &own), first);
        assert_eq!(pictures.piece(&medium, &shown("00".to_owned())).id, 1);
        std::fs::remove_file(&path).unwrap();
        pictures.piece(&medium, &shown("01".to_owned()));
        let found = pictures.into_pictures();
        assert!(matches!(found[0].drawn, Drawn::File { media_type: "image/png", .. }));
        let reason = |place: usize| match &found[place].drawn {
            Drawn::Nothing(reason) => reason.clone(),
            Drawn::File { .. } => panic!("it is drawn"),
        };
        assert!(reason(1).contains("has changed"), "{}", reason(1));
        assert!(reason(2).contains("No such file"), "{}", reason(2));
    }

    #[test]
    fn what_has_no_room_says_so_without_being_read() {
        let medium = image(MediaAddress::Data("%".to_owned()));
        let found = drawn(&medium, &shown(String::new()), MOST_PICTURE_BYTES - 1);
        assert!(matches!(found, Drawn::Nothing(reason) if reason.contains("16 MiB")));
    }
}
