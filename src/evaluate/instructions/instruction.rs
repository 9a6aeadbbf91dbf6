//! The instructions of `IFEval` with their parameters.

use serde::Deserialize;
use serde_json::{Value, json};

/// An instruction. Where a parameter is missing the original draws one at random; here it is refused.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "name", content = "parameters", deny_unknown_fields)]
pub(super) enum Instruction {
    #[serde(rename = "keywords:existence")]
    Keywords { keywords: Vec<String> },
    #[serde(rename = "keywords:frequency")]
    KeywordFrequency { keyword: String, frequency: f64, relation: Relation },
    #[serde(rename = "keywords:forbidden_words")]
    ForbiddenWords { forbidden_words: Vec<String> },
    #[serde(rename = "keywords:letter_frequency")]
    LetterFrequency { letter: String, let_frequency: f64, let_relation: Relation },
    #[serde(rename = "language:response_language")]
    Language { language: String },
    #[serde(rename = "length_constraints:number_sentences")]
    Sentences { num_sentences: f64, relation: Relation },
    #[serde(rename = "length_constraints:number_paragraphs")]
    Paragraphs { num_paragraphs: f64 },
    #[serde(rename = "length_constraints:number_words")]
    Words { num_words: f64, relation: Relation },
    #[serde(rename = "length_constraints:nth_paragraph_first_word")]
    FirstWord { num_paragraphs: f64, nth_paragraph: f64, first_word: String },
    #[serde(rename = "detectable_content:number_placeholders")]
    Placeholders { num_placeholders: f64 },
    #[serde(rename = "detectable_content:postscript")]
    Postscript { postscript_marker: String },
    #[serde(rename = "detectable_format:number_bullet_lists")]
    Bullets { num_bullets: f64 },
    #[serde(rename = "detectable_format:constrained_response")]
    FixedAnswer {},
    #[serde(rename = "detectable_format:number_highlighted_sections")]
    Highlights { num_highlights: f64 },
    #[serde(rename = "detectable_format:multiple_sections")]
    Sections { section_spliter: String, num_sections: f64 },
    #[serde(rename = "detectable_format:json_format")]
    Json {},
    #[serde(rename = "detectable_format:title")]
    Title {},
    #[serde(rename = "combination:two_responses")]
    TwoResponses {},
    #[serde(rename = "combination:repeat_prompt")]
    RepeatPrompt { prompt_to_repeat: String },
    #[serde(rename = "startend:end_checker")]
    End { end_phrase: String },
    #[serde(rename = "change_case:capital_word_frequency")]
    CapitalWords { capital_frequency: f64, capital_relation: Relation },
    #[serde(rename = "change_case:english_capital")]
    EnglishCapitals {},
    #[serde(rename = "change_case:english_lowercase")]
    EnglishLowerCase {},
    #[serde(rename = "punctuation:no_comma")]
    NoComma {},
    #[serde(rename = "startend:quotation")]
    Quotation {},
}

/// How a count is held against a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Relation {
    #[serde(rename = "less than")]
    LessThan,
    #[serde(rename = "at least")]
    AtLeast,
}

impl Instruction {
    /// The instruction of this name, or what is wrong with it.
    pub(super) fn read(name: &Value, parameters: &Value) -> Result<Self, String> {
        let described = json!({ "name": name, "parameters": parameters });
        Self::deserialize(&described).map_err(|error| format!("{name}: {error}"))
    }

    /// Why the original may judge otherwise.
    pub(super) fn departure(&self) -> Option<&'static str> {
        match self {
            Self::LetterFrequency { letter, .. } if !is_one_letter(letter) => Some(
                "an instruction is about a character that is no letter from a to z, which is counted; OpenCompass \
                 counts a letter drawn at random instead",
            ),
            Self::Sentences { .. } | Self::CapitalWords { .. } => Some(
                "sentences end where NLTK's rules and a short list of abbreviations say; OpenCompass has a trained \
                 list, and may count one more or less",
            ),
            _ => None,
        }
    }
}

impl Relation {
    /// Whether a count is as it has to be.
    pub(super) fn holds(self, count: usize, number: f64) -> bool {
        match self {
            Self::LessThan => (count as f64) < number,
            Self::AtLeast => count as f64 >= number,
        }
    }
}

fn is_one_letter(letter: &str) -> bool {
    letter.len() == 1 && letter.chars().all(|letter| letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_read_or_refused_by_name() {
        let read = |name: &str, parameters| Instruction::read(&json!(name), &parameters);
        assert_eq!(read("punctuation:no_comma", json!({})), Ok(Instruction::NoComma {}));
        let words = read(
            "length_constraints:number_words",
            json!({"num_words": 5, "relation": "at least"}),
        );
        assert_eq!(words, Ok(Instruction::Words { num_words: 5.0, relation: Relation::AtLeast }));
        for (name, parameters) in [
            ("length_constraints:number_words", json!({"num_words": 5})),
            ("length_constraints:number_words", json!({"num_words": 5, "relation": "more"})),
            ("punctuation:no_comma", json!({"comma": 1})),
            ("punctuation:no_dash", json!({})),
        ] {
            assert!(read(name, parameters).unwrap_err().contains(name), "{name}");
        }
    }
}
