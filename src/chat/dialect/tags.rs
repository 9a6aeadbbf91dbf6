//! A template's source, with the tags that the engine reads differently written again.
//!
//! Jinja2 as transformers sets it up and the engine differ in a few places of the grammar. They are
//! settled here, before compilation, because the engine has no hooks for them:
//!
//! - line ends are `\n`, whatever the file has;
//! - the line end after `{% raw %}` stays;
//! - `{% generation %}` becomes a filter block that notes what the assistant wrote;
//! - a loop goes over `__iter` of its values, which refuses what Python does not iterate;
//! - an assignment keeps `__held` of its value, which bounds what a template can pile up;
//! - operators become calls ([`Expressions`]).
//!
//! A tag that cannot be split stays as it is, for the engine to say what is wrong with it.

use std::ops::Range;

use super::{
    expression::Expressions,
    tokens::{self, Token},
};

/// A template as the engine should read it.
pub(in crate::chat) struct Rewritten {
    pub(in crate::chat) source: String,
    /// Bytes of the longest tag, comments and raw blocks left out.
    pub(in crate::chat) longest_tag_bytes: usize,
    /// Bytes of the longest piece of text between two tags that may be written more than once.
    pub(in crate::chat) longest_repeated_bytes: usize,
}

/// Writes a template again.
pub(in crate::chat) fn rewrite(source: &str) -> Rewritten {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(source.len() * 2);
    let (mut longest_tag_bytes, mut longest_repeated_bytes) = (0, 0);
    let mut repetition = Repetition::of(&source);
    let mut rest = source.as_str();
    while let Some(start) = tag_start(rest) {
        let (text, tag) = rest.split_at(start);
        out.push_str(text);
        let (written, length) = match tag.as_bytes().get(1) {
            Some(b'#') => {
                let length = tag.find("#}").map_or(tag.len(), |end| end + 2);
                (tag.get(..length).unwrap_or(tag).to_owned(), length)
            }
            Some(b'{') => rewrite_tag(tag, "}}"),
            _ => rewrite_tag(tag, "%}"),
        };
        if repetition.repeats() {
            longest_repeated_bytes = longest_repeated_bytes.max(text.len());
        }
        // A raw block is one tag here, and text all the same.
        let is_raw = repetition.pass(tag.get(..length).unwrap_or(tag));
        if is_raw && repetition.repeats() {
            longest_repeated_bytes = longest_repeated_bytes.max(length);
        } else if !is_raw && !tag.starts_with("{#") {
            longest_tag_bytes = longest_tag_bytes.max(length);
        }
        out.push_str(&written);
        rest = tag.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    Rewritten { source: out, longest_tag_bytes, longest_repeated_bytes }
}

/// Tags whose inside may be written more than once, up to their `end…`.
const REPEATING: &[&str] = &["for", "macro", "call", "block"];

/// Whether the text at a place may be written more than once.
struct Repetition {
    /// The template can write itself as a whole.
    includes: bool,
    open: usize,
}

impl Repetition {
    fn of(source: &str) -> Self {
        let includes = ["include", "import", "extends"].iter().any(|word| source.contains(word));
        Self { includes, open: 0 }
    }

    fn repeats(&self) -> bool {
        self.includes || self.open > 0
    }

    /// Goes past a tag; tells whether it is a raw block.
    fn pass(&mut self, tag: &str) -> bool {
        let inside = tag.strip_prefix("{%").map_or("", |inside| without_sign(inside).trim_start());
        let word = inside.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
        if REPEATING.contains(&word) {
            self.open += 1;
        } else if word.strip_prefix("end").is_some_and(|word| REPEATING.contains(&word)) {
            self.open = self.open.saturating_sub(1);
        }
        word == "raw"
    }
}

fn tag_start(text: &str) -> Option<usize> {
    text.match_indices('{')
        .map(|(at, _)| at)
        .find(|&at| matches!(text.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#')))
}

/// The tag at the beginning of a text, written again, and the bytes it had.
fn rewrite_tag(text: &str, close: &str) -> (String, usize) {
    let unchanged = (text.to_owned(), text.len());
    // The sign of `{%-` belongs to the opening, but the minus of `{{ -x }}` does not.
    let opening =
        if text.get(2..).is_some_and(|rest| rest.starts_with(['-', '+'])) { 3 } else { 2 };
    let (open, inside) = text.split_at(opening);
    let Some((tokens, end)) = tokens::split(inside, close) else { return unchanged };
    let closing = &inside[end..];
    let closing = &closing[..closing.find(close).map_or(closing.len(), |at| at + close.len())];
    let inside = &inside[..end];
    let length = open.len() + inside.len() + closing.len();
    let Some(expressions) = Expressions::new(inside, &tokens) else {
        return (text[..length].to_owned(), length);
    };
    let keyword = if close == "%}" { tokens.first().map(|token| token.text) } else { None };
    let (written, closing) = match keyword {
        None => (expressions.write(0..tokens.len()), closing),
        Some("raw") => return rewrite_raw(text, length),
        Some("generation") => ("filter __generation(__assistant)".to_owned(), closing),
        Some("endgeneration") => ("endfilter".to_owned(), closing),
        Some("for") => (for_tag(&expressions, tokens.len()), closing),
        Some("set") => (set_tag(&expressions, tokens.len()), closing),
        Some(_) => (after_keyword(&expressions, tokens.len()), closing),
    };
    let leading = expressions.gap(0);
    let trailing = expressions.gap(tokens.len());
    (format!("{open}{leading}{written}{trailing}{closing}"), length)
}

/// A raw block up to its end: its inside is text, and the line end after its first tag is kept.
fn rewrite_raw(text: &str, opening_bytes: usize) -> (String, usize) {
    let (opening, inside) = text.split_at(opening_bytes);
    let opening = match opening.strip_suffix("%}") {
        Some(bare) if !bare.ends_with(['-', '+']) => format!("{bare}+%}}"),
        _ => opening.to_owned(),
    };
    let end = inside.match_indices("{%").find_map(|(at, _)| {
        let tag = without_sign(inside.get(at + 2..)?).trim_start().strip_prefix("endraw")?;
        let after = without_sign(tag.trim_start()).strip_prefix("%}")?;
        Some(inside.len() - after.len())
    });
    let inside = inside.get(..end.unwrap_or(inside.len())).unwrap_or(inside);
    (format!("{opening}{inside}"), opening_bytes + inside.len())
}

fn without_sign(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn after_keyword(expressions: &Expressions, count: usize) -> String {
    let keyword = expressions.source(0..1);
    format!("{keyword}{}{}", expressions.gap_before(1..count), expressions.write(1..count))
}

/// `for x in values if condition recursive`: `values` becomes `(values)|__iter`.
fn for_tag(expressions: &Expressions, count: usize) -> String {
    let Some(within) = expressions.find(1..count, |token| token.is_word("in")) else {
        return after_keyword(expressions, count);
    };
    let values = within + 1;
    let ends = |token: &Token| token.is_word("if") || token.is_word("recursive");
    let end = expressions.find(values..count, ends).unwrap_or(count);
    format!(
        "{}{}({})|__iter{}{}",
        expressions.source(0..values),
        expressions.gap_before(values..count),
        expressions.write(values..end),
        expressions.gap_before(end..count),
        expressions.write(end..count),
    )
}

/// `set x = value`: `value` becomes `(value)|__held`.
fn set_tag(expressions: &Expressions, count: usize) -> String {
    let Some(equals) = expressions.find(1..count, |token| token.is_symbol("=")) else {
        return after_keyword(expressions, count);
    };
    let value = equals + 1;
    format!(
        "{}{}({})|__held",
        expressions.source(0..value),
        expressions.gap_before(value..count),
        expressions.write(value..count),
    )
}

impl Expressions<'_, '_> {
    /// The white space in front of a range, unless the range is empty.
    fn gap_before(&self, range: Range<usize>) -> &str {
        if range.is_empty() { "" } else { self.gap(range.start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_written_again_and_keep_their_lines() {
        let cases = [
            ("a\r\n{{- x -}}\rb", "a\n{{- x -}}\nb"),
            (
                "{% raw %}\n{{ x + y }}{%- endraw %}{{ a ~ b }}",
                "{% raw +%}\n{{ x + y }}{%- endraw %}{{ __cat(a , b) }}",
            ),
            (
                "{%- generation -%}x{% endgeneration %}",
                "{%- filter __generation(__assistant) -%}x{% endfilter %}",
            ),
            (
                "{% for a, b in\n x if a + b recursive %}",
                "{% for a, b in\n (x)|__iter if __add(a , b) recursive %}",
            ),
            ("{% set ns.x = a + 1 -%}", "{% set ns.x = (__add(a , 1))|__held -%}"),
            ("{% set x | indent(width=4) %}", "{% set x | indent(width=4) %}"),
            ("{# {{ a + b }} #}{ {a}", "{# {{ a + b }} #}{ {a}"),
            ("{{ 'x", "{{ 'x"),
            ("{% if a == b - 1 %}{%else%}", "{% if a == b - 1 %}{%else%}"),
            ("{%- elif -x + y %}", "{%- elif __add(-x , y) %}"),
        ];
        for (source, expected) in cases {
            assert_eq!(rewrite(source).source, expected, "{source}");
        }
    }
}
