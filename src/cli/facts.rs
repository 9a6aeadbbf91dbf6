//! Names and what is to be said of them, a line each: lines that are too long go on under their own
//! beginning.

use super::{
    visible::visible_line,
    width::{folded, width},
};

/// Text behind a name has at least so many columns.
const LEAST_COLUMNS: usize = 24;

/// The lines, names filled up to the longest or to `name_columns`, without a final newline.
pub(super) fn facts(lines: &[(&str, String)], name_columns: usize, columns: usize) -> String {
    let longest = lines.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let name_columns = longest.max(name_columns);
    let room = columns.saturating_sub(name_columns + 1).max(LEAST_COLUMNS);
    let mut rows = Vec::new();
    for (name, text) in lines {
        for (index, row) in folded(&visible_line(text), room, 0).into_iter().enumerate() {
            let name = if index == 0 { *name } else { "" };
            let gap = " ".repeat(name_columns.saturating_sub(width(name)) + 1);
            rows.push(format!("{name}{gap}{row}").trim_end().to_owned());
        }
    }
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_goes_on_beside_its_name() {
        let lines = [("a", "one two three four five six".to_owned()), ("name", "x\ny".to_owned())];
        let expected = "\
a    one two three four five
     six
name x\\ny";
        assert_eq!(facts(&lines, 0, 30), expected);
    }
}
