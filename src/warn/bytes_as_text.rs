//! Images whose bytes a prompt says as text: a model reads thousands of letters of base64, and sees nothing.

use super::{
    kind::Finding,
    own_text::prompts,
    subject::{Asked, Subject},
};
use crate::dataset::has_text;

/// What the base64 of an image, a sound or a video begins with: JPEG, PNG, GIF, and what has RIFF in front (WebP, WAV).
const BEGINNINGS: [&str; 4] = ["/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR"];

/// Letters of base64 that are bytes and no word.
const LEAST_LETTERS: usize = 64;

/// A prompt with a text that holds the bytes of an image.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    // Prompts are only written for rows that have such a cell.
    let Some((column, _)) = asked.row.iter().find(|(_, cell)| has_text(cell, &holds_bytes)) else {
        return Vec::new();
    };
    let prompts = prompts(subject, asked, asked.row);
    if !prompts.iter().any(|prompt| holds_bytes(&prompt.plain_beside_media())) {
        return Vec::new();
    }
    vec![Finding::about(
        column,
        "the prompt says the bytes of an image or a sound as text, which shows nothing: a template with prompt_mm shows it, with its field in \
         image_url or audio_url alone",
    )]
}

/// Whether a text has the base64 of a file in it.
fn holds_bytes(text: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    BEGINNINGS.iter().any(|beginning| {
        text.match_indices(beginning).any(|(at, _)| {
            text.as_bytes()[at..].iter().take(LEAST_LETTERS).filter(|byte| is_letter(byte)).count()
                == LEAST_LETTERS
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_from_words() {
        let bytes = "A1b2".repeat(16);
        assert!(holds_bytes(&format!("Look: data:image/jpeg;base64,/9j/{bytes}")));
        assert!(holds_bytes(&format!("iVBORw0KGgo{bytes}")));
        assert!(!holds_bytes(
            "The base64 of a PNG begins with iVBORw0KGgo, that of a JPEG with /9j/."
        ));
        assert!(!holds_bytes(&bytes));
    }
}
