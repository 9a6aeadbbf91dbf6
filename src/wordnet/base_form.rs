//! The base forms of a word, by WordNet's exceptions and NLTK's endings.

use super::{Part, Words};

impl Part {
    /// Endings and what stands for them in the base form.
    fn endings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Noun => &[
                ("s", ""),
                ("ses", "s"),
                ("ves", "f"),
                ("xes", "x"),
                ("zes", "z"),
                ("ches", "ch"),
                ("shes", "sh"),
                ("men", "man"),
                ("ies", "y"),
            ],
            Self::Verb => &[
                ("s", ""),
                ("ies", "y"),
                ("es", "e"),
                ("es", ""),
                ("ed", "e"),
                ("ed", ""),
                ("ing", "e"),
                ("ing", ""),
            ],
            Self::Adjective => &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
            Self::Adverb => &[],
        }
    }
}

/// The word and its base forms, as far as they are words of this part of speech.
pub(super) fn base_forms(words: &Words, word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    match words.exceptions.get(word) {
        Some(exceptions) => forms.extend(exceptions.iter().cloned()),
        None => forms.extend(words.part.endings().iter().filter_map(|(ending, base)| {
            word.strip_suffix(ending).map(|stem| format!("{stem}{base}"))
        })),
    }
    forms.retain(|form| words.meanings.contains_key(form));
    forms
}
