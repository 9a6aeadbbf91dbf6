//! `humaneval_*`: the code in an answer to a programming task.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    Processed,
    blank::{is_blank, strip},
    python_literal,
    python_regex::PythonRegex,
};

/// The first fenced block, or the text, without blanks in front.
pub(super) fn process_v2(text: &str) -> Processed {
    Ok(fenced(text)?.first().copied().unwrap_or(text).trim_start_matches(is_blank).into())
}

/// The last fenced block, or the text, without blanks in front.
pub(super) fn process_v3(text: &str) -> Processed {
    Ok(fenced(text)?.last().copied().unwrap_or(text).trim_start_matches(is_blank).into())
}

fn fenced(text: &str) -> Result<Vec<&str>, super::PatternError> {
    static BLOCK: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)```\w*\n(.*?)```"));
    BLOCK.all(text)
}

/// The body of the first function, indented by four blanks, up to the first empty line. It is that of OpenCompass 0.2.5:
/// later releases have configs that name it, and not the function.
pub(super) fn process_v1(text: &str) -> Processed {
    let code = without_imports(unfenced(text)?);
    let code = code.split("\n\n").next().unwrap_or_default().trim_start_matches('\n');
    let code = match code.split_once('\n') {
        _ if !strip(code).starts_with("def") => code,
        Some((_, body)) => body,
        None => "",
    };
    if code.starts_with("    ") {
        return Ok(code.into());
    }
    Ok(indented(code).into())
}

/// What stands in the first fence, or the text.
fn unfenced(text: &str) -> Result<&str, super::PatternError> {
    static BLOCK: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(?s)```(.*?)```"));
    if !text.contains("```") {
        return Ok(text);
    }
    Ok(match BLOCK.first(text)? {
        None => text.split("```").nth(1).unwrap_or_default(),
        Some(block) if block.starts_with('\n') => block,
        Some(block) => block.find('\n').map_or(block, |line| &block[line + 1..]),
    })
}

/// A text that begins with imports from behind the first line with a `def` on.
fn without_imports(code: &str) -> &str {
    let begins = |word: &str| strip(code).starts_with(word);
    match code.find("def") {
        Some(definition) if begins("from") || begins("import") => {
            let line = code[definition..].find('\n').map_or(0, |line| definition + line + 1);
            &code[line..]
        }
        _ => code,
    }
}

/// A text that begins with a blank, with four of them; or each line behind four.
fn indented(code: &str) -> String {
    if code.starts_with(' ') {
        return format!("    {}", code.trim_start_matches(is_blank));
    }
    let lines: Vec<String> = code.split('\n').map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

/// A continued function body: up to two empty lines, a closing fence or the first line that is not
/// indented. An indentation of three blanks, which a tokenizer may have shortened, becomes four.
pub(super) fn process_internal_v2(text: &str) -> Processed {
    let is_short = text.starts_with("   ") && !text.starts_with("    ");
    let text = if is_short { format!(" {text}") } else { text.to_owned() };
    let body = text.split("\n\n\n").next().unwrap_or_default();
    let body = body.split("\n```").next().unwrap_or_default();
    let lines: Vec<&str> =
        body.split('\n').take_while(|line| line.is_empty() || line.starts_with(' ')).collect();
    Ok(lines.join("\n").into())
}

/// The body of the first function: taken out of a Python string, of a fenced block, from behind imports
/// and `def`, indented by four blanks, up to the line that is indented less than the first.
pub(super) fn process_internal_v1(text: &str) -> Processed {
    let unquoted = match python_literal::evaluate(text) {
        Some(Value::String(inner)) => inner,
        _ => text.to_owned(),
    };
    let code = without_imports(unfenced(unquoted.trim_start_matches('\n'))?);
    let lines: Vec<&str> = code.split('\n').filter(|line| !line.is_empty()).collect();
    let mut code = lines.join("\n");
    if strip(&code).starts_with("def") {
        code = code.split_once('\n').map_or_else(String::new, |(_, body)| body.to_owned());
    }
    Ok(first_indented_block(&indented(&code)).into())
}

/// Up to the line that is indented less than the first; comments, lines that begin with a quotation
/// mark and empty lines do not count.
fn first_indented_block(code: &str) -> String {
    let lines: Vec<&str> = code.split('\n').collect();
    let mut least = None;
    for (index, line) in lines.iter().enumerate() {
        let content = strip(line);
        if content.is_empty() || content.starts_with(['\'', '"', '#']) {
            continue;
        }
        let indentation = line.trim_end_matches(is_blank).chars().count() - content.chars().count();
        if indentation < *least.get_or_insert(indentation) {
            return lines[..index].join("\n");
        }
    }
    lines.join("\n")
}
