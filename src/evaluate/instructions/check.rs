//! Whether a text follows an instruction.

use std::sync::LazyLock;

use super::{
    instruction::Instruction,
    language::{is_in, is_lower, is_upper},
    pieces,
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::blank::strip,
};

/// The answers that may be fixed.
const FIXED: &[&str] = &["My answer is yes.", "My answer is no.", "My answer is maybe."];

/// Checks one instruction. Keywords are patterns, as in the original.
pub(super) fn is_followed(instruction: &Instruction, text: &str) -> Result<bool, PatternError> {
    Ok(match instruction {
        Instruction::Keywords { keywords } => {
            for keyword in keywords {
                if !any_case(keyword)?.finds(text)? {
                    return Ok(false);
                }
            }
            true
        }
        Instruction::KeywordFrequency { keyword, frequency, relation } => {
            relation.holds(any_case(strip(keyword))?.all(text)?.len(), *frequency)
        }
        Instruction::ForbiddenWords { forbidden_words } => {
            for word in forbidden_words {
                if any_case(&format!(r"\b{word}\b"))?.finds(text)? {
                    return Ok(false);
                }
            }
            true
        }
        Instruction::LetterFrequency { letter, let_frequency, let_relation } => {
            let letter = strip(letter).to_lowercase();
            let count =
                if letter.is_empty() { 0 } else { text.to_lowercase().matches(&letter).count() };
            let_relation.holds(count, *let_frequency)
        }
        Instruction::Language { language } => is_in(text, language),
        Instruction::Sentences { num_sentences, relation } => {
            relation.holds(pieces::sentences(text)?, *num_sentences)
        }
        Instruction::Paragraphs { num_paragraphs } => {
            pieces::paragraphs(text)?.is_some_and(|count| is_number(count, *num_paragraphs))
        }
        Instruction::Words { num_words, relation } => {
            static WORD: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\w+"));
            relation.holds(WORD.all(text)?.len(), *num_words)
        }
        Instruction::FirstWord { num_paragraphs, nth_paragraph, first_word } => {
            pieces::begins_with(text, *num_paragraphs, *nth_paragraph, first_word)
        }
        Instruction::Placeholders { num_placeholders } => {
            static PLACE: LazyLock<PythonRegex> =
                LazyLock::new(|| PythonRegex::constant(r"\[.*?\]"));
            PLACE.all(text)?.len() as f64 >= *num_placeholders
        }
        Instruction::Postscript { postscript_marker } => {
            has_postscript(text, strip(postscript_marker))?
        }
        Instruction::Bullets { num_bullets } => is_number(pieces::bullets(text)?, *num_bullets),
        Instruction::FixedAnswer {} => FIXED.iter().any(|answer| text.contains(answer)),
        Instruction::Highlights { num_highlights } => {
            pieces::highlights(text)? as f64 >= *num_highlights
        }
        Instruction::Sections { section_spliter, num_sections } => {
            let pattern = format!(r"\s?{}\s?\d+\s?", strip(section_spliter));
            PythonRegex::new(&pattern)?.matches(text)?.len() as f64 >= *num_sections
        }
        Instruction::Json {} => pieces::is_json(text),
        Instruction::Title {} => pieces::has_title(text)?,
        Instruction::TwoResponses {} => pieces::are_two_responses(text),
        Instruction::RepeatPrompt { prompt_to_repeat } => {
            strip(text).to_lowercase().starts_with(&strip(prompt_to_repeat).to_lowercase())
        }
        Instruction::End { end_phrase } => {
            let text = strip(text).trim_matches('"').to_lowercase();
            text.ends_with(&strip(end_phrase).to_lowercase())
        }
        Instruction::CapitalWords { capital_frequency, capital_relation } => {
            capital_relation.holds(pieces::capital_words(text)?, *capital_frequency)
        }
        Instruction::EnglishCapitals {} => is_upper(text) && is_in(text, "en"),
        Instruction::EnglishLowerCase {} => is_lower(text) && is_in(text, "en"),
        Instruction::NoComma {} => !text.contains(','),
        Instruction::Quotation {} => {
            let text = strip(text);
            text.len() > 1 && text.starts_with('"') && text.ends_with('"')
        }
    })
}

fn is_number(count: usize, number: f64) -> bool {
    (count as f64).total_cmp(&number).is_eq()
}

fn any_case(pattern: &str) -> Result<PythonRegex, PatternError> {
    PythonRegex::new(&format!("(?i){pattern}"))
}

fn has_postscript(text: &str, marker: &str) -> Result<bool, PatternError> {
    let pattern = match marker {
        "P.P.S" => r"(?m)\s*p\.\s?p\.\s?s.*$".to_owned(),
        "P.S." => r"(?m)\s*p\.\s?s\..*$".to_owned(),
        other => format!(r"(?m)\s*{}.*$", other.to_lowercase()),
    };
    PythonRegex::new(&pattern)?.finds(&text.to_lowercase())
}
