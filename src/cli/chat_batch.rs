//! Conversations line by line: each comes out as it went in, with its text beside it.
//!
//! A line that cannot be rendered costs no other: it comes out with `formatted_chat: null` and the
//! error, and the exit code says that there was one. Nothing is held but the line at hand.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, BufWriter, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context as _;
use serde_json::{Map, Value};

use super::{SOME_FAILED, chat_template::ConversationWriter, output::talk, visible::visible_json};
use crate::chat::Conversation;

/// Renders every line of a file, to another file or to stdout.
pub(super) fn render(
    writer: &mut ConversationWriter<'_>,
    input: &Path,
    output: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    writer.check()?;
    for note in writer.notes() {
        talk(&format!("note: {note}"));
    }
    let mut lines = BufReader::new(open(input)?);
    let mut out: Box<dyn Write> = match output {
        Some(path) => {
            let same = path.canonicalize().ok() == input.canonicalize().ok();
            anyhow::ensure!(!same, "{} would be written over itself", path.display());
            let file = File::create(path)
                .map_err(|error| anyhow::anyhow!("cannot write {}: {error}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    let (mut conversations, mut failed) = (0, 0);
    let mut bytes = Vec::new();
    for number in 1_usize.. {
        bytes.clear();
        if lines.read_until(b'\n', &mut bytes).context("the file cannot be read on")? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        if line.trim().is_empty() {
            continue;
        }
        conversations += 1;
        let place = format!("{}:{number}", input.display());
        let (mut entry, rendered) = rendered(writer, line.trim());
        match rendered {
            Ok(text) => {
                for note in writer.notes_on(&text) {
                    talk(&format!("{place}: {note}"));
                }
                entry.insert("formatted_chat".to_owned(), text.into());
            }
            Err(error) => {
                failed += 1;
                talk(&format!("{place}: {error}"));
                entry.insert("formatted_chat".to_owned(), Value::Null);
                entry.insert("error".to_owned(), error.into());
            }
        }
        let json = serde_json::to_string(&entry)?;
        writeln!(out, "{}", visible_json(&json))?;
        if output.is_none() {
            // Another program may wait for this text before it asks for the next.
            out.flush()?;
        }
    }
    out.flush()?;
    if failed > 0 {
        talk(&format!("{failed} of {conversations} conversations have no text"));
        return Ok(ExitCode::from(SOME_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

/// A line as an object, whatever it is, and its text or what is wrong with it.
fn rendered(
    writer: &mut ConversationWriter<'_>,
    line: &str,
) -> (Map<String, Value>, Result<String, String>) {
    let holding = |key: &str, value: Value| Map::from_iter([(key.to_owned(), value)]);
    let value: Value = match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => {
            return (holding("line", line.into()), Err(format!("this is not JSON: {error}")));
        }
    };
    let text = Conversation::from_json(&value)
        .and_then(|conversation| writer.text(&conversation))
        .map_err(|error| error.to_string());
    let entry = match value {
        Value::Object(entry) => entry,
        list @ Value::Array(_) => holding("messages", list),
        other => holding("line", other),
    };
    (entry, text)
}

fn open(path: &Path) -> anyhow::Result<File> {
    File::open(path).map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))
}
