//! Tags of pieces that a prompt says as text: AISBench's form reads them in one column alone.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::prompt::piece_tag;

/// A prompt with a tag in it.
pub(super) fn find(_: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let mut prompts = asked.prepared.all_prompts();
    let Some(tag) = prompts.find_map(|prompt| piece_tag(&prompt.text)) else { return Vec::new() };
    vec![Finding::new(format!(
        "the prompt says {tag} as text, and nothing is shown there: pieces are read from the column content, or from question where there is \
         none, by an MMPromptTemplate or a template with prompt_mm"
    ))]
}
