//! A source file reduced to what the program runs: no comments, no texts, no tests.

/// The marker of items that only tests see.
const TEST_ONLY: &str = "#[cfg(test)]";

/// The code of a file, and the modules that it declares for tests alone.
pub(crate) fn code(source: &str) -> (String, Vec<String>) {
    let mut rest = without_texts(source);
    let (mut code, mut test_modules) = (String::new(), Vec::new());
    while let Some(at) = rest.find(TEST_ONLY) {
        let after = rest.split_off(at + TEST_ONLY.len());
        code.push_str(&rest[..at]);
        let end = item_bytes(&after);
        let words: Vec<&str> = after[..end].split_whitespace().collect();
        if let Some(["mod", name]) = words.last_chunk() {
            test_modules.extend(name.strip_suffix(';').map(str::to_owned));
        }
        after[end..].clone_into(&mut rest);
    }
    (code + &rest, test_modules)
}

/// Where the first item ends: at a semicolon outside of all brackets, or with its braces.
fn item_bytes(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, character) in code.char_indices() {
        match character {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(character, ';' | '}') {
            return at + 1;
        }
    }
    code.len()
}

/// Comments, strings and characters become a blank each.
fn without_texts(source: &str) -> String {
    let (mut code, mut rest) = (String::new(), source);
    while let Some(first) = rest.chars().next() {
        let after_name = code.ends_with(is_name);
        if let Some(bytes) = text_bytes(rest, after_name) {
            code.push(' ');
            rest = rest.get(bytes..).unwrap_or_default();
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    code
}

/// A character of a name.
pub(crate) fn is_name(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// The length of the comment, string or character that begins here, if one does.
fn text_bytes(rest: &str, after_name: bool) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(comment_bytes(rest));
    }
    if let Some(text) = rest.strip_prefix('"') {
        return Some(1 + closing(text, '"'));
    }
    if let Some(inner) = rest.strip_prefix('\'') {
        let mut characters = inner.chars();
        return match (characters.next()?, characters.next()?) {
            ('\\', escaped) => {
                let begun = 2 + escaped.len_utf8();
                Some(begun + rest[begun..].find('\'')? + 1)
            }
            // What is left is the name of a lifetime.
            (one, '\'') => Some(2 + one.len_utf8()),
            _ => None,
        };
    }
    let raw = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    let text = raw[hashes..].strip_prefix('"').filter(|_| !after_name)?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(rest.len() - text.len() + text.find(&end).map_or(text.len(), |at| at + end.len()))
}

/// The length of a comment that may hold others.
fn comment_bytes(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match rest.as_bytes().get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") if depth == 1 => return at + 2,
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

/// How far it is to behind the closing quote.
fn closing(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at + quote.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[test]
fn texts_comments_and_tests_are_left_out() {
    let source = r##"
        // crate::a
        /* crate::b /* crate::c */ crate::d */
        const A: &str = "\" crate::e";
        const B: &str = r#"" crate::f"#;
        const C: [char; 3] = ['"', '\'', '\u{22}'];
        fn kept<'a>(text: &'a str) -> r#type { crate::kept }
        #[cfg(test)]
        mod toy;
        #[cfg(test)]
        fn of_tests() -> [u8; 2] { crate::g(); [0; 2] }
        fn kept_too() {}
        #[cfg(test)]
        mod tests { use crate::{h}; fn f() { "}"; } }
        fn kept_at_last() {}
    "##;
    let (code, test_modules) = code(source);
    assert_eq!(code.matches("crate::").count(), 1, "{code}");
    for kept in ["fn kept<'a>", "crate::kept", "kept_too", "kept_at_last"] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
    assert_eq!(test_modules, ["toy"]);
}
