//! Images, videos and sounds that a served model of text is not sent.

use super::{
    kind::Finding,
    own_text::prompts,
    subject::{Asked, Subject},
};

/// A prompt with a turn that shows or plays something, for a model behind a server that is sent text. Models here refuse it.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    if subject.model.is_none_or(|model| model.served.is_none()) {
        return Vec::new();
    }
    let is_unsent = |prompt| subject.markup.check_media(prompt).is_err();
    let told = prompts(subject, asked, asked.row).iter().any(is_unsent).then(|| {
        Finding::new(
            "the prompt has a turn with images, video or sound (prompt_mm), and this model is sent text alone: all that the turn shows and \
             says is left out, as AISBench leaves it out; name a class of models that are sent messages",
        )
    });
    told.into_iter().collect()
}
