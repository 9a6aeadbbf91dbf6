//! Views as text for a terminal, or for a file without colours.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write},
    ops::Range,
};

use anstyle::Style;

use super::{
    Show,
    interlinear::token_rows,
    margin::{Body, Margin},
    paint::{self, CUE, MASK, QUIET, TITLE, painted},
    stretch::{same_speaker, shown, split, stretches},
    words,
    wrap::{Cell, cells, drawn, wrapped},
};
use crate::{
    cli::{
        visible::{visible_line, visible_styled},
        width::{Cut, shortened, width},
    },
    model::Tokenizer,
    prompt::Section,
    view::{PieceKind, PromptView, TracedPiece, ViewedPrompt},
    warn::Severity,
};

/// Characters of shared text that are repeated before what differs.
const CONTEXT_CHARS: usize = 24;

/// Most columns of a label over its prompt.
const LABEL_COLUMNS: usize = 40;

/// How to draw.
pub(super) struct Terminal {
    /// Columns there are; any number where nothing has to fit.
    columns: Option<usize>,
    shows_tokens: bool,
    /// Whether candidates are shown whole.
    is_full: bool,
    is_first: bool,
}

impl Terminal {
    /// Fits the terminal, if there is one.
    pub(super) fn of_stdout(shows_tokens: bool, is_full: bool) -> Self {
        let columns = io::stdout()
            .is_terminal()
            .then(|| terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0)));
        Self { columns: columns.flatten(), shows_tokens, is_full, is_first: true }
    }

    fn drawn(&self, view: &PromptView) -> String {
        let mut out = self.header(view);
        match split(view).filter(|_| !self.is_full) {
            Some(split) => self.candidates(view, split, &mut out),
            None => {
                for prompt in &view.prompts {
                    out.push('\n');
                    out += &heading(view, prompt, &words::sizes(prompt));
                    self.block(view, prompt, 0..usize::MAX, &mut out);
                }
            }
        }
        out
    }

    /// What the candidates share, once, and then what they do not.
    fn candidates(&self, view: &PromptView, split: usize, out: &mut String) {
        let Some(first) = view.prompts.first() else { return };
        out.push('\n');
        self.title(&words::shared(view, split), out);
        self.block(view, first, 0..split, out);
        for prompt in &view.prompts {
            out.push('\n');
            // What asks a candidate in another way shares less with it.
            let from = if prompt.asked_as.is_some() { 0 } else { split };
            *out += &heading(view, prompt, "");
            self.block(view, prompt, from..usize::MAX, out);
        }
    }

    fn header(&self, view: &PromptView) -> String {
        let columns = self.columns.unwrap_or(80).min(100);
        let mut out = String::new();
        self.title(&words::title(view).join(" · "), &mut out);
        let _ = writeln!(out, "{}", painted(QUIET, &"─".repeat(columns)));
        let mut fact = |name: &str, style: Style, text: &str| {
            let cells = cells(text, Style::new());
            for (index, row) in
                wrapped(&cells, self.columns.map(|_| columns.saturating_sub(10).max(20)))
                    .into_iter()
                    .enumerate()
            {
                let name = if index == 0 { name } else { "" };
                let _ = writeln!(out, "{} {}", painted(style, &format!("{name:<9}")), drawn(row));
            }
        };
        for (name, text) in words::facts(view) {
            fact(name, QUIET, &text);
        }
        for warning in &view.warnings {
            fact(
                &warning.severity.to_string(),
                paint::severity(warning.severity),
                &warning.message,
            );
        }
        out
    }

    /// A title, in as many rows as it takes.
    fn title(&self, title: &str, out: &mut String) {
        for row in wrapped(&cells(title, TITLE), self.columns) {
            let _ = writeln!(out, "{}", drawn(row));
        }
    }

    /// The characters of `range`, their sections and roles in the margin.
    fn block(
        &self,
        view: &PromptView,
        prompt: &ViewedPrompt,
        range: Range<usize>,
        out: &mut String,
    ) {
        let margin = Margin::of(prompt);
        let columns = self.columns.map(|columns| columns.saturating_sub(margin.columns()).max(16));
        if self.shows_tokens && prompt.tokens.is_some() {
            let mut before: Option<&TracedPiece> = None;
            for row in token_rows(prompt, range, columns) {
                let piece = row.piece.or(before);
                let is_new =
                    !matches!((before, piece), (Some(old), Some(new)) if same_speaker(old, new));
                let _ = writeln!(out, "{}{}", margin.drawn(piece, is_new, row.goes_on), row.texts);
                let _ = writeln!(out, "{}{}", margin.drawn(piece, false, true), row.ids);
                before = piece;
            }
            return;
        }
        let total = prompt.text.chars().count();
        let ends = range.end >= total;
        let mut body =
            Body { margin: &margin, columns, out, goes_on: range.start > 0, before: None };
        let mut line: Vec<Cell> = Vec::new();
        if range.start > 0 {
            line.extend(context(prompt, range.start));
        }
        let visible_from = prompt.text.trim_end_matches('\n').chars().count();
        let all = stretches(prompt, range);
        for group in all.chunk_by(|left, right| same_speaker(left.piece, right.piece)) {
            let Some(piece) = group.first().map(|first| first.piece) else { continue };
            for stretch in group {
                let style = paint::text(stretch.piece, stretch.is_cut);
                if stretch.text.is_empty() && stretch.piece.kind == PieceKind::Mask {
                    let column = stretch.piece.column.as_deref().unwrap_or("");
                    line.extend(cells(&format!("⟨{column}⟩"), MASK));
                }
                for (offset, character) in shown(prompt, stretch).chars().enumerate() {
                    let at = stretch.start_char + offset;
                    match character {
                        '\n' => {
                            mark_trailing_spaces(&mut line);
                            if at >= visible_from {
                                line.extend(cells("⏎", QUIET));
                            }
                            body.line(piece, &mut line, false);
                        }
                        '\t' => line.extend(cells("→", QUIET)),
                        character => {
                            let written = cells(character.encode_utf8(&mut [0; 4]), style);
                            let is_hidden = written.len() > 1;
                            let style = if is_hidden { QUIET } else { style };
                            line.extend(written.into_iter().map(|cell| Cell { style, ..cell }));
                        }
                    }
                }
            }
            let is_last = group
                .last()
                .is_some_and(|last| last.start_char + last.text.chars().count() >= total);
            if is_last && ends {
                mark_trailing_spaces(&mut line);
                if view.max_new_tokens > 0 {
                    line.extend(cells("▸", CUE));
                }
            }
            if !line.is_empty() {
                body.line(piece, &mut line, true);
            }
        }
    }
}

impl Show for Terminal {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let section = |own: Section| (paint::section(Some(own)), own.name(), "");
        let space = paint::severity(Severity::Note);
        let signs = [
            section(Section::Begin),
            section(Section::Ice),
            section(Section::Round),
            section(Section::End),
            (Style::new(), "template", ""),
            (paint::FIELD, "column's value", ""),
            (QUIET, "model's markup", ""),
            (MASK, "⟨hidden column⟩", ""),
            (QUIET, "│", " new line"),
            (QUIET, "┆", " same line"),
            (space, "·", " space at the end of a line"),
            (CUE, "▸", " here the model goes on"),
        ];
        let (mut rows, mut used) = (String::new(), 0);
        for (style, sign, meaning) in signs {
            let columns = width(sign) + width(meaning);
            if used > 0 && used + 2 + columns > self.columns.unwrap_or(80) {
                rows.push('\n');
                used = 0;
            } else if used > 0 {
                rows += "  ";
                used += 2;
            }
            rows += &painted(style, sign);
            rows += meaning;
            used += columns;
        }
        writeln!(out, "{rows}\n")
    }

    fn view(
        &mut self,
        view: &PromptView,
        _: Option<&Tokenizer>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !std::mem::take(&mut self.is_first) {
            out.write_all(b"\n\n")?;
        }
        out.write_all(visible_styled(&self.drawn(view)).as_bytes())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The end of the line that `start` stands in.
fn context(prompt: &ViewedPrompt, start: usize) -> Vec<Cell> {
    let all = stretches(prompt, 0..start);
    let all = all.iter().map(|stretch| shown(prompt, stretch));
    let shared: Vec<char> = all.collect::<String>().chars().collect();
    let line: Vec<char> = shared.rsplit(|c| *c == '\n').next().unwrap_or_default().to_vec();
    let skipped = line.len().saturating_sub(CONTEXT_CHARS);
    let dots = if skipped > 0 { "…" } else { "" };
    let text: String = dots.chars().chain(line.into_iter().skip(skipped)).collect();
    cells(&text, QUIET)
}

/// Draws the spaces at the end of a line.
fn mark_trailing_spaces(line: &mut [Cell]) {
    for cell in line.iter_mut().rev().take_while(|cell| cell.character == ' ') {
        *cell = Cell { character: '·', style: paint::severity(Severity::Note) };
    }
}

fn heading(view: &PromptView, prompt: &ViewedPrompt, sizes: &str) -> String {
    let name = visible_line(prompt.label.as_deref().unwrap_or("prompt"));
    let name = shortened(&name, LABEL_COLUMNS, Cut::End);
    let gold = if words::is_gold(view, prompt) { painted(CUE, " ✓ gold") } else { String::new() };
    let asked = prompt.asked_as.as_ref().map(|way| format!(", {}", visible_line(way)));
    let length = painted(QUIET, &format!("{}{sizes}", words::length(prompt)));
    format!("{}{}{gold}  {length}\n", painted(TITLE, &name), asked.unwrap_or_default())
}
