//! Values between commas as Python's `csv.reader` reads them: cells of text, and an empty line is a row
//! without cells.
//!
//! Outside of quotes a line ends with `\n`, `\r\n` or `\r`; in quotes all of them are letters.

/// The lines that rows begin at, from 1, and their cells.
pub(super) fn cells(text: &str, delimiter: char) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    let mut letters = text.chars().peekable();
    let mut line = 1;
    while letters.peek().is_some() {
        let (begin, mut row, mut cell) = (line, Vec::new(), String::new());
        let (mut is_quoted, mut is_fresh, mut has_cell) = (false, true, false);
        while let Some(letter) = letters.next() {
            line += usize::from(letter == '\n');
            if is_quoted {
                if letter != '"' {
                    cell.push(letter);
                } else if letters.next_if_eq(&'"').is_some() {
                    cell.push('"');
                } else {
                    is_quoted = false;
                }
                continue;
            }
            if letter == '\n' {
                break;
            }
            if letter == '\r' {
                let _ = letters.next_if_eq(&'\n');
                line += 1;
                break;
            }
            has_cell = true;
            if letter == delimiter {
                row.push(std::mem::take(&mut cell));
                is_fresh = true;
                continue;
            }
            if letter == '"' && is_fresh {
                is_quoted = true;
            } else {
                cell.push(letter);
            }
            is_fresh = false;
        }
        if has_cell {
            row.push(cell);
        }
        rows.push((begin, row));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_delimiters_and_empty_lines() {
        let text = "a,\"b \"\"c\"\",\nd\",5\" x\n\n,\"e\"f\nlast";
        let rows: Vec<_> = cells(text, ',');
        let expected: [(usize, &[&str]); 4] =
            [(1, &["a", "b \"c\",\nd", "5\" x"]), (3, &[]), (4, &["", "ef"]), (5, &["last"])];
        assert_eq!(
            rows,
            expected.map(|(line, row)| (line, row.iter().map(|cell| (*cell).to_owned()).collect()))
        );
        assert_eq!(cells("a\tb,c\n", '\t')[0].1, ["a", "b,c"]);
        let rows = cells("a,\"b\r\nc\"\r\nd\re", ',');
        let rows: Vec<_> = rows.iter().map(|(line, row)| (*line, row.join("|"))).collect();
        assert_eq!(rows, [(1, "a|b\r\nc".to_owned()), (3, "d".to_owned()), (4, "e".to_owned())]);
    }
}
