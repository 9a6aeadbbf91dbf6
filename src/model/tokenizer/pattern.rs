//! Regular expressions that tokenizers split words with.
//!
//! They are long alternations put together from the same few dozen alternatives. Which of those can
//! match across the end of a word is known for each; an expression with an alternative that is not
//! known here is not reasoned about.

use super::stages::Effect;

/// Alternatives that never match a visible ASCII character or an ideograph followed by a space, nor a
/// letter followed by a line feed; that look at nothing before their match; and that look no further
/// behind it than at the character after a run of white space.
const NEVER_JOINING: &[&str] = &[
    r"\s+",
    r"\s+$",
    r"\s+(?!\S)",
    r"\s*[\r\n]",
    r"\s*[\r\n]+",
    r"[\r\n]",
    r"[\r\n]+",
    r"'s",
    r"'t",
    r"'re",
    r"'ve",
    r"'m",
    r"'ll",
    r"'d",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
    r"\p{L}+",
    r" ?\p{L}+",
    r"[^\r\n\p{L}\p{N}]?\p{L}+",
    r"[^\r\n\p{L}\p{N}]?+\p{L}+",
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
    r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    "[一-龥぀-ゟ゠-ヿ]+",
    r"\d",
    r"\d+",
    r"\d{1,3}",
    r"[0-9]",
    r"[0-9][0-9][0-9]",
    r"\p{N}",
    r"\p{N}+",
    r" ?\p{N}+",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
    r" ?[\p{P}\p{S}]+[\r\n]*",
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"##,
    r"\s",
    r"\p{Lu}+",
    r"\p{Lu}\p{Ll}+",
    r" ?\p{Ll}+",
];

/// The same, but for a space behind punctuation, which they match too.
const JOINING_PUNCTUATION: &[&str] = &[r"[^\s\p{L}\p{N}]+ ?"];

/// What splitting at the matches of `pattern` does between the end of a word and the white space `next`.
pub(super) fn effect(pattern: &str, next: char) -> Effect {
    let alternatives = alternatives(pattern);
    let joins_punctuation = |own: &&str| JOINING_PUNCTUATION.contains(own);
    if !alternatives.iter().all(|own| NEVER_JOINING.contains(own) || joins_punctuation(own)) {
        return Effect::Unknown;
    }
    // No match reaches over the end of the word, so the search comes to the white space behind it,
    // and there is always a match if `\s` is there to match it.
    let divides = alternatives.iter().any(|own| [r"\s", r"\s+"].contains(own));
    match (divides, next == ' ' && alternatives.iter().any(joins_punctuation)) {
        (true, false) => Effect::Divides,
        (true, true) => Effect::DividesWords,
        (false, false) => Effect::Independent,
        (false, true) => Effect::Unknown,
    }
}

/// The alternatives at the top level of a regular expression.
fn alternatives(pattern: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut groups, mut in_class, mut escaped) = (0, 0_usize, false, false);
    for (at, letter) in pattern.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match letter {
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => groups += 1,
            ')' if !in_class => groups = groups.saturating_sub(1),
            '|' if !in_class && groups == 0 => {
                found.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&pattern[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_known_by_their_alternatives() {
        let llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
        let deepseek = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
        assert_eq!(alternatives(llama3).len(), 7);
        assert_eq!(effect(llama3, ' '), Effect::Divides);
        assert_eq!(effect(deepseek, ' '), Effect::Divides);
        assert_eq!(effect(r"\p{N}{1,3}", ' '), Effect::Independent);
        assert_eq!(effect(r"\p{N}{1,3}(?=(\d{3})+\b)|\s+", ' '), Effect::Unknown);
        assert_eq!(effect("", ' '), Effect::Unknown);
        let joining = r" ?\p{Ll}+|[^\s\p{L}\p{N}]+ ?|\s";
        assert_eq!(effect(joining, ' '), Effect::DividesWords);
        assert_eq!(effect(joining, '\n'), Effect::Divides);
        assert_eq!(effect(r"\p{L}+|[^\s\p{L}\p{N}]+ ?", ' '), Effect::Unknown);
    }
}
