//! `first_option`: which of the options a free answer settles on.
//!
//! A list of phrasings is tried in order, and the first one that names an option decides. The list
//! and its order *are* the metric: scores are comparable with OpenCompass's only while both are
//! kept, traps included. So each line below says what OpenCompass's line of the same rank matches,
//! and none is mended.

use serde::Deserialize;
use serde_json::Value;

use super::{
    PostprocessError, Postprocessor,
    blank::strip,
    python_regex::{PatternError, PythonRegex},
};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
};

/// Phrasings, most trusted first. `@` stands for one option, captured, and
/// `(?:@)` for one that is not. The text has no blanks at its
/// ends, so its end is written `\Z`.
const PHRASINGS: &[&str] = &[
    // "The answer (is) A", with or without a colon of either width.
    r"答案是?\s*@",
    r"答案是?\s*：\s*@",
    r"答案是?\s*:\s*@",
    r"答案选项应?该?是\s*@",
    r"答案选项应?该?为\s*@",
    r"答案应该?是\s*@",
    r"答案应该?选\s*@",
    r"答案选项为?\s*：\s*@",
    r"答案选项为?\s+\(?\*?\*?@\*?\*?\)?",
    r"答案选项是?\s*:\s*@",
    r"答案为\s*@",
    r"答案选\s*@",
    // "Choose A": wide enough to catch a choice that is being rejected.
    r"选择?\s*@",
    // Two phrasings that OpenCompass runs together by a missing comma.
    r"故选?\s*@只有选?项?\s?@\s?是?对",
    // "Only A is right / wrong".
    r"只有选?项?\s?@\s?是?错",
    r"只有选?项?\s?@\s?不?正确",
    r"只有选?项?\s?@\s?错误",
    r"说法不?对选?项?的?是\s?@",
    r"说法不?正确选?项?的?是\s?@",
    r"说法错误选?项?的?是\s?@",
    r"@\s?是正确的",
    r"@\s?是正确答案",
    r"选项\s?@\s?正确",
    // "So A", at the end of the text unless said otherwise.
    r"所以答\s?@",
    r"所以\s?@[.。$]?\Z",
    r"所有\s?@[.。$]?\Z",
    r"[\s，：:,]@[。，,.]?\Z",
    r"[\s，：:,][故即]@[。.]?\Z",
    r"[\s，：:,]因此@[。.]?\Z",
    r"[是为。]\s?@[。.]?\Z",
    r"因此\s?@[。.]?\Z",
    r"显然\s?@[。.]?\Z",
    // "The answer is <words>": the words are searched for options.
    r"答案是\s?(\S+)(?:。|\Z)",
    r"答案应该是\s?(\S+)(?:。|\Z)",
    r"答案为\s?(\S+)(?:。|\Z)",
    // English.
    r"(?i)ANSWER\s*:\s*@",
    r"[Tt]he answer is:?\s+\(?@\)?",
    r"[Tt]he answer is:?\s+\(?\*?\*?@\*?\*?\)?",
    r"[Tt]he answer is option:?\s+\(?@\)?",
    r"[Tt]he correct answer is:?\s+\(?@\)?",
    r"[Tt]he correct answer is option:?\s+\(?@\)?",
    r"[Tt]he correct answer is:?.*?boxed\{@\}",
    r"[Tt]he correct option is:?.*?boxed\{@\}",
    r"[Tt]he correct answer option is:?.*?boxed\{@\}",
    r"[Tt]he answer to the question is:?\s+\(?@\)?",
    // At the start of the text.
    r"^选项\s?@",
    r"^@\s?选?项",
    // Captures the blank in front and not the option, so that only the start of the text succeeds.
    r"(\s|^)(?:@)[\s。，,：:.$]",
    // Meant for "1. A"; the dot is any character, so "12 … A" passes too.
    r"1.\s?(.*?)\Z",
    r"1.\s?@[.。$]?\Z",
];

/// What is tried when nothing above fits: an option before a colon, then an option anywhere.
const CUSHION: &[&str] = &["@:", "@"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    options: String,
    #[serde(default = "yes")]
    cushion: bool,
}

fn yes() -> bool {
    true
}

/// Finds the option that an answer names.
pub(crate) struct FirstOption {
    options: Vec<char>,
    phrasings: Vec<PythonRegex>,
}

impl FirstOption {
    /// Reads `options` (the letters, as one string) and `cushion` (default `True`: when no phrasing
    /// fits, take any option that occurs).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        let Parameters { options, cushion } = component.read()?;
        let built = Self::new(&options, cushion);
        Ok(Box::new(built.map_err(|error| error.at(&component.origin))?))
    }

    /// For options that are letters, as one text.
    pub(crate) fn new(options: &str, cushion: bool) -> Result<Self, PatternError> {
        let cushion = if cushion { CUSHION } else { &[] };
        let compile = |phrasing: &&str| {
            let option = format!("[{options}]");
            let uncaptured = phrasing.replace("(?:@)", &option);
            PythonRegex::dotall(&uncaptured.replace('@', &format!("({option})")))
        };
        let phrasings = PHRASINGS.iter().chain(cushion).map(compile).collect::<Result<_, _>>()?;
        Ok(Self { options: options.chars().collect(), phrasings })
    }
}

impl Postprocessor for FirstOption {
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        let text = strip(text);
        for phrasing in &self.phrasings {
            let Some(captures) = phrasing.search(text)? else { continue };
            let group = captures.get(1).filter(|group| !group.as_str().is_empty());
            let named = group.or(captures.get(0)).map_or("", |found| found.as_str());
            if let Some(option) = self.options.iter().find(|&&option| named.contains(option)) {
                return Ok(Value::String(option.to_string()));
            }
        }
        Ok(Value::String(String::new()))
    }

    fn gives(&self, answer: &str) -> Option<bool> {
        let mut letters = answer.chars();
        let only = letters.next().filter(|_| letters.next().is_none());
        Some(only.is_some_and(|letter| self.options.contains(&letter)))
    }
}
