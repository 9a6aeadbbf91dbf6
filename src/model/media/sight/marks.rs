//! How prompts name what they show: addresses between two marks, which no text has.

use std::borrow::Cow;
use std::ops::Range;

use super::Sight;
use crate::model::media::{Medium, MediumKind};
use crate::model::tokenizer::Tokenizer;

/// Before the address of what a prompt shows.
pub(super) const OPEN: char = '\u{f8e0}';

/// Behind it.
pub(super) const CLOSE: char = '\u{f8e1}';

/// Where a prompt ends that is seen both ways, and what answers it begins.
pub(super) const PROMPT_END: char = '\u{f8e2}';

impl Sight {
    /// A prompt that was rendered with the addresses of what it shows where the template wrote what stands for it.
    ///
    /// # Errors
    /// The model takes none of a kind, or there are not as many places.
    pub fn marked(&self, rendered: &str, media: &[Medium]) -> Result<String, String> {
        Self::check_unmarked(rendered)?;
        let encoder = self.headers()?;
        let mut places: Vec<(usize, &str, &Medium)> = Vec::new();
        for kind in MediumKind::ALL {
            let own: Vec<&Medium> = media.iter().filter(|medium| medium.kind == kind).collect();
            let placeholder = match encoder.placeholder(kind) {
                Ok(placeholder) => placeholder,
                Err(_) if own.is_empty() => continue,
                Err(problem) => return Err(problem),
            };
            let found: Vec<usize> = rendered.match_indices(placeholder).map(|(at, _)| at).collect();
            if found.len() != own.len() {
                return Err(format!(
                    "the prompt has {} {}, and {} places for one ({placeholder}) once it is written; a chat template that knows none, or a \
                     text that has this word, is the cause",
                    own.len(),
                    kind.plural(),
                    found.len()
                ));
            }
            places.extend(found.into_iter().zip(own).map(|(at, own)| (at, placeholder, own)));
        }
        places.sort_by_key(|(at, ..)| *at);
        let (mut marked, mut from) = (String::new(), 0);
        for (at, placeholder, medium) in places {
            marked.push_str(rendered.get(from..at).unwrap_or_default());
            marked.push_str(&mark(medium));
            from = at + placeholder.len();
        }
        marked.push_str(rendered.get(from..).unwrap_or_default());
        Ok(marked)
    }

    /// A prompt that is seen both ways, and what answers it: images, then text.
    ///
    /// # Errors
    /// One of the texts has a mark in it.
    pub fn two_way(media: &[Medium], text: &str, answer: Option<&str>) -> Result<String, String> {
        let mut marked: String = media.iter().map(mark).collect();
        marked.push_str(Self::check_unmarked(text)?);
        if let Some(answer) = answer {
            marked.push(PROMPT_END);
            marked.push_str(Self::check_unmarked(answer)?);
        }
        Ok(marked)
    }

    /// Looks that a text which shows nothing has no place for it: its token would be read as if it were a word.
    ///
    /// # Errors
    /// It has one.
    pub fn check_placeless(&self, text: &str, tokenizer: &Tokenizer) -> Result<(), String> {
        let found = self.places(tokenizer).iter().find(|(place, _)| text.contains(place.as_str()));
        match found {
            None => Ok(()),
            Some((place, kind)) => Err(format!(
                "the prompt has {place}, which stands for {} to this model, and shows none; name it in a message (prompt_mm), or write the text \
                 otherwise",
                kind.named()
            )),
        }
    }

    /// The tokens that stand for something that is shown, and for what.
    fn places(&self, tokenizer: &Tokenizer) -> &[(String, MediumKind)] {
        self.places.get_or_init(|| {
            let Ok(encoder) = self.headers() else { return Vec::new() };
            let mut places: Vec<(String, MediumKind)> = Vec::new();
            for kind in MediumKind::ALL {
                let written = encoder.placeholder(kind).ok().map(str::to_owned);
                let row = encoder.token_id(kind, tokenizer).ok();
                let row = row.map(|id| tokenizer.token_text(id));
                // What is no token is a word.
                let tokens = written.into_iter().chain(row);
                let tokens = tokens.filter(|place| tokenizer.token_id(place).is_some());
                places.extend(tokens.map(|place| (place, kind)));
            }
            places
        })
    }

    /// The same text, if it names nothing.
    ///
    /// # Errors
    /// It has a character between which things are named.
    pub fn check_unmarked(text: &str) -> Result<&str, String> {
        if text.contains([OPEN, CLOSE, PROMPT_END]) {
            return Err("the prompt has one of the characters U+F8E0 to U+F8E2, between which images, videos and sounds are named here".to_owned());
        }
        Ok(text)
    }

    /// A prompt without the names of what it shows.
    pub fn unmarked(text: &str) -> Cow<'_, str> {
        with_marks_as(text, |_| String::new())
    }

    /// A prompt for people and tables: what it shows as `[image cat.jpg]`.
    pub fn readable(text: &str) -> Cow<'_, str> {
        with_marks_as(text, |named| {
            let label = Medium::parse(named).map_or_else(|_| named.to_owned(), |own| own.labeled());
            format!("[{label}]")
        })
    }

    /// Whether a prompt names an image, a video or a sound.
    pub fn is_marked(text: &str) -> bool {
        text.contains(OPEN)
    }

    /// Where a prompt names what it shows, marks included, in bytes, and what is named.
    pub fn marks(text: &str) -> Vec<(Range<usize>, &str)> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(open) = text.get(from..).and_then(|rest| rest.find(OPEN)) {
            let start = from + open;
            let inside = start + OPEN.len_utf8();
            let Some(length) = text.get(inside..).and_then(|rest| rest.find(CLOSE)) else { break };
            let end = inside + length + CLOSE.len_utf8();
            found.push((start..end, text.get(inside..inside + length).unwrap_or_default()));
            from = end;
        }
        found
    }
}

/// A prompt with other words in the places of its marks.
fn with_marks_as(text: &str, words: impl Fn(&str) -> String) -> Cow<'_, str> {
    if !text.contains([OPEN, PROMPT_END]) {
        return Cow::Borrowed(text);
    }
    let (mut written, mut from) = (String::new(), 0);
    for (place, named) in Sight::marks(text) {
        written.push_str(text.get(from..place.start).unwrap_or_default());
        written.push_str(&words(named));
        from = place.end;
    }
    written.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(written.replace(PROMPT_END, "\n"))
}

fn mark(medium: &Medium) -> String {
    format!("{OPEN}{}{CLOSE}", medium.written())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::media::MediaAddress;

    #[test]
    fn marks_are_no_part_of_a_text() {
        let address = MediaAddress::parse("a.png").unwrap();
        let medium = Medium { kind: MediumKind::Image, address, frames_per_second: None };
        let two_way = Sight::two_way(&[medium], "caption en", Some("a cat")).unwrap();
        assert!(Sight::is_marked(&two_way));
        assert_eq!(Sight::unmarked(&two_way), "caption en\na cat");
        assert_eq!(Sight::unmarked("plain"), "plain");
        assert_eq!(Sight::readable(&two_way), "[image a.png]caption en\na cat");
        assert_eq!(Sight::readable("plain"), "plain");
        let two = "\u{f8e0}data:image/png;base64,AAAA\u{f8e1}b\u{f8e0}sound a.wav\u{f8e1}";
        assert_eq!(Sight::readable(two), "[an image of 4 bytes in base64]b[sound a.wav]");
        assert!(Sight::two_way(&[], "a\u{f8e2}", None).is_err());
    }

    #[test]
    fn names_of_images_are_found_where_they_stand() {
        let text = "é\u{f8e0}file://a\u{f8e1}b\u{f8e0}\u{f8e1}\u{f8e0}open";
        let found = Sight::marks(text);
        assert_eq!(found, [(2..16, "file://a"), (17..23, "")]);
        assert_eq!(Sight::marks("none"), []);
    }
}
