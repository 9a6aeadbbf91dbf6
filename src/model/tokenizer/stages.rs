//! The stages of a `tokenizer.json` before its model, as far as cutting texts needs to know them.
//!
//! Not the stages themselves, which the crate `tokenizers` runs: only what each does between the last
//! character of a word and the white space behind it. What is not listed is unknown, and a tokenizer
//! with an unknown stage is never asked about part of a text.

use serde::Deserialize;

use super::pattern;

/// What a stage does between the end of a word and white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It always divides the text there, and what it does on either side does not depend on the other.
    Divides,
    /// The same behind letters and digits; a space behind punctuation belongs to the punctuation.
    DividesWords,
    /// It may leave the text in one piece there, but what it does on either side does not depend on the
    /// other.
    Independent,
    /// Nothing is known.
    Unknown,
}

/// Changes the characters of a text.
#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum Normalizer {
    /// One after the other.
    Sequence {
        /// In this order.
        normalizers: Vec<Normalizer>,
    },
    /// Unicode's normal forms: none composes or decomposes a space, a line feed, an ASCII character
    /// before one of them, or a unified ideograph.
    #[serde(rename = "NFC", alias = "NFD", alias = "NFKC", alias = "NFKD")]
    Nfc,
    /// Puts a text before every stretch between added tokens.
    Prepend,
    /// Replaces a text by another.
    Replace {
        /// What is replaced.
        pattern: Pattern,
        /// By what.
        content: String,
    },
    /// Anything else.
    #[serde(other)]
    Unknown,
}

/// Divides a text into words.
#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum PreTokenizer {
    /// One after the other, each on the pieces of the one before.
    Sequence {
        /// In this order.
        pretokenizers: Vec<PreTokenizer>,
    },
    /// GPT-2's words, as bytes.
    ByteLevel {
        /// Whether every piece is made to begin with a space.
        add_prefix_space: bool,
        /// Whether words are split here, or only turned into bytes.
        #[serde(default = "yes")]
        use_regex: bool,
    },
    /// Divides at every match.
    Split {
        /// What is looked for.
        pattern: Pattern,
        /// What becomes of a match.
        behavior: String,
        /// Whether what is between matches takes their place.
        invert: bool,
    },
    /// Divides digits from what is none.
    Digits,
    /// Divides punctuation from what is none.
    Punctuation {
        /// What becomes of punctuation.
        behavior: String,
    },
    /// Writes spaces as `▁`.
    Metaspace {
        /// What it really writes.
        replacement: char,
        /// Which pieces are made to begin with one.
        prepend_scheme: String,
        /// Whether the text is divided before each.
        split: bool,
    },
    /// Anything else.
    #[serde(other)]
    Unknown,
}

/// What a stage looks for.
#[derive(Deserialize)]
pub(super) enum Pattern {
    /// Exactly this text.
    String(String),
    /// A regular expression.
    Regex(String),
}

impl Normalizer {
    /// What a space becomes; nothing if it is not known whether the text on one side of a cut changes
    /// with the other.
    pub(super) fn space(&self) -> Option<char> {
        match self {
            Self::Nfc | Self::Prepend => Some(' '),
            Self::Replace { pattern: Pattern::String(pattern), content }
                if pattern == " " && content == "▁" =>
            {
                Some('▁')
            }
            Self::Sequence { normalizers } => {
                normalizers.iter().try_fold(' ', |space, next| match next.space()? {
                    ' ' => Some(space),
                    written => Some(written),
                })
            }
            Self::Replace { .. } | Self::Unknown => None,
        }
    }
}

impl PreTokenizer {
    /// The single stages, in order.
    pub(super) fn stages(&self) -> Vec<&Self> {
        match self {
            Self::Sequence { pretokenizers } => {
                pretokenizers.iter().flat_map(Self::stages).collect()
            }
            single => vec![single],
        }
    }

    /// What a space becomes.
    pub(super) fn space(&self) -> Option<char> {
        match self {
            Self::Metaspace { replacement, .. } => Some(*replacement),
            _ => None,
        }
    }

    /// What it does before the white space `next`, `' '` or `'\n'`. `is_first` says whether it is given
    /// whole stretches of text, and not pieces of them.
    pub(super) fn effect(&self, next: char, is_first: bool) -> Effect {
        // A piece that is made to begin with a space differs from what it is behind other text. Pieces
        // that begin with a space stay as they are.
        let marks_starts = next != ' ' && !is_first;
        match self {
            Self::ByteLevel { add_prefix_space: true, .. } if marks_starts => Effect::Unknown,
            Self::ByteLevel { use_regex: true, .. } => Effect::Divides,
            Self::Metaspace { prepend_scheme, .. } if marks_starts && prepend_scheme != "never" => {
                Effect::Unknown
            }
            Self::Metaspace { replacement: '▁', split, .. } => {
                if *split && next == ' ' {
                    Effect::Divides
                } else {
                    Effect::Independent
                }
            }
            Self::Split { pattern: Pattern::Regex(pattern), behavior, invert } => {
                match (behavior.as_str(), invert) {
                    ("Isolated", false) | ("Removed", true) => pattern::effect(pattern, next),
                    _ => Effect::Unknown,
                }
            }
            Self::Split { pattern: Pattern::String(pattern), behavior, invert: false }
                if pattern == " " && behavior == "MergedWithPrevious" =>
            {
                Effect::Independent
            }
            Self::Digits => Effect::Independent,
            Self::Punctuation { behavior }
                if behavior == "Isolated" || behavior == "Contiguous" =>
            {
                Effect::Independent
            }
            _ => Effect::Unknown,
        }
    }
}

fn yes() -> bool {
    true
}
