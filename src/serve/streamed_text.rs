//! The text of a continuation, piece by piece, so that the pieces make the whole.
//!
//! Withheld is what may still change: a character of which bytes are missing, the beginning of a string that ends the
//! text, and the blank that a later token may remove.

use super::{problem::Problem, served_model::ModelFacts};

/// Bytes at the end that cleaning up blanks may change: ` n't` and shorter ones.
const CLEANED_BYTES: usize = 4;

/// What was said so far.
#[derive(Debug)]
pub(super) struct StreamedText {
    ids: Vec<u32>,
    stop: Vec<String>,
    said: String,
}

impl StreamedText {
    pub(super) fn new(stop: &[String]) -> Self {
        Self { ids: Vec::new(), stop: stop.to_vec(), said: String::new() }
    }

    /// Takes up a token of the text; what can be said with it.
    pub(super) fn push(&mut self, id: u32, model: &ModelFacts) -> String {
        self.ids.push(id);
        let Ok(text) = model.tokenizer.decode(&self.ids, true) else { return String::new() };
        let cleaned = if model.tokenizer.settings().clean_up_spaces { CLEANED_BYTES } else { 0 };
        let end = settled(&text, &self.stop, cleaned);
        self.say(&text[..end])
    }

    /// The rest of the text, now that it is known; `None` where it does not continue what was said.
    pub(super) fn end(&mut self, text: &str) -> Option<String> {
        text.starts_with(&self.said).then(|| self.say(text))
    }

    /// What to say where the whole does not continue the pieces.
    pub(super) fn torn() -> Problem {
        Problem::failed("the text did not continue what was streamed of it")
    }

    fn say(&mut self, text: &str) -> String {
        let Some(more) = text.strip_prefix(self.said.as_str()) else { return String::new() };
        let more = more.to_owned();
        self.said.push_str(&more);
        more
    }
}

/// How many bytes of a text stay as they are, whatever follows.
fn settled(text: &str, stop: &[String], cleaned_bytes: usize) -> usize {
    let found = stop.iter().filter_map(|stop| text.find(stop.as_str())).min();
    let text = &text[..found.unwrap_or(text.len())];
    let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    let begun = |stop: &String| {
        // Longest first.
        let starts = whole.char_indices().map(|(at, _)| at);
        let mut starts = starts.skip_while(|at| whole.len() - at >= stop.len());
        starts.find(|&at| stop.starts_with(&whole[at..]))
    };
    let end = stop.iter().filter_map(begun).min().unwrap_or(whole.len());
    let mut end = end.min(whole.len().saturating_sub(cleaned_bytes));
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_still_change_is_withheld() {
        let stop = ["###".to_owned(), "END".to_owned()];
        let said = |text: &'static str| &text[..settled(text, &stop, 0)];
        assert_eq!(said("a b"), "a b");
        assert_eq!(said("a #"), "a ");
        assert_eq!(said("a ##"), "a ");
        assert_eq!(said("a ##b"), "a ##b");
        assert_eq!(said("a ### b"), "a ");
        assert_eq!(said("BEN"), "B");
        assert_eq!(said("ab\u{fffd}\u{fffd}"), "ab");
        assert_eq!(&"do n't"[..settled("do n't", &[], CLEANED_BYTES)], "do");
        assert_eq!(settled("é", &[], 1), 0);
    }
}
