//! A picture of a page: the pixels that a model was shown, or why they are not here.

use serde_json::{Value as Json, json};

/// An image that prompts name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its file, or how much there is of it where a prompt holds it itself.
    pub name: String,
    /// Pixels along a row of the image that was shown to the model.
    pub width: usize,
    /// Its rows of pixels.
    pub height: usize,
    /// What is drawn of it.
    pub drawn: Drawn,
}

/// What a page draws of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// A file of the type, the image itself or a smaller one.
    File {
        /// `image/png` or `image/jpeg`.
        media_type: &'static str,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Nothing, for a reason in words.
    Nothing(String),
}

impl Picture {
    /// What the summary says of it; the bytes of its file are the block of that number.
    pub(super) fn about(&self, block: usize) -> Json {
        let Self { name, width, height, drawn } = self;
        let mut about = json!({"name": name, "width": width, "height": height});
        match drawn {
            Drawn::File { media_type, .. } => {
                about["type"] = json!(media_type);
                about["block"] = json!(block);
            }
            Drawn::Nothing(reason) => about["missing"] = json!(reason),
        }
        about
    }

    /// The bytes of its file, if there is one.
    pub(super) fn file(&self) -> Option<&[u8]> {
        match &self.drawn {
            Drawn::File { bytes, .. } => Some(bytes),
            Drawn::Nothing(_) => None,
        }
    }
}
