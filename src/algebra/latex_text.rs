//! LaTeX as models write it, brought into the form that is read: the content of boxes, without signs of
//! currency, units, and commands that only change how a text looks.
//!
//! It is the normalisation of `latex2sympy2_extended` 1.11.0, slips included: "inf" in any word is infinity, and a word
//! like "degrees" goes wherever it ends a formula.

use std::sync::LazyLock;

use crate::{
    postprocess::{PatternError, PythonRegex},
    python::blank::strip,
};

/// Which boxes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boxes {
    All,
    /// The last one, and those close before it.
    Last,
}

/// What is normalised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Normalization {
    pub(super) boxes: Boxes,
    /// Units behind numbers go.
    pub(super) units: bool,
    /// Fractions and roots without braces get them.
    pub(super) repairs: bool,
}

/// Brackets whose size is said.
const LEFT: &str = r"\\m?left(\\\{|\{|\\\||\||\[|\(|\\rbracl|\\lgroup|\\lbrace|\\lbrack|\\vert|\\lvert|\\lceil|\\lfloor|\\langle|\\llcorner|\\ulcorner)";
const RIGHT: &str = r"\\m?right(\\\}|\}|\\\||\||\]|\)|\\rbrack|\\rgroup|\\rbrace|\\vert|\\rvert|\\rceil|\\rfloor|\\rangle|\\lrcorner|\\urcorner)";
/// What is taken out.
const REMOVED: &str =
    r#"\\mathrm\{th\}|\\!\s*|\\text\s*\{\s*\}|\\\$|\$|(?<!\\)["']|\\displaystyle"#;

/// What is written in another way, the first that fits at each place.
const REPLACED: &[(&str, &str)] = &[
    (r"\\math(?:rm|it|bf)", r"\text"),
    (r"\\text(?:normal|bf|it|rm)", r"\text"),
    (r"\\(?:d|t|c)frac", r"\frac"),
    (r"\s\.", " 0."),
    (r"\{\.", "{0."),
    (r"\~\=", r"\approx"),
    (r"\s*\{\s*,\s*\}", ","),
    (r"(?<![a-zA-Z])(?:,?\s*(?:and|or))(?![a-zA-Z])", ","),
    (r"(?:,?\s*\\text{\s*(?:and|or)\s*})", ","),
    (r"(?<!\\)\\\s", " "),
    ("infinity", r"\infty"),
    (r",?(?:\\ldots)", " "),
    (r"\s*\bpercentage\b", r"\%"),
    (r"\\text{percentage}", "%"),
    (r"\s*\bpercent\b", r"\%"),
    (r"\\text{percent}", "%"),
    (r"\s*\bpct\b", r"\%"),
    (r"\\text{pct}", "%"),
    (r"(?:(?<!\\)inf(?!inity))", r"\infty"),
    (" sqrt", r"\sqrt"),
];

/// Words behind a number that are no part of it; a dot is any letter.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    " m east", "Surface", "a .", "a . m", "ab", "acre", "am", "apple", "are", "b .", "bc", "by", "c", "c .", "cc", "cent",
    "children ticket", "cm", "cm 2", "coin", "cu . m", "cu cm", "cube", "cubic", "d", "d .", "day", "decrease", "deg",
    "degree", "digit", "dm", "e .", "east", "edge", "excess", "f .", "feet", "ft", "g", "g .", "gain", "gal", "gallon", "gm", "h",
    "h .", "hectare", "hour", "hr", "inch", "inches", "increase", "integerpoint", "kg", "km", "kmh", "kmph", "l", "lb", "less",
    "liter", "litre", "loss", "lt", "m", "m square", "man", "mark", "meal", "men", "meter", "metre", "mile", "min", "minute",
    "minw", "mm", "monkey", "month", "more", "mp", "mph", "mt", "mtr", "multiple", "no change", "noon", "number", "o",
    "ohm", "p . m", "per", "pi sq m", "pie", "pm", "pound", "prime", "profit", "profit of rs", "pure", "q .", "ratio", "rd",
    "rise", "rounds", "rs", "rs .", "rupee", "s", "s .", "sec", "second", "soldier", "sq", "sq . m", "sq inch", "sq m",
    "square", "st", "student", "sue", "t", "th", "tile", "toy", "unit", "v â € ™", "way", "west", "woman", "women", "yard",
    "year", "yr", "° f", "π r 2", "∏ cm ³",
];

/// The formula in the form that is read.
pub(super) fn normalized(text: &str, how: Normalization) -> Result<String, PatternError> {
    let mut text = plain_commands(&unboxed(text, how.boxes)?)?;
    if how.units {
        text = without_units(text)?;
    }
    if how.repairs {
        if text.starts_with('.') {
            text.insert(0, '0');
        }
        if text == "0.5" {
            r"\frac{1}{2}".clone_into(&mut text);
        }
        text = repaired(text)?;
    }
    Ok(strip(&text).to_owned())
}

fn plain_commands(text: &str) -> Result<String, PatternError> {
    static LEFT_BRACKET: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(LEFT));
    static RIGHT_BRACKET: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(RIGHT));
    static TAKEN_OUT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(REMOVED));
    static OTHERWISE: LazyLock<PythonRegex> = LazyLock::new(|| {
        let groups: Vec<String> =
            REPLACED.iter().map(|(pattern, _)| format!("({pattern})")).collect();
        PythonRegex::constant(&groups.join("|"))
    });
    static PERMUTATIONS: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"\(([a-zA-Z0-9+\-*/\\ ]+?)\)_{([a-zA-Z0-9+\-*/\\ ]+?)}")
    });
    static DOUBLED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\\\(?=[a-zA-Z])"));
    let mut text = text.to_owned();
    for (from, to) in [
        (r"\mathrm{T}", "T"),
        (r"\mathrm{d}", "d"),
        (r"{\rm d}", "d"),
        (r"\left[\begin{matrix}", r"\begin{bmatrix}"),
        (r"\end{matrix}\right]", r"\end{bmatrix}"),
    ] {
        text = text.replace(from, to);
    }
    text = RIGHT_BRACKET.keep_group(&LEFT_BRACKET.keep_group(&text)?)?;
    text = PERMUTATIONS.replace_by(&text, |found| {
        let (all, chosen) = (&found[1], &found[2]);
        format!(r"\frac{{({all})!}}{{(({all})-({chosen}))!}}")
    })?;
    text = TAKEN_OUT.replace(&text, "")?;
    text = OTHERWISE.replace_by(&text, |found| {
        let mut replacements = REPLACED.iter().enumerate();
        let replacement = replacements.find(|(index, _)| found.get(index + 1).is_some());
        replacement.map_or_else(String::new, |(_, (_, replacement))| (*replacement).to_owned())
    })?;
    text = text.replace(['\n', '\t'], " ");
    // In a matrix two backslashes end a row.
    if text.contains("matrix") { Ok(text) } else { DOUBLED.replace(&text, "\\") }
}

fn without_units(mut text: String) -> Result<String, PatternError> {
    static WORDS_WITH_POWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"(\\(?:text|mbox){.*?})(\^\d|\{\^\d\})?$"));
    static UNIT: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(&format!(r"(\d|\}}|\s)\s*(?:(?:{})(?:s|es)?)\s*$", UNITS.join("|")))
    });
    let bare = WORDS_WITH_POWER.replace(&text, "")?;
    let bare = strip(&bare);
    if !bare.is_empty() {
        text = String::from(bare);
    }
    for _ in 0..2 {
        let bare = UNIT.keep_group(&text)?;
        if !bare.is_empty() {
            text = bare;
        }
    }
    Ok(text)
}

fn repaired(mut text: String) -> Result<String, PatternError> {
    static REPAIRS: LazyLock<Vec<(PythonRegex, &str)>> = LazyLock::new(|| {
        let repairs = [
            (r"\^\s?\((.*?)\)", "^"),
            (r"sqrt\s?\((.*?)\)", r"\sqrt"),
            (r"\\frac\s?(\d)\s?(\d+)", r"\frac"),
            (r"\\log_\s?(\d)\s?(\d+)", r"\log_"),
            (r"\\frac\s?{(.*?)}\s?(\d)", r"\frac"),
            (r"\\frac\s?(\d)\s?{(.*?)}", r"\frac"),
            (r"\\sqrt\s?(\d)", r"\sqrt"),
        ];
        repairs.map(|(pattern, command)| (PythonRegex::constant(pattern), command)).into()
    });
    for (pattern, command) in REPAIRS.iter() {
        text = pattern.replace_by(&text, |found| {
            let mut repaired = String::from(*command);
            for group in found.iter().skip(1).flatten() {
                repaired.extend(["{", group.as_str(), "}"]);
            }
            repaired
        })?;
    }
    text = text.replace(" sqrt", r"\sqrt");
    text = braced_roots(&text);
    text = braced_fractions(&text).unwrap_or(text);
    Ok(quotient(&text).unwrap_or(text))
}

fn braced_roots(text: &str) -> String {
    let mut parts = text.split(r"\sqrt");
    let mut repaired = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let part = part.trim_start_matches(crate::python::is_blank);
        repaired.push_str(r"\sqrt");
        match part.chars().next() {
            Some(first) if !matches!(first, '{' | '[') => {
                let (under, rest) = part.split_at(first.len_utf8());
                repaired.extend(["{", under, "}", rest]);
            }
            _ => repaired.push_str(part),
        }
    }
    repaired
}

/// Nothing where a fraction has no two parts.
fn braced_fractions(text: &str) -> Option<String> {
    let mut parts = text.split(r"\frac");
    let mut repaired = parts.next()?.to_owned();
    for part in parts {
        let part = part.trim_start_matches(crate::python::is_blank);
        repaired.push_str(r"\frac");
        if part.starts_with('{') {
            repaired.push_str(part);
            continue;
        }
        let mut letters = part.chars();
        let (above, below) = (letters.next()?, letters.next()?);
        repaired.extend(['{', above, '}']);
        if below == '{' {
            repaired.push(below);
        } else {
            repaired.extend(['{', below, '}']);
        }
        repaired.push_str(letters.as_str());
    }
    Some(repaired)
}

/// Two whole numbers with a stroke between them, written as Python writes them.
fn quotient(text: &str) -> Option<String> {
    let (above, below) = text.split_once('/')?;
    let is_plain = |side: &str| {
        let digits = side.strip_prefix('-').unwrap_or(side);
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number && (side == "0" || !digits.starts_with('0'))
    };
    (is_plain(above) && is_plain(below)).then(|| format!(r"\frac{{{above}}}{{{below}}}"))
}

/// The contents of boxes, from the last to the first; the text if there is none.
fn unboxed(text: &str, boxes: Boxes) -> Result<String, PatternError> {
    let mut found: Vec<&str> = Vec::new();
    let mut end = text.len();
    let mut next_start = None;
    while let Some(before) = text.get(..end) {
        let (boxed, framed) = (before.rfind(r"\boxed"), before.rfind(r"\fbox"));
        let Some(start) = boxed.max(framed) else { break };
        let command = start + if boxed > framed { 6 } else { 5 };
        let rest = before.get(command..).unwrap_or_default();
        let content = rest.trim_start_matches(crate::python::is_blank);
        if content.is_empty() {
            break;
        }
        let closing = content.starts_with('{').then(|| closing_brace(content, 0)).flatten();
        let Some(closing) = closing else {
            // A box that is not closed counts only if it is the last.
            if found.is_empty() {
                let rest = text.get(command..).unwrap_or_default();
                found.push(rest.trim_start_matches(crate::python::is_blank));
            }
            break;
        };
        let inner = strip(content.get(1..closing).unwrap_or_default());
        if let (Boxes::Last, Some(next)) = (boxes, next_start) {
            let content_end = end - content.len() + closing;
            let between = text.get(content_end + 1..next).unwrap_or_default();
            let last = found.last().copied().unwrap_or_default();
            if !belongs_together(between, inner, last)? {
                break;
            }
        }
        if found.last() != Some(&inner) {
            found.push(inner);
        }
        next_start = Some(start);
        end = start;
    }
    if found.is_empty() {
        return Ok(text.to_owned());
    }
    found.reverse();
    Ok(found.join(","))
}

/// The place of the brace after which none is open, where so many are open before the text.
pub(crate) fn closing_brace(text: &str, mut open: usize) -> Option<usize> {
    for (index, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(index);
        }
    }
    None
}

/// Whether two boxes are one answer.
fn belongs_together(between: &str, inner: &str, next: &str) -> Result<bool, PatternError> {
    static SEPARATOR: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\b(and|or)\b|,|;"));
    let distance = between.chars().count();
    Ok(distance < 10 || (next != inner && distance < 70 && SEPARATOR.finds(between)?))
}
