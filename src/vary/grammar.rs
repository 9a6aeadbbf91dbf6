//! The formats that are taken to mean the same: what each element may be.
//!
//! The grammar is that of `FormatSpread` (M. Sclar et al., "Quantifying Language Models' Sensitivity to Spurious
//! Features in Prompt Design", ICLR 2024, appendix A), less what says nothing in a template as it stands: a separator
//! without a mark is left out, because descriptors without one cannot be told from text.

use super::Element;

/// A separator: its mark, and the white space behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Separator {
    pub(super) mark: &'static str,
    pub(super) tail: &'static str,
}

/// How descriptors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Casing {
    Title,
    Lower,
    Upper,
}

/// What options are counted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numerals {
    Upper,
    Lower,
    Digits,
    Roman,
    UpperRoman,
}

/// What stands around a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Brackets {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
}

/// What a descriptor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Question,
    Answer,
    Context,
    Options,
}

/// Words for every role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) question: &'static str,
    pub(super) answer: &'static str,
    pub(super) context: &'static str,
    pub(super) options: &'static str,
}

const fn separator(mark: &'static str, tail: &'static str) -> Separator {
    Separator { mark, tail }
}

/// Separators that are tried.
pub(super) const SEPARATORS: &[Separator] = &[
    separator(":", " "),
    separator(":", ""),
    separator(":", "\n"),
    separator(" :", " "),
    separator("::", " "),
    separator(" -", " "),
    separator(" --", " "),
    separator(" =", " "),
];

/// Marks by which a separator is known, longer ones before those that they begin with.
pub(super) const MARKS: &[&str] = &[" ::", "::", " :", ":", "：", " ->", " =>", " --", " -", " ="];

/// Joints of fields that are tried.
pub(super) const SPACINGS: &[&str] = &["\n", "\n\n", " ", " || "];

/// Joints of options that are tried.
pub(super) const OPTION_JOINTS: &[&str] = &["\n", " ", "; ", ", ", "\n\n"];

/// Joints within a line, by which a field or an option behind another is known.
pub(super) const INLINE_JOINTS: &[&str] = &[" || ", "; ", ", ", " "];

/// Casings that are tried.
pub(super) const CASINGS: &[Casing] = &[Casing::Title, Casing::Lower, Casing::Upper];

/// Numerals that are tried and known.
pub(super) const NUMERALS: &[Numerals] =
    &[Numerals::Upper, Numerals::Lower, Numerals::Digits, Numerals::Roman, Numerals::UpperRoman];

const fn brackets(open: &'static str, close: &'static str) -> Brackets {
    Brackets { open, close }
}

/// Brackets that are tried and known.
pub(super) const BRACKETS: &[Brackets] = &[
    brackets("", "."),
    brackets("(", ")"),
    brackets("", ")"),
    brackets("[", "]"),
    brackets("<", ">"),
    brackets("", ":"),
];

/// Words that are tried.
pub(super) const WORDS: &[Words] = &[
    Words { question: "Question", answer: "Answer", context: "Context", options: "Options" },
    Words { question: "Q", answer: "A", context: "Context", options: "Options" },
    Words { question: "Query", answer: "Response", context: "Passage", options: "Choices" },
    Words { question: "Problem", answer: "Solution", context: "Background", options: "Options" },
];

/// Other orders and other draws of examples that are tried.
pub(super) const SEEDS: u64 = 3;

const ROMAN: &[&str] = &["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"];

impl Casing {
    /// A descriptor in this casing.
    pub(super) fn written(self, words: &str) -> String {
        match self {
            Self::Lower => words.to_lowercase(),
            Self::Upper => words.to_uppercase(),
            Self::Title => {
                let title = |word: &str| {
                    let mut letters = word.chars();
                    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
                    first.unwrap_or_default() + &letters.as_str().to_lowercase()
                };
                words.split(' ').map(title).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Its name, in itself.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Title => "Title",
            Self::Lower => "lower",
            Self::Upper => "UPPER",
        }
    }
}

impl Numerals {
    /// The numeral of an option, counted from 0; nothing where these numerals end.
    pub(super) fn symbol(self, index: usize) -> Option<String> {
        let letter = |first: u8| {
            let letter = u8::try_from(index).ok().filter(|&index| index < 26)?;
            Some(char::from(first + letter).to_string())
        };
        match self {
            Self::Upper => letter(b'A'),
            Self::Lower => letter(b'a'),
            Self::Digits => Some((index + 1).to_string()),
            Self::Roman => ROMAN.get(index).map(|&symbol| symbol.to_owned()),
            Self::UpperRoman => ROMAN.get(index).map(|symbol| symbol.to_uppercase()),
        }
    }

    /// The first two and dots.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Upper => "A B …",
            Self::Lower => "a b …",
            Self::Digits => "1 2 …",
            Self::Roman => "i ii …",
            Self::UpperRoman => "I II …",
        }
    }
}

impl Brackets {
    /// A numeral between them.
    pub(super) fn around(self, symbol: &str) -> String {
        format!("{}{symbol}{}", self.open, self.close)
    }
}

impl Role {
    /// What a descriptor says, by its words.
    pub(super) fn of(words: &str) -> Option<Self> {
        Some(match &*words.to_lowercase() {
            "question" | "q" | "query" | "problem" => Self::Question,
            "answer" | "a" | "response" | "solution" => Self::Answer,
            "context" | "passage" | "background" | "text" => Self::Context,
            "options" | "choices" => Self::Options,
            _ => return None,
        })
    }
}

impl Words {
    /// The word for a role.
    pub(super) fn of(self, role: Role) -> &'static str {
        match role {
            Role::Question => self.question,
            Role::Answer => self.answer,
            Role::Context => self.context,
            Role::Options => self.options,
        }
    }

    /// How they are called.
    pub(super) fn name(self) -> String {
        format!("{}/{}", self.question, self.answer)
    }
}

/// A text between quotes, its line breaks to be seen.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\n', "\\n").replace('\t', "\\t"))
}

/// The grammar in words: each element, what it is, and what it may be.
pub fn grammar() -> Vec<(Element, Vec<String>)> {
    let seeds =
        |what: &str| (1..=SEEDS).map(|number| format!("{what} {number}")).collect::<Vec<String>>();
    let values = |element| match element {
        Element::Separator => SEPARATORS
            .iter()
            .map(|separator| quoted(&format!("{}{}", separator.mark, separator.tail)))
            .collect(),
        Element::Spacing => SPACINGS.iter().map(|joint| quoted(joint)).collect(),
        Element::Casing => CASINGS.iter().map(|casing| casing.name().to_owned()).collect(),
        Element::Words => WORDS.iter().map(|words| words.name()).collect(),
        Element::Numerals => NUMERALS.iter().map(|numerals| numerals.name().to_owned()).collect(),
        Element::Brackets => BRACKETS.iter().map(|brackets| brackets.around("A")).collect(),
        Element::Options => OPTION_JOINTS.iter().map(|joint| quoted(joint)).collect(),
        Element::Order => seeds("shuffle"),
        Element::Shots => vec!["1".to_owned(), "half".to_owned(), "all".to_owned()],
        Element::Draw => seeds("seed"),
    };
    Element::ALL.map(|element| (element, values(element))).to_vec()
}
