//! Words of short texts in English, in Chinese or in both, and how far two texts share them.
//!
//! English words are `SQuAD`'s: in lower case, without punctuation and articles. A Chinese letter is a word of its own, so
//! that no dictionary decides what is compared; Chinese punctuation goes as well. The letters decide, not a setting: a set
//! of both languages has one figure.

use super::{
    common_subsequence::common_length,
    token_f1::{CHINESE_PUNCTUATION, english_words, f1},
};
use crate::{
    postprocess::{PatternError, is_unspaced},
    python::is_blank,
};

/// The words of a text.
pub(super) fn mixed_words(text: &str) -> Result<Vec<String>, PatternError> {
    let is_kept = |letter: &char| is_blank(*letter) || !CHINESE_PUNCTUATION.contains(*letter);
    let plain: String = text.chars().filter(is_kept).collect();
    let mut words = Vec::new();
    for stretch in english_words(&plain)? {
        let mut rest = stretch.as_str();
        while let Some(first) = rest.chars().next() {
            let end = if is_unspaced(first) {
                first.len_utf8()
            } else {
                rest.find(is_unspaced).unwrap_or(rest.len())
            };
            let (word, after) = rest.split_at(end);
            words.push(word.to_owned());
            rest = after;
        }
    }
    Ok(words)
}

/// How far a text is another, by its words, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Overlap {
    /// F1 of the words, each counted as often as both have it.
    pub(super) token_f1: f64,
    /// F1 of the longest common subsequence.
    pub(super) rouge_l: f64,
}

impl Overlap {
    /// The overlap of two texts' words. Two texts without words are the same.
    pub(super) fn of(words: &[String], other: &[String]) -> Self {
        if words.is_empty() && other.is_empty() {
            return Self { token_f1: 1.0, rouge_l: 1.0 };
        }
        // 2·P·R / (P + R) with P = c / l and R = c / m is 2·c / (l + m).
        let common = common_length(other, words) as f64;
        let rouge_l = 2.0 * common / (words.len() + other.len()) as f64;
        Self { token_f1: f1(words, other), rouge_l }
    }

    /// The better of two, each figure for itself.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            token_f1: self.token_f1.max(other.token_f1),
            rouge_l: self.rouge_l.max(other.rouge_l),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_script_is_cut_in_its_way() {
        for (text, expected) in [
            ("Who designed the Traba Bridge?", "who designed traba bridge"),
            ("“霞飞瀑布”春天有多高？", "霞 飞 瀑 布 春 天 有 多 高"),
            ("1908年的GPT4，", "1908 年 的 gpt4"),
            ("The", ""),
            ("— … 。", ""),
        ] {
            assert_eq!(mixed_words(text).unwrap().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn order_counts_in_one_figure_alone() {
        let words = |text: &str| mixed_words(text).unwrap();
        let found = Overlap::of(&words("它 多 高"), &words("高 多 它"));
        assert!((found.token_f1 - 1.0).abs() < 1e-12);
        assert!((found.rouge_l - 1.0 / 3.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn figures_are_shares_and_say_the_same_both_ways(one in any::<String>(), other in any::<String>()) {
            let (one, other) = (mixed_words(&one).unwrap(), mixed_words(&other).unwrap());
            let found = Overlap::of(&one, &other);
            let back = Overlap::of(&other, &one);
            for share in [found.token_f1, found.rouge_l] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
            prop_assert!((found.token_f1 - back.token_f1).abs() < 1e-12);
            prop_assert!((found.rouge_l - back.rouge_l).abs() < 1e-12);
            prop_assert!(found.rouge_l <= found.token_f1 + 1e-12);
        }
    }
}
