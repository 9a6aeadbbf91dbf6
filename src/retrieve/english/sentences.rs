//! Where sentences end: the method of Kiss and Strunk, "Unsupervised Multilingual Sentence Boundary
//! Detection" (2006), as NLTK applies it, with a vocabulary in the place of a trained model.
//!
//! Every `.`, `?` or `!` that something follows is a candidate. Its word and the next one are
//! looked at alone, first each by itself (an abbreviation? an ellipsis?), then the two together (is
//! the second one likely to open a sentence?). Closing quotes and brackets that follow an end go to
//! the sentence that they close.

use std::{ops::Range, sync::LazyLock};

use fancy_regex::{Error, Regex};

use super::vocabulary::{is_abbreviation, is_sentence_opener};

/// Marks that cannot be part of a word.
const NON_WORD: &str = r#"[)";}\]*:@'({\[‘’“”«»?!]"#;
/// Dashes and ellipses, also with blanks between the periods.
const DOTS_AND_DASHES: &str = r"(?:-{2,}|\.{2,}|(?:\.\s){2,}\.)";

/// A candidate, and what follows it: a mark, or blanks and the next word.
static CANDIDATE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"[.?!](?=(?<after>{NON_WORD}|\s+(?<next>\S+)))")));

/// A token of the text around a candidate. Periods stay with their words.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let end = format!(r"(?:\s|$|{NON_WORD}|{DOTS_AND_DASHES})");
    let start = r#"[^("`{\[:;&#*@)}\]\-,]"#;
    pattern(&format!(r"{DOTS_AND_DASHES}|(?={start})\S+?(?={end}|,{end})|\S"))
});

/// Closing marks at the start of what would be the next sentence.
static CLOSING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)\A["')\]}‘’“”«»]+?(?:\s+|(?=--)|$)"#));

/// The sentences of a text, without the blanks between them.
pub(super) fn sentences(text: &str) -> Result<Vec<&str>, Error> {
    let spans = realigned(text, &split(text)?)?;
    Ok(spans
        .into_iter()
        .filter_map(|span| text.get(span))
        .filter(|part| !part.is_empty())
        .collect())
}

/// A candidate with the text by which it is judged.
struct Candidate {
    /// Just after the mark.
    end: usize,
    /// Where the next sentence would start.
    next_start: usize,
    /// From the start of the word before the mark to the end of what follows it.
    context: Range<usize>,
}

/// Cuts the text after every candidate that ends a sentence.
fn split(text: &str) -> Result<Vec<Range<usize>>, Error> {
    let mut spans = Vec::new();
    let mut start = 0;
    for candidate in candidates(text)? {
        let context = text.get(candidate.context).unwrap_or_default();
        if contains_end(&tokens(context)?) {
            spans.push(start..candidate.end);
            start = candidate.next_start;
        }
    }
    spans.push(start..text.trim_end().len());
    Ok(spans)
}

/// The candidates of a text; of several in one word only the last.
fn candidates(text: &str) -> Result<Vec<Candidate>, Error> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut word = 0..0;
    for captures in CANDIDATE.captures_iter(text) {
        let captures = captures?;
        let (Some(mark), Some(after)) = (captures.get(0), captures.name("after")) else { continue };
        let before = text.get(word.end..mark.start()).unwrap_or_default();
        let word_start = match before.rfind(is_ascii_blank) {
            Some(blank) if blank > 0 => word.end + blank + 1,
            _ => word.start,
        };
        if word_start < word.end {
            candidates.pop();
        }
        word = word_start..mark.start();
        candidates.push(Candidate {
            end: mark.end(),
            next_start: captures.name("next").map_or(mark.end(), |next| next.start()),
            context: word_start..after.end(),
        });
    }
    Ok(candidates)
}

fn is_ascii_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// A token and what is known of it.
struct Token<'t> {
    text: &'t str,
    /// In lower case; numbers are all alike.
    kind: String,
    ends_sentence: bool,
    is_abbreviation: bool,
    is_ellipsis: bool,
}

/// What stands for every number.
const NUMBER: &str = "##number##";

fn tokens(context: &str) -> Result<Vec<Token<'_>>, Error> {
    let mut tokens = Vec::new();
    for line in context.split('\n') {
        for found in TOKEN.find_iter(line) {
            tokens.push(Token::new(found?.as_str()));
        }
    }
    Ok(tokens)
}

impl<'t> Token<'t> {
    /// Judges the token by itself.
    fn new(text: &'t str) -> Self {
        let lower = text.to_lowercase();
        let is_ellipsis = text.len() > 1 && text.bytes().all(|byte| byte == b'.');
        let word = lower.strip_suffix('.').filter(|_| !text.ends_with(".."));
        let is_abbreviation = word.is_some_and(is_abbreviation);
        let is_mark = matches!(text, "." | "?" | "!");
        let ends_sentence = is_mark || word.is_some() && !is_abbreviation;
        let kind = if is_number(&lower) { NUMBER.to_owned() } else { lower };
        Self { text, kind, ends_sentence, is_abbreviation, is_ellipsis }
    }

    /// A letter and a period.
    fn is_initial(&self) -> bool {
        let mut letters = self.text.chars();
        let letter = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
        letter && letters.as_str() == "."
    }

    fn starts_upper(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// A capitalised word that often opens a sentence.
    fn is_opener(&self) -> bool {
        let word = self.kind.strip_suffix('.').filter(|_| self.ends_sentence).unwrap_or(&self.kind);
        self.starts_upper() && is_sentence_opener(word)
    }

    /// A mark or a word in lower case, with which no sentence opens.
    fn cannot_open(&self) -> bool {
        matches!(self.text, ";" | ":" | "," | "." | "!" | "?")
            || self.text.starts_with(char::is_lowercase)
    }

    /// Judges the token again, by the one that follows it.
    fn ends_before(&self, next: &Token<'_>) -> bool {
        if !self.text.ends_with('.') {
            return self.ends_sentence;
        }
        let is_initial = self.is_initial();
        if (self.is_abbreviation || self.is_ellipsis) && !is_initial && next.is_opener() {
            return true;
        }
        // "J. Bach", "the 5. of them": the period belongs to the initial or number.
        let continues =
            next.cannot_open() || is_initial && next.starts_upper() && !next.is_opener();
        self.ends_sentence && !((is_initial || self.kind == NUMBER) && continues)
    }
}

/// Whether a sentence ends at one of the tokens but the last.
fn contains_end(tokens: &[Token<'_>]) -> bool {
    tokens.array_windows().any(|[token, next]| token.ends_before(next))
}

/// Digits with signs of punctuation among them.
fn is_number(token: &str) -> bool {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^-?[.,]?\d[\d,.-]*$"));
    NUMBER.is_match(token).unwrap_or(false)
}

/// Moves closing marks from the start of a span to the end of the one before it.
fn realigned(text: &str, spans: &[Range<usize>]) -> Result<Vec<Range<usize>>, Error> {
    let mut realigned = Vec::new();
    let mut moved = 0;
    for (index, span) in spans.iter().enumerate() {
        let start = span.start + moved;
        let next = spans.get(index + 1);
        let next_text = next.and_then(|next| text.get(next.clone())).unwrap_or_default();
        let closing = CLOSING.find(next_text)?.map_or("", |found| found.as_str());
        moved = closing.len();
        realigned.push(match next {
            Some(next) if moved > 0 => start..next.start + closing.trim_end().len(),
            _ => start..span.end,
        });
    }
    Ok(realigned)
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_sentences_as_kiss_and_strunk_do() {
        let cases: &[&[&str]] = &[
            &["Dr. Low met J. S. Bach.", "He left."],
            &["It rose in the U.S. last year.", "Now 5. of them fell."],
            &["It rose in the U.S.", "The rest fell."],
            &["(Is it?)", "\"Yes!\"", "he said... and left."],
            &["Very bad!!!", "I promise."],
            &["No end here"],
            &["Plan B.", "The rest."],
        ];
        for expected in cases {
            assert_eq!(sentences(&expected.join("  ")).unwrap(), *expected);
        }
    }

    #[test]
    fn odd_texts_are_no_trouble() {
        for text in ["", " ", ".", "...", ". . . .", "?!\"", "\u{a0}. \u{a0}", "é. é", "\n.\n\n!"]
        {
            assert!(sentences(text).is_ok(), "{text:?}");
        }
    }
}
