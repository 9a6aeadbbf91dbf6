//! Views as one page that needs nothing else: no script, no font, no network.

use std::{
    fmt::Write as _,
    io::{self, Write},
    ops::Range,
};

use super::{
    Show,
    stretch::{Stretch, same_speaker, section_name, split, stretches},
    words,
};
use crate::view::{PieceKind, PromptView, ViewedPrompt};

const STYLE: &str = include_str!("page.css");

/// Examples of longer prompts are folded.
const FOLDED_CHARS: usize = 1_500;

/// A page under way.
pub(super) struct Page {
    title: String,
}

impl Page {
    /// A page about a config.
    pub(super) fn new(config: &str) -> Self {
        Self { title: format!("{config} · prompts") }
    }
}

impl Show for Page {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let title = escaped(&self.title);
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n<header>\n<h1>{title}</h1>\n\
             <p class=\"legend\"><b class=\"s-begin\">begin</b><b class=\"s-ice\">ice</b>\
             <b class=\"s-round\">round</b><b class=\"s-end\">end</b><i class=\"k-template\">template</i>\
             <i class=\"k-field\">column’s value</i><i class=\"k-markup\">model’s markup</i>\
             <i class=\"k-mask\">hidden column</i>\
             <label><input type=\"checkbox\" id=\"tokens\"> tokens</label></p>\n</header>\n<main>\n"
        )
    }

    fn view(&mut self, view: &PromptView, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(article(view).as_bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"</main>\n</html>\n")
    }
}

fn article(view: &PromptView) -> String {
    let mut out = String::new();
    let [dataset, rest] = words::title(view).map(|text| escaped(&text));
    let _ = writeln!(out, "<article>\n<h2>{dataset} <small>{rest}</small></h2>\n<dl>");
    for (name, text) in words::facts(view) {
        let _ = write!(out, "<dt>{name}<dd>{}", escaped(&text));
    }
    out += "</dl>\n";
    for warning in &view.warnings {
        let class = warning.severity;
        let _ = writeln!(out, "<p class=\"{class}\">{}</p>", escaped(&warning.message));
    }
    match split(view) {
        Some(split) => {
            if let Some(first) = view.prompts.first() {
                let _ = writeln!(out, "<h3>{}</h3>", escaped(&words::shared(view, split)));
                out += &block(view, first, 0..split, None);
            }
            out += "<div class=\"candidates\">\n";
            for prompt in &view.prompts {
                let differs = view.first_difference.map(|difference| difference.char);
                out += "<section>";
                out += &heading(view, prompt, "");
                out += &block(view, prompt, split..usize::MAX, differs);
                out += "</section>\n";
            }
            out += "</div>\n";
        }
        None => {
            for prompt in &view.prompts {
                out += &heading(view, prompt, &words::sizes(prompt));
                let differs = view.first_difference.map(|difference| difference.char);
                out += &block(view, prompt, 0..usize::MAX, differs);
            }
        }
    }
    out += "</article>\n";
    out
}

fn heading(view: &PromptView, prompt: &ViewedPrompt, sizes: &str) -> String {
    let name = escaped(prompt.label.as_deref().unwrap_or("prompt"));
    let gold = if words::is_gold(view, prompt) { " <em>gold</em>" } else { "" };
    format!("<h3>{name}{gold} <small>{}{sizes}</small></h3>\n", words::length(prompt))
}

/// A text in rows: what somebody says in a section, beside both names.
fn block(
    view: &PromptView,
    prompt: &ViewedPrompt,
    range: Range<usize>,
    differs: Option<usize>,
) -> String {
    let mut out = String::from("<div class=\"text\">\n");
    let folds = prompt.text.chars().count() > FOLDED_CHARS;
    let is_whole = range.end >= prompt.text.chars().count();
    let all = stretches(prompt, range);
    let mut examples = None;
    let groups: Vec<&[Stretch<'_>]> =
        all.chunk_by(|left, right| same_speaker(left.piece, right.piece)).collect();
    for (index, group) in groups.iter().enumerate() {
        let Some(piece) = group.first().map(|first| first.piece) else { continue };
        if examples != piece.example {
            out += if examples.is_some() { "</details>\n" } else { "" };
            if piece.example.is_some() {
                let open = if folds { "" } else { " open" };
                let _ = writeln!(out, "<details{open}><summary>{}</summary>", section_name(piece));
            }
            examples = piece.example;
        }
        let section = piece.section.map_or("none", crate::prompt::Section::name);
        let role = piece.role.as_deref().unwrap_or("");
        let name = if piece.example.is_some() { String::new() } else { section_name(piece) };
        let _ = write!(
            out,
            "<div class=\"row s-{section}\"><b>{name}</b><i>{}</i><pre>",
            escaped(role)
        );
        for (position, stretch) in group.iter().enumerate() {
            out += &span(prompt, stretch, position + 1 == group.len(), differs);
        }
        if is_whole && index + 1 == groups.len() && view.max_new_tokens > 0 {
            out += "<span class=\"cue\">▸</span>";
        }
        out += "</pre></div>\n";
    }
    out += if examples.is_some() { "</details>\n" } else { "" };
    out + "</div>\n"
}

fn span(
    prompt: &ViewedPrompt,
    stretch: &Stretch<'_>,
    is_last: bool,
    differs: Option<usize>,
) -> String {
    let piece = stretch.piece;
    let kind = match piece.kind {
        PieceKind::Template => "template",
        PieceKind::Field => "field",
        PieceKind::Mask => "mask",
        PieceKind::Markup => "markup",
        PieceKind::Unknown => "unknown",
    };
    let column = piece.column.as_deref().unwrap_or("");
    let mut about: Vec<String> = vec![section_name(piece), piece.role.clone().unwrap_or_default()];
    about.push(if column.is_empty() { kind.to_owned() } else { format!("{kind} {column}") });
    let mut parity = "";
    if let Some(tokens) = prompt.tokens.as_deref().and_then(|all| all.get(stretch.tokens.clone()))
        && !tokens.is_empty()
    {
        let ids: Vec<String> = tokens.iter().map(|token| token.id.to_string()).collect();
        about.push(format!("token {}, id {}", stretch.tokens.start, ids.join(" + ")));
        parity = if stretch.tokens.start.is_multiple_of(2) { " t0" } else { " t1" };
    }
    about.retain(|part| !part.is_empty());
    let cut = if stretch.is_cut { " cut" } else { "" };
    let first = if differs == Some(stretch.start_char) { " first" } else { "" };
    let text = match (piece.kind, stretch.text) {
        (PieceKind::Mask, "") => escaped(column),
        (_, text) => shown(text, is_last),
    };
    let about = escaped(&about.join(" · "));
    format!("<span class=\"k-{kind}{parity}{cut}{first}\" data-about=\"{about}\">{text}</span>")
}

/// Text in which white space that is easily missed can be seen: spaces before a line break or at the
/// end of a row, and a line break at the end of a row, where the row itself breaks the line.
fn shown(text: &str, is_last: bool) -> String {
    let mut out = String::new();
    let lines: Vec<&str> = text.split('\n').collect();
    let count = lines.len();
    for (index, line) in lines.into_iter().enumerate() {
        let breaks = index + 1 < count;
        let kept = if breaks || is_last { line.trim_end_matches(' ') } else { line };
        out += &escaped(kept);
        out += &"<u>·</u>".repeat(line.len() - kept.len());
        if breaks {
            out += if is_last && index + 2 == count && text.ends_with('\n') {
                "<u>⏎</u>"
            } else {
                "\n"
            };
        }
    }
    out
}

/// Text as HTML, for content and attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // Parsers turn a lone carriage return into a line feed; other controls are not allowed.
            '\t' | '\n' => out.push(character),
            control if control.is_control() => {
                let _ = write!(out, "<u>{}</u>", control.escape_default());
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_become_markup() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
    }

    #[test]
    fn white_space_that_is_easily_missed_is_drawn() {
        assert_eq!(shown("a  \nb", false), "a<u>·</u><u>·</u>\nb");
        assert_eq!(shown("a \n", true), "a<u>·</u><u>⏎</u>");
        assert_eq!(shown("a ", true), "a<u>·</u>");
        assert_eq!(shown("a ", false), "a ");
    }
}
