//! Marks put into the inputs of a prompt and read out of its text, to know where the text comes from.
//!
//! Templates fill, splice and mask strings, in ways that differ by kind of template. To know where a
//! column's value ended up, the viewer does not do that again: it puts the value between marks (Unicode
//! noncharacters, which the standard sets aside for such use), has the ordinary code build the prompt,
//! and looks where the marks are. The ordinary code knows nothing of them. Whoever marks inputs must
//! compare the text without its marks with the text that the model reads: where they differ, the marks
//! have changed the prompt, and what they say must not be shown.

use std::cell::{Cell, RefCell};

use crate::prompt::PromptPlace;

/// Begins a mark; its number follows.
const OPEN: char = '\u{FDD0}';
/// Ends the innermost mark that is open.
const CLOSE: char = '\u{FDD1}';
/// The character of the first mark's number, in the last private plane; the others follow.
const FIRST_NUMBER: u32 = 0x10_0000;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The value of a column.
    Field(String),
    /// What stands where the hidden column would.
    Mask(String),
    /// Part of an in-context example, by its number.
    Example(usize),
    /// Between examples.
    Separator,
    /// Part of a message, with the place it has in the dialogue.
    Place(PromptPlace),
}

/// The marks of one prompt.
#[derive(Debug, Default)]
pub(super) struct OriginMarks {
    marks: RefCell<Vec<Mark>>,
    is_full: Cell<bool>,
}

impl OriginMarks {
    /// `text`, marked. Nothing stays nothing: templates treat empty texts differently.
    pub(super) fn wrap(&self, mark: Mark, text: &str) -> String {
        if text.is_empty() { String::new() } else { self.wrap_even_empty(mark, text) }
    }

    /// `text`, marked even where it is empty, so that its place is known.
    pub(super) fn wrap_even_empty(&self, mark: Mark, text: &str) -> String {
        let mut marks = self.marks.borrow_mut();
        let number = u32::try_from(marks.len()).unwrap_or(u32::MAX);
        let Some(number) = FIRST_NUMBER.checked_add(number).and_then(char::from_u32) else {
            self.is_full.set(true);
            return text.to_owned();
        };
        marks.push(mark);
        format!("{OPEN}{number}{text}{CLOSE}")
    }

    /// Whether there were more marks than numbers, so that some texts have none.
    pub(super) fn is_full(&self) -> bool {
        self.is_full.get()
    }

    /// Calls `run` with every stretch of `text` between marks, the marks around it, outermost first. An
    /// empty stretch is told where a mark has nothing in it.
    pub(super) fn read(&self, text: &str, mut run: impl FnMut(&str, &[Mark])) {
        let marks = self.marks.borrow();
        let mut around: Vec<Mark> = Vec::new();
        let mut rest = text;
        let mut was_open = false;
        while let Some(at) = rest.find([OPEN, CLOSE]) {
            let (before, from) = rest.split_at(at);
            let mut characters = from.chars();
            let opens = characters.next() == Some(OPEN);
            if !before.is_empty() || (was_open && !opens) {
                run(before, &around);
            }
            if opens {
                let number = characters.next().map_or(0, u32::from).wrapping_sub(FIRST_NUMBER);
                around.extend(marks.get(number as usize).cloned());
            } else {
                around.pop();
            }
            was_open = opens;
            rest = characters.as_str();
        }
        if !rest.is_empty() {
            run(rest, &around);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_nest_and_leave_the_text_as_it_was() {
        let marks = OriginMarks::default();
        let inner = marks.wrap(Mark::Field("q".into()), "1+1");
        let masked = marks.wrap_even_empty(Mark::Mask("a".into()), "");
        let outer = marks.wrap(Mark::Example(0), &format!("Q {inner}"));
        let text = format!("{outer}, A {masked}.{}", marks.wrap(Mark::Example(1), ""));
        let mut runs = Vec::new();
        marks.read(&text, |run, marks| runs.push((run.to_owned(), marks.to_vec())));
        let field = Mark::Field("q".into());
        let expected: [(&str, Vec<Mark>); 5] = [
            ("Q ", vec![Mark::Example(0)]),
            ("1+1", vec![Mark::Example(0), field]),
            (", A ", vec![]),
            ("", vec![Mark::Mask("a".into())]),
            (".", vec![]),
        ];
        assert_eq!(runs, expected.map(|(run, marks)| (run.to_owned(), marks)));
    }
}
