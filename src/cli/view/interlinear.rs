//! Tokens over their ids.

use std::{borrow::Cow, ops::Range};

use anstyle::Style;

use super::{
    paint::{QUIET, painted, text as text_style},
    stretch::{Stretch, shown, stretches},
};
use crate::{
    cli::{visible::visible_line, width::width},
    view::{TracedPiece, ViewedPrompt, ViewedToken},
};

/// Between two tokens.
const BORDER: &str = "╎";

/// A line of tokens and a line of ids.
pub(super) struct TokenRow<'a> {
    /// Where its first token stands.
    pub(super) piece: Option<&'a TracedPiece>,
    /// Whether the row before it was full, and this is the same line.
    pub(super) goes_on: bool,
    pub(super) texts: String,
    pub(super) ids: String,
}

/// The tokens of `range` in rows of at most `columns`.
pub(super) fn token_rows(
    prompt: &ViewedPrompt,
    range: Range<usize>,
    columns: Option<usize>,
) -> Vec<TokenRow<'_>> {
    let tokens = prompt.tokens.as_deref().unwrap_or_default();
    let ids = |range: Range<usize>| -> String {
        let id = |token: &ViewedToken| match token.image.and_then(|own| prompt.images.get(own)) {
            Some(image) => format!("{}×{}", token.id, image.shown.tokens),
            None => token.id.to_string(),
        };
        let ids = tokens.get(range).unwrap_or_default().iter().map(id);
        ids.collect::<Vec<_>>().join("+")
    };
    let mut page = TokenPage { columns, rows: Vec::new(), used: 0, is_full: true, goes_on: false };
    let mut next = tokens.iter().take_while(|token| token.end_char < range.start).count();
    let all = stretches(prompt, range.clone());
    for token in all.chunk_by(|left, right| left.tokens == right.tokens) {
        let Some(first) = token.first().filter(|first| !first.tokens.is_empty()) else { continue };
        for added in next..first.tokens.start {
            page.put(&added_token(), &ids(added..added + 1), Some(first.piece), false);
        }
        let drawn = token.iter();
        let texts: Vec<(String, Style)> = drawn
            .map(|part| (drawn_text(prompt, part), text_style(part.piece, part.is_cut)))
            .collect();
        let ends_line = token.iter().any(|part| part.text.contains('\n'));
        page.put(&texts, &ids(first.tokens.clone()), Some(first.piece), ends_line);
        next = next.max(first.tokens.end);
    }
    if range.end >= prompt.text.chars().count() {
        for added in next..tokens.len() {
            page.put(&added_token(), &ids(added..added + 1), None, false);
        }
    }
    page.rows
}

/// A token that stands for no text: the tokenizer adds it.
fn added_token() -> [(String, Style); 1] {
    [("⟨+⟩".to_owned(), QUIET)]
}

/// Rows under way.
struct TokenPage<'a> {
    columns: Option<usize>,
    rows: Vec<TokenRow<'a>>,
    used: usize,
    is_full: bool,
    goes_on: bool,
}

impl<'a> TokenPage<'a> {
    /// Adds a token to the row, or to a new one.
    fn put(
        &mut self,
        texts: &[(String, Style)],
        ids: &str,
        piece: Option<&'a TracedPiece>,
        ends_line: bool,
    ) {
        let text_width: usize = texts.iter().map(|(text, _)| width(text)).sum();
        let cell = text_width.max(width(ids));
        if self.columns.is_some_and(|columns| self.used + cell + 1 > columns) && !self.is_full {
            (self.is_full, self.goes_on) = (true, true);
        }
        if std::mem::take(&mut self.is_full) {
            let goes_on = self.goes_on;
            let (texts, ids) = (String::new(), String::new());
            self.rows.push(TokenRow { piece, goes_on, texts, ids });
            self.used = 0;
        }
        let Some(row) = self.rows.last_mut() else { return };
        let gap = |taken: usize| " ".repeat(cell.saturating_sub(taken));
        row.texts.extend(texts.iter().map(|(text, style)| painted(*style, text)));
        row.texts.extend([gap(text_width), painted(QUIET, BORDER)]);
        row.ids += &painted(QUIET, &format!("{ids}{} ", gap(width(ids))));
        self.used += cell + 1;
        if ends_line {
            (self.is_full, self.goes_on) = (true, false);
        }
    }
}

/// What is drawn of a stretch. Words of ours are not drawn as if their spaces were the prompt's.
fn drawn_text(prompt: &ViewedPrompt, stretch: &Stretch<'_>) -> String {
    match shown(prompt, stretch) {
        Cow::Borrowed(text) => drawn_spaces(text),
        Cow::Owned(words) => words,
    }
}

/// Text with its white space drawn, and what a terminal would obey written out.
fn drawn_spaces(text: &str) -> String {
    let spaces = |character| match character {
        ' ' => '·',
        '\n' => '⏎',
        '\t' => '→',
        other => other,
    };
    visible_line(&text.chars().map(spaces).collect::<String>()).into_owned()
}
