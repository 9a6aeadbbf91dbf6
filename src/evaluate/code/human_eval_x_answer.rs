//! The part of an answer that completes a function of `HumanEval-X`, in the way of each language.

use serde_json::Value;

use crate::{
    postprocess::{PatternError, PythonRegex, python_value},
    python::is_blank,
};

/// Words that begin what is no longer the function, in Python.
const ENDS: [&str; 8] =
    ["\ndef", "\nclass", "\n#", "\nassert", "\n\"\"\"", "\nprint", "\nif", "\n\n\n"];

/// The completion in an answer; `head` is what was to be completed.
pub(super) fn completion(text: &str, language: &str, head: &str) -> Result<String, PatternError> {
    // Some clients have returned what `repr` makes of a text.
    let unquoted = match python_value(text) {
        Some(Value::String(inner)) => inner,
        _ => text.to_owned(),
    };
    let mut text = block(unquoted.trim_start_matches('\n'))?.to_owned();
    if language == "python" {
        text = python_body(&text)?;
    }
    let last = head.trim_matches(is_blank).split('\n').next_back().unwrap_or_default();
    if !last.is_empty() {
        let last = last.trim_matches(is_blank).trim_matches('{');
        if let Some(at) = text.find(last) {
            let rest = text.get(at..).and_then(|rest| rest.split_once('\n'));
            text = rest.map_or_else(String::new, |(_, rest)| rest.to_owned());
        }
    }
    Ok(ended(text, language))
}

/// The first block of code without the line that names its language, or the text.
fn block(text: &str) -> Result<&str, PatternError> {
    if !text.contains("```") {
        return Ok(text);
    }
    let found = PythonRegex::dotall("```(.*?)```")?.first(text)?;
    Ok(match found {
        None => text.split("```").nth(1).unwrap_or_default(),
        Some(block) if block.starts_with('\n') => block,
        Some(block) => block.split_once('\n').map_or(block, |(_, rest)| rest),
    })
}

/// The lines of a body, the first of them indented, up to one that is not.
fn python_body(text: &str) -> Result<String, PatternError> {
    let found = PythonRegex::dotall(r"```\w*\n(.*?)```")?.first(text)?.unwrap_or(text);
    let text = format!("    {}", found.trim_start_matches(is_blank));
    let is_outside = |line: &&str| {
        !line.trim_matches(is_blank).is_empty() && !line.starts_with(' ') && !line.starts_with('\t')
    };
    let lines: Vec<&str> = text.split('\n').collect();
    if let Some(end) = lines.iter().position(is_outside) {
        return Ok(lines.get(..end).unwrap_or_default().join("\n"));
    }
    let mut text = text;
    for word in ENDS {
        if let Some(at) = text.rfind(word) {
            text.truncate(at);
        }
    }
    Ok(text)
}

/// A completion up to its last brace, without a main function.
fn ended(mut text: String, language: &str) -> String {
    let main = match language {
        "java" => text.find("public static void main"),
        "go" if text.contains("\nfunc main(") => text.rfind("func main("),
        "cpp" if text.contains("\nint main()") => text.rfind("int main()"),
        _ => None,
    };
    if let Some(at) = main {
        text.truncate(at);
        if language == "java" {
            text.push('}');
        }
    }
    if ["java", "go", "cpp", "js", "rust"].contains(&language)
        && let Some(at) = text.rfind('}')
    {
        text.truncate(at + 1);
    }
    if language == "java" && text.matches('{').count() + 1 == text.matches('}').count() {
        text.push_str("\n}");
    }
    text
}
