//! One file of a config: its text, its lines and its syntax tree.

use std::{path::Path, sync::Arc};

use ruff_python_ast::{ModModule, token::TokenKind};
use ruff_python_parser::{Mode, lexer, parse_module};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use super::limits::{FILE_BYTES, SYNTAX_DEPTH};
use crate::config::{
    error::{ConfigError, ProgramError},
    value::Origin,
};

/// A file that was read.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// The path it was opened by.
    pub(super) path: Arc<Path>,
    text: String,
    /// Byte offset of the start of each line.
    line_starts: Vec<usize>,
}

impl SourceFile {
    /// A file with this text.
    pub(super) fn new(path: &Path, text: String) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.match_indices('\n').map(|(offset, _)| offset + 1));
        Self { path: Arc::from(path), text, line_starts }
    }

    /// Parses the text, after a look at its tokens has made sure that nothing in it is nested so
    /// deeply that walking the tree could exhaust the stack.
    pub(super) fn parse(&self) -> Result<ModModule, ConfigError> {
        if self.text.len() > FILE_BYTES {
            let message = format!("a config file may have {FILE_BYTES} bytes, this one has more");
            return Err(self.error(TextRange::default(), message, None));
        }
        if let Some(message) = too_deep(&self.text) {
            return Err(self.error(TextRange::default(), message, None));
        }
        match parse_module(&self.text) {
            Ok(parsed) => Ok(parsed.into_syntax()),
            Err(error) => {
                Err(self.error(error.range(), format!("SyntaxError: {}", error.error), None))
            }
        }
    }

    /// Line and column, both from 1, of a byte offset.
    fn position(&self, offset: TextSize) -> (usize, usize) {
        let offset = offset.to_usize();
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        (line, before.chars().count() + 1)
    }

    /// The line, from 1, of a byte offset.
    pub(super) fn line(&self, offset: TextSize) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset.to_usize()) as u32
    }

    /// The text of a range.
    pub(super) fn text(&self, range: TextRange) -> &str {
        self.text.get(range.start().to_usize()..range.end().to_usize()).unwrap_or("")
    }

    /// An error that shows a range of this file.
    pub(super) fn error(
        &self,
        range: TextRange,
        message: String,
        hint: Option<String>,
    ) -> ConfigError {
        let (line, column) = self.position(range.start());
        let source_line = self.text.lines().nth(line.saturating_sub(1)).unwrap_or("");
        let width = self.text(range).lines().next().unwrap_or("").chars().count();
        ConfigError::Program(Box::new(ProgramError {
            origin: Origin { file: Arc::clone(&self.path), line: line as u32 },
            column: column as u32,
            source_line: source_line.to_owned(),
            width: width.max(1) as u32,
            message,
            hint,
            trace: Vec::new(),
        }))
    }
}

/// How deep a text is nested, token by token.
///
/// Brackets and indentation open a level. Within a level, anything but a comma or a string can make
/// the tree one deeper (`not not x`, `a + b + c`, `f()()()`), so a level's depth is the number of
/// such tokens since its last comma or line end; the commas between a lambda's parameters end
/// nothing. The sum over the open levels bounds the tree's depth. Once a bracket is closed by one of
/// another kind, what the parser makes of the rest cannot be told, and nothing ends a level any more.
#[derive(Debug, Default)]
struct Nesting {
    levels: Vec<Level>,
    /// Tokens of all levels.
    depth: usize,
    is_mismatched: bool,
}

#[derive(Debug)]
struct Level {
    /// What ends it; nothing ends the outermost one.
    closed_by: Option<TokenKind>,
    tokens: usize,
    /// Lambdas whose parameters have not ended.
    open_lambdas: usize,
}

impl Nesting {
    fn open(&mut self, closed_by: Option<TokenKind>) {
        self.levels.push(Level { closed_by, tokens: 0, open_lambdas: 0 });
    }

    fn pass(&mut self, token: TokenKind) {
        let Some(level) = self.levels.last_mut() else { return };
        match token {
            TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline => return,
            TokenKind::Comma | TokenKind::Newline
                if !self.is_mismatched && level.open_lambdas == 0 =>
            {
                self.depth -= level.tokens;
                level.tokens = 0;
                return;
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::Dedent
                if !self.is_mismatched && level.closed_by == Some(token) =>
            {
                self.depth -= level.tokens;
                self.levels.pop();
                return;
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => self.is_mismatched = true,
            TokenKind::Lambda => level.open_lambdas += 1,
            TokenKind::Colon => level.open_lambdas = level.open_lambdas.saturating_sub(1),
            _ => {}
        }
        level.tokens += 1;
        self.depth += 1;
        match token {
            TokenKind::Lpar => self.open(Some(TokenKind::Rpar)),
            TokenKind::Lsqb => self.open(Some(TokenKind::Rsqb)),
            TokenKind::Lbrace => self.open(Some(TokenKind::Rbrace)),
            TokenKind::Indent => self.open(Some(TokenKind::Dedent)),
            _ => {}
        }
    }
}

/// What is wrong with a text that is nested more deeply than is allowed.
fn too_deep(text: &str) -> Option<String> {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut nesting = Nesting::default();
    nesting.open(None);
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return None,
            token => nesting.pass(token),
        }
        if nesting.depth > SYNTAX_DEPTH {
            let cause =
                if nesting.is_mismatched { ", because a bracket does not match" } else { "" };
            return Some(format!("nested more than {SYNTAX_DEPTH} deep{cause}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_bounded_for_every_way_to_nest() {
        let deep = 100_000;
        for text in [
            "[".repeat(deep),
            format!("x = {}1", "-".repeat(deep)),
            format!("x = {}1", "not ".repeat(deep)),
            format!("x = 1{}", " + 1".repeat(deep)),
            format!("x = f{}", "()".repeat(deep)),
            format!("x = f{}", ".a".repeat(deep)),
            format!("x = {}1", "lambda: ".repeat(deep)),
            format!("x = {}2", "1 if 0 else ".repeat(deep)),
            format!("x = {}1", "lambda a,: ".repeat(deep)),
            format!("x = {}1", "lambda a, b=".repeat(deep)),
            "f(],".repeat(deep),
            "x = [\n}\n".repeat(deep),
        ] {
            let file = SourceFile::new(Path::new("deep.py"), text);
            assert!(file.parse().unwrap_err().to_string().contains("nested more than"));
        }
    }

    #[test]
    fn long_is_not_deep() {
        let text = format!(
            "x = [{}]\n{}",
            "dict(a=lambda x, y: 1, b=[2]), ".repeat(9999),
            "y = 1\n".repeat(9999)
        );
        assert!(SourceFile::new(Path::new("long.py"), text).parse().is_ok());
    }
}
