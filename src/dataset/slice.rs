//! Python's slice notation, read without Python.
//!
//! OpenCompass evaluates `index_list` followed by whatever the config says. What configs say is a
//! chain of slices such as `[2:9][0:3]` or `[::-1]`; that much is read here, and nothing is ever
//! evaluated.

/// One `[start:stop:step]`; a missing number is Python's `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
}

/// The row numbers 0 to `total`, sliced by each slice of the text in turn.
///
/// The error says what is wrong with the text and what to write instead.
pub(super) fn sliced_rows(text: &str, total: usize) -> Result<Vec<usize>, String> {
    let mut rows: Vec<usize> = (0..total).collect();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let body = rest.strip_prefix('[').ok_or_else(|| {
            format!("`{text}` is not a chain of slices; write it like \"[:100]\" or \"[2:9][0:3]\"")
        })?;
        let (inside, after) = body
            .split_once(']')
            .ok_or_else(|| format!("`{text}` has a `[` that is never closed"))?;
        rows = parse(inside).map_err(|problem| format!("`{text}`: {problem}"))?.of(&rows);
        rest = after.trim_start();
    }
    Ok(rows)
}

/// The inside of a pair of brackets.
fn parse(inside: &str) -> Result<Slice, String> {
    let parts = inside.split(':').map(number).collect::<Result<Vec<_>, _>>()?;
    let (start, stop, step) = match parts[..] {
        [start, stop] => (start, stop, None),
        [start, stop, step] => (start, stop, step),
        [Some(index)] => {
            return Err(format!(
                "`[{index}]` picks one row instead of a list of rows; write a slice such as [:10]"
            ));
        }
        _ => {
            return Err(format!(
                "`[{inside}]` is not a slice; write [start:stop] or [start:stop:step]"
            ));
        }
    };
    match step {
        Some(0) => {
            Err("a slice cannot have step 0; leave the step out or write 1 or -1".to_owned())
        }
        step => Ok(Slice { start, stop, step: step.unwrap_or(1) }),
    }
}

/// An integer literal, `None`, or nothing. Integers too large for the machine are as good as the
/// largest, since a slice is cut to its list.
fn number(text: &str) -> Result<Option<i64>, String> {
    let text = text.trim();
    if matches!(text, "" | "None") {
        return Ok(None);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text).trim_start()),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("`{text}` is not a whole number"));
    }
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX);
    Ok(Some(if negative { -magnitude } else { magnitude }))
}

impl Slice {
    /// `items[start:stop:step]`, with Python's rules for negative and overlong bounds.
    fn of(self, items: &[usize]) -> Vec<usize> {
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let (lowest, highest) = if self.step > 0 { (0, length) } else { (-1, length - 1) };
        let bound = |bound: Option<i64>, missing: i64| match bound {
            None => missing,
            Some(bound) if bound < 0 => (bound + length).max(lowest),
            Some(bound) => bound.min(highest),
        };
        let (first, last) = if self.step > 0 { (lowest, highest) } else { (highest, lowest) };
        let (start, stop) = (bound(self.start, first), bound(self.stop, last));
        std::iter::successors(Some(start), |at| at.checked_add(self.step))
            .take_while(|&at| if self.step > 0 { at < stop } else { at > stop })
            .filter_map(|at| usize::try_from(at).ok().and_then(|at| items.get(at)).copied())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_as_python_does() {
        let cases: &[(&str, &[usize])] = &[
            ("", &[0, 1, 2, 3, 4, 5]),
            ("[-2:]", &[4, 5]),
            ("[:-4]", &[0, 1]),
            ("[4:1]", &[]),
            ("[9:]", &[]),
            ("[-99:2]", &[0, 1]),
            ("[::-2]", &[5, 3, 1]),
            ("[4:1:-1]", &[4, 3, 2]),
            ("[99::-3]", &[5, 2]),
            ("[:-99:-4]", &[5, 1]),
            ("[ 1 : None ] [::2]", &[1, 3, 5]),
            ("[:99999999999999999999]", &[0, 1, 2, 3, 4, 5]),
            ("[::9223372036854775807]", &[0]),
        ];
        for (text, expected) in cases {
            assert_eq!(sliced_rows(text, 6).as_deref(), Ok(*expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_gives_no_list_of_rows() {
        for text in
            ["[3]", "[-1]", "[]", "[:", ":3", "[::0]", "[1:2:3:4]", "[a:]", "[1.5:]", "[:3]x"]
        {
            assert!(sliced_rows(text, 6).is_err(), "{text}");
        }
    }
}
