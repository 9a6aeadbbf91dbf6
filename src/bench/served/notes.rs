//! What is to be known of a load's figures, and why some are not there.

use super::{AnswerRecord, Load, LoadReport, figures::MeasuredLoad};

/// What is to be known of figures that are there, and why others are not.
pub(super) fn notes(
    measured: &MeasuredLoad<'_>,
    report: &LoadReport,
    answers: &[(f64, &AnswerRecord)],
) -> Vec<String> {
    let mut notes = Vec::new();
    let of = answers.len();
    let count = |is: &dyn Fn(&AnswerRecord) -> bool| answers.iter().filter(|own| is(own.1)).count();
    let whole = count(&|own| own.pieces.is_empty());
    let uncounted = count(&|own| own.new_tokens.is_none());
    let unshared =
        count(&|own| !own.pieces.is_empty() && own.new_tokens.is_some() && !own.has_piece_tokens);
    let wordless = count(&|own| own.prompt_tokens.is_none());
    if whole > 0 {
        notes.push(format!(
            "{whole} of {of} answers have no text that came in pieces, and are not in TTFT, TPOT and ITL"
        ));
    }
    if uncounted > 0 {
        notes.push(format!(
            "the server does not tell how many tokens {uncounted} of {of} answers have (usage): they are not in TPOT, and \
             there are no output tokens a second; the model's own --tokenizer counts them"
        ));
    }
    if unshared > 0 {
        notes.push(format!(
            "of {unshared} of {of} answers it is not known which piece holds how many tokens: they are not in ITL, and their \
             TPOT takes the first piece for one token and hidden thinking for shown; the model's own --tokenizer counts them"
        ));
    }
    if wordless > 0 {
        notes.push(format!(
            "the server does not tell how many tokens {wordless} of {of} prompts have (usage): no input tokens a second"
        ));
    }
    if let Load::Concurrency(at_once) = measured.load
        && at_once > 1
        && report.requests < at_once.saturating_mul(2)
    {
        notes.push(format!(
            "{} requests are less than two rounds of {at_once} at once: throughput holds the beginning and the end, where \
             fewer are under way",
            report.requests
        ));
    }
    notes
}
