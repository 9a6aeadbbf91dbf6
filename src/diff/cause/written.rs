//! What happens behind a prompt that is continued: when the text ends, and what is taken out of it.

use super::{Cause, CauseKind, Evidence};
use crate::{
    diff::{pair::Pair, side::Answer},
    report::grouped,
};

/// Equal prompts, and one text is the beginning of the other.
pub(super) fn stopping(evidence: &Evidence<'_>) -> Option<Cause> {
    let differs =
        |pair: &&Pair<'_>| pair.has_same_texts() == Some(false) && pair.has_same_prompts();
    let differing: Vec<&Pair<'_>> = evidence.pairs.iter().filter(differs).collect();
    let is_beginning = |pair: &&&Pair<'_>| {
        let texts = [pair.left.generated(), pair.right.generated()].map(Option::unwrap_or_default);
        texts[0].iter().zip(&texts[1]).all(|(own, other)| {
            own.trim_end().starts_with(other.trim_end())
                || other.trim_end().starts_with(own.trim_end())
        })
    };
    let explained = differing.iter().filter(is_beginning).count();
    if explained == 0 {
        return None;
    }
    let longer = |side: usize| {
        let length = |texts: Option<Vec<&str>>| texts.map_or(0, |texts| texts.concat().len());
        let is_longer = |pair: &&&Pair<'_>| {
            let lengths = [length(pair.left.generated()), length(pair.right.generated())];
            lengths[side] > lengths[1 - side]
        };
        differing.iter().filter(is_beginning).filter(is_longer).count()
    };
    let side = usize::from(longer(1) > longer(0));
    let sentence = format!(
        "Stop words or the limit of tokens: one text is the beginning of the other in {} of {} samples with equal prompts and \
         other texts; {} writes on in {}.",
        grouped(explained),
        grouped(differing.len()),
        evidence.name(side),
        grouped(longer(side))
    );
    Some(Cause { kind: CauseKind::Stopping, sentence, explained, of: differing.len() })
}

/// Equal texts, other answers.
pub(super) fn post_processing(evidence: &Evidence<'_>) -> Option<Cause> {
    let is_text = |pair: &&Pair<'_>| {
        matches!(
            (&pair.left.answer, &pair.right.answer),
            (Some(Answer::Text(_)), Some(Answer::Text(_)))
        )
    };
    let changed: Vec<&Pair<'_>> = evidence
        .pairs
        .iter()
        .filter(is_text)
        .filter(|pair| pair.has_same_answer() == Some(false))
        .collect();
    let explained = changed.iter().filter(|pair| pair.has_same_texts() == Some(true)).count();
    if explained == 0 {
        return None;
    }
    let sentence = format!(
        "Post-processing: the model wrote the same, and another answer is taken out of it, in {} of {} samples whose answers \
         differ.",
        grouped(explained),
        grouped(changed.len())
    );
    Some(Cause { kind: CauseKind::PostProcessing, sentence, explained, of: changed.len() })
}
