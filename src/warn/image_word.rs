//! Words that stand for an image to some models, in texts beside images: to the others they are letters, or tokens of their own.

use super::{
    kind::Finding,
    own_text::prompts,
    subject::{Asked, Subject},
};
use crate::{dataset::has_text, prompt::Prompt};

/// What families put where an image, a video or a sound stands, and around it. A model's own word without its image is refused before.
const WORDS: [&str; 20] = [
    "<image>",
    "<video>",
    "<audio>",
    "<image_soft_token>",
    "<start_of_image>",
    "<IMG_CONTEXT>",
    "<|image_1|>",
    "<|image|>",
    "<|video|>",
    "<|audio|>",
    "<|AUDIO|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<|media_pad|>",
    "<|vision_start|>",
    "<|begin_of_image|>",
    "[IMG]",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[AUDIO]",
];

/// A text of a row for a template with images that says such a word.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let in_row = asked.row.iter().find_map(|(column, cell)| {
        let is_in_cell = |word: &&str| has_text(cell, &|text| text.contains(*word));
        Some((column, WORDS.into_iter().find(is_in_cell)?))
    });
    let Some((column, word)) = in_row else { return Vec::new() };
    let is_said =
        |prompt: &Prompt| prompt.shows_media() && prompt.plain_beside_media().contains(word);
    if !prompts(subject, asked, asked.row).iter().any(is_said) {
        return Vec::new();
    }
    vec![Finding::about(
        column,
        format!(
            "the row says {word}, which stands for an image, a video or a sound to some models; here they stand where the template names them, and the \
             word is read beside them: take it out of the data"
        ),
    )]
}
