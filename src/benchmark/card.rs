//! The card of a benchmark: the docstring that its config begins with.
//!
//! A title, an empty line, then a line `key: text` for each part; indented lines go on with the part above them. All
//! parts must be there, because a reader who misses one takes it for granted: nobody asks of a figure whether it
//! is that of the other program if nothing says that it is not.

use std::fmt;

use serde::Serialize;

/// What a benchmark says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BenchmarkCard {
    /// What it is, in a sentence.
    pub title: String,
    /// Where its rows are, and who made them.
    pub source: String,
    /// Under which terms the rows may be used.
    pub licence: String,
    /// Samples that are asked about, in all its data sets.
    #[serde(rename = "samples")]
    pub sample_count: usize,
    /// How it is asked.
    pub mode: Mode,
    /// In-context examples before each sample.
    #[serde(rename = "shots")]
    pub shot_count: usize,
    /// What its figure is, and what chance gives.
    pub metric: String,
    /// How it differs from OpenCompass's config.
    pub opencompass: String,
    /// How it differs from lm-eval's task.
    #[serde(rename = "lm-eval")]
    pub lm_eval: String,
    /// What its author could not look up.
    pub unchecked: String,
}

/// How a benchmark is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The least surprising candidate is chosen.
    Ppl,
    /// The model goes on with the prompt.
    Gen,
    /// Texts are scored, nothing is chosen.
    PplOnly,
}

/// What is wrong with a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardProblem {
    /// The file does not begin with one.
    #[error(
        "the config does not begin with a card: a docstring with a title and the parts {parts}", parts = PARTS.join(", ")
    )]
    NoCard,
    /// A part is missing or empty.
    #[error("the card lacks the part `{0}:`; the parts are {parts}", parts = PARTS.join(", "))]
    Missing(&'static str),
    /// A line is no part.
    #[error(
        "the card's line {0:?} begins no part and is not indented; the parts are {parts}", parts = PARTS.join(", ")
    )]
    UnknownPart(String),
    /// A part is there twice.
    #[error("the card has the part `{0}:` twice")]
    Repeated(&'static str),
    /// A part says something else than it must.
    #[error("the card's part `{part}:` says {found:?}; it must be {expected}")]
    Malformed {
        /// The part.
        part: &'static str,
        /// What it says.
        found: String,
        /// What it must be.
        expected: &'static str,
    },
}

/// The parts, in the order in which cards are written.
const PARTS: [&str; 8] =
    ["source", "licence", "size", "asks", "metric", "opencompass", "lm-eval", "unchecked"];

/// What begins and ends a docstring.
const QUOTES: &str = "\"\"\"";

impl BenchmarkCard {
    /// Reads the card of a config's text.
    pub fn parse(config: &str) -> Result<Self, CardProblem> {
        let docstring = config
            .trim_start()
            .strip_prefix(QUOTES)
            .and_then(|rest| rest.split_once(QUOTES))
            .map(|(docstring, _)| docstring.replace("\r\n", "\n"))
            .ok_or(CardProblem::NoCard)?;
        let (title, rest) = docstring.trim().split_once("\n\n").ok_or(CardProblem::NoCard)?;
        let mut texts = parts(rest)?;
        let mut text = |part: &'static str| {
            let place = PARTS.iter().position(|known| *known == part);
            let text = place.map(|place| std::mem::take(&mut texts[place])).unwrap_or_default();
            if text.is_empty() { Err(CardProblem::Missing(part)) } else { Ok(text) }
        };
        let (mode, shot_count) = asked(text("asks")?)?;
        Ok(Self {
            title: joined(title),
            source: text("source")?,
            licence: text("licence")?,
            sample_count: size(text("size")?)?,
            mode,
            shot_count,
            metric: text("metric")?,
            opencompass: text("opencompass")?,
            lm_eval: text("lm-eval")?,
            unchecked: text("unchecked")?,
        })
    }
}

/// The text of every part, in the order of [`PARTS`]; empty if it is missing.
fn parts(lines: &str) -> Result<[String; PARTS.len()], CardProblem> {
    let mut texts: [String; PARTS.len()] = Default::default();
    let mut is_there = [false; PARTS.len()];
    let mut current = None;
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let unknown = || CardProblem::UnknownPart(line.trim().to_owned());
        let more = if line.starts_with([' ', '\t']) {
            line
        } else {
            let (name, text) = line.split_once(':').ok_or_else(unknown)?;
            let place = PARTS.iter().position(|part| *part == name).ok_or_else(unknown)?;
            if std::mem::replace(&mut is_there[place], true) {
                return Err(CardProblem::Repeated(PARTS[place]));
            }
            current = Some(place);
            text
        };
        let text = &mut texts[current.ok_or_else(unknown)?];
        *text = joined(&format!("{text} {more}"));
    }
    Ok(texts)
}

/// The words of several lines in one.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number of samples, such as `14,042`.
fn size(found: String) -> Result<usize, CardProblem> {
    let expected = "the number of samples, such as 14,042";
    match found.replace(',', "").parse() {
        Ok(size) => Ok(size),
        Err(_) => Err(CardProblem::Malformed { part: "size", found, expected }),
    }
}

/// A mode and a number of examples, such as `ppl, 5 shots`.
fn asked(found: String) -> Result<(Mode, usize), CardProblem> {
    let read = || {
        let (mode, shots) = found.split_once(", ")?;
        let mode = [Mode::Ppl, Mode::Gen, Mode::PplOnly]
            .into_iter()
            .find(|known| known.to_string() == mode)?;
        Some((mode, shots.strip_suffix(" shots")?.parse().ok()?))
    };
    let expected = "ppl, gen or ppl_only and the number of examples, such as `ppl, 5 shots`";
    read().ok_or(CardProblem::Malformed { part: "asks", found, expected })
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ppl => "ppl",
            Self::Gen => "gen",
            Self::PplOnly => "ppl_only",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r#""""Sums: what is
one and one?

source: org/sums,
  split test
licence: MIT
size: 1,234
asks: ppl, 5 shots
metric: accuracy
opencompass: has none
lm-eval: asks: otherwise
unchecked: nothing
"""
datasets = []
"#;

    fn problem(from: &str, to: &str) -> String {
        assert!(CONFIG.contains(from), "{from}");
        BenchmarkCard::parse(&CONFIG.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn a_card_is_read_whole() {
        let card = BenchmarkCard::parse(CONFIG).unwrap();
        assert_eq!(card.title, "Sums: what is one and one?");
        assert_eq!(card.source, "org/sums, split test");
        assert_eq!((card.sample_count, card.mode, card.shot_count), (1234, Mode::Ppl, 5));
        assert_eq!(card.lm_eval, "asks: otherwise");
        assert_eq!(BenchmarkCard::parse(&CONFIG.replace('\n', "\r\n")), Ok(card));
    }

    #[test]
    fn a_card_that_lacks_a_part_is_an_error() {
        for part in PARTS {
            let is_part = |line: &str| {
                line.starts_with(&format!("{part}:")) || part == "source" && line.starts_with(' ')
            };
            let lines = CONFIG.lines().filter(|line| !is_part(line));
            let config = lines.collect::<Vec<_>>().join("\n");
            assert_eq!(BenchmarkCard::parse(&config), Err(CardProblem::Missing(part)));
        }
        assert!(problem("MIT", "").contains("lacks the part `licence:`"));
    }

    #[test]
    fn what_is_no_card_is_an_error() {
        for (from, to, expected) in [
            ("\"\"\"Sums", "Sums", "does not begin with a card"),
            ("?\n\n", "?\n", "does not begin with a card"),
            ("licence: MIT", "license: MIT", "\"license: MIT\" begins no part"),
            ("\nsource:", "\n  more\nsource:", "\"more\" begins no part"),
            ("licence: MIT", "size: 3\nlicence: MIT", "`size:` twice"),
            ("1,234", "many", "`size:` says \"many\""),
            ("ppl, 5 shots", "ppl, five shots", "`asks:` says"),
            ("ppl, 5 shots", "perplexity, 5 shots", "ppl, gen or ppl_only"),
        ] {
            let problem = problem(from, to);
            assert!(problem.contains(expected), "{to}: {problem}");
        }
    }
}
