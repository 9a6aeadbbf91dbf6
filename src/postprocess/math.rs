//! `math`, `math_v2` and `math_judgement`: the final answer of a worked solution.

use std::sync::LazyLock;

use super::{
    Processed, boxed::boxed_answer, final_answer::normalized_final_answer,
    python_regex::PythonRegex,
};

/// The sentence with "final answer", or the first one, normalised.
pub(super) fn process(text: &str) -> Processed {
    let mut sentences = text.split('.');
    let first = text.split('.').next().unwrap_or_default();
    let answer = sentences.find(|sentence| sentence.to_lowercase().contains("final answer"));
    Ok(normalized_final_answer(answer.unwrap_or(first))?.into())
}

/// The last box; without one, the first sentence with "final answer" or "answer is", or the first
/// sentence, normalised.
pub(crate) fn process_v2(text: &str) -> Processed {
    if let Some(boxed) = boxed_answer(text, true)?.filter(|boxed| !boxed.is_empty()) {
        return Ok(boxed.into());
    }
    let introduces = |sentence: &&str| {
        let sentence = sentence.to_lowercase();
        sentence.contains("final answer") || sentence.contains("answer is")
    };
    let first = text.split('.').next().unwrap_or_default();
    Ok(normalized_final_answer(text.split('.').find(introduces).unwrap_or(first))?.into())
}

/// What stands behind "Answer:" on its line, or nothing.
pub(super) fn process_judgement(text: &str) -> Processed {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?i)ANSWER\s*:\s*([^\n]+)"));
    Ok(ANSWER.first(text)?.unwrap_or_default().into())
}
