//! The second argument of `re.sub`: text with `\1` and `\g<name>` in it.

use crate::python::regex::Places;

/// A part of a replacement.
#[derive(Debug)]
pub(super) enum Part {
    /// Text as it is.
    Text(String),
    /// What a group matched.
    Group(usize),
}

/// Reads a replacement for a pattern with so many groups, the whole match included, and these names.
pub(super) fn parsed(
    template: &str,
    groups: usize,
    names: &[(usize, &str)],
) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let letters: Vec<char> = template.chars().collect();
    let mut at = 0;
    let next = |at: usize| letters.get(at).copied();
    while let Some(letter) = next(at) {
        at += 1;
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        let Some(escaped) = next(at) else { return Err("bad escape (end of pattern)".to_owned()) };
        at += 1;
        let group = match escaped {
            'g' => {
                let close = letters.get(at..).and_then(|rest| rest.iter().position(|c| *c == '>'));
                let (Some('<'), Some(close)) = (next(at), close) else {
                    return Err("missing <, or > behind it".to_owned());
                };
                let name: String =
                    letters.get(at + 1..at + close).unwrap_or_default().iter().collect();
                at += close + 1;
                match name.parse::<usize>() {
                    Ok(number) if name.bytes().all(|digit| digit.is_ascii_digit()) => number,
                    _ => match names.iter().find(|(_, known)| *known == name) {
                        Some((number, _)) => *number,
                        None => return Err(format!("unknown group name '{name}'")),
                    },
                }
            }
            '0' => return Err("an octal escape in a replacement is not known here".to_owned()),
            '1'..='9' => {
                let mut digits = escaped.to_string();
                if let Some(second) = next(at).filter(char::is_ascii_digit) {
                    digits.push(second);
                    at += 1;
                    let is_octal = digits.chars().chain(next(at)).all(|c| ('0'..='7').contains(&c));
                    if next(at).is_some_and(|c| c.is_ascii_digit()) && is_octal {
                        return Err("an octal escape in a replacement is not known here".to_owned());
                    }
                }
                digits.parse().unwrap_or(usize::MAX)
            }
            'a' => {
                text.push('\u{7}');
                continue;
            }
            'b' => {
                text.push('\u{8}');
                continue;
            }
            'f' => {
                text.push('\u{c}');
                continue;
            }
            'n' => {
                text.push('\n');
                continue;
            }
            'r' => {
                text.push('\r');
                continue;
            }
            't' => {
                text.push('\t');
                continue;
            }
            'v' => {
                text.push('\u{b}');
                continue;
            }
            '\\' => {
                text.push('\\');
                continue;
            }
            letter if letter.is_ascii_alphabetic() => return Err(format!("bad escape \\{letter}")),
            other => {
                text.extend(['\\', other]);
                continue;
            }
        };
        if group >= groups {
            return Err(format!("invalid group reference {group}"));
        }
        parts.push(Part::Text(std::mem::take(&mut text)));
        parts.push(Part::Group(group));
    }
    parts.push(Part::Text(text));
    Ok(parts)
}

/// Writes a replacement for a match in a text.
pub(super) fn expand(parts: &[Part], text: &str, places: &Places, out: &mut String) {
    for part in parts {
        match part {
            Part::Text(own) => out.push_str(own),
            Part::Group(group) => {
                let place = places.get(*group).copied().flatten();
                out.push_str(place.and_then(|(start, end)| text.get(start..end)).unwrap_or(""));
            }
        }
    }
}
