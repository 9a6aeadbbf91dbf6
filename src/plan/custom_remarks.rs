//! What is said of a file of one's own before it is asked about: of what it has and what is not done with it.

use serde_json::Value as Json;

use crate::dataset::Sample;

/// What is said of columns that look like options and are none, because the first row lacks one before them.
pub(super) fn left_out(options: &[String], rows: &[Sample]) -> Option<String> {
    let letters = ('A'..='Z').map(String::from);
    let is_there =
        |name: &String| rows.iter().any(|row| row.get(name).is_some_and(|cell| !cell.is_null()));
    let others: Vec<String> =
        letters.filter(|name| !options.contains(name) && is_there(name)).collect();
    (!others.is_empty()).then(|| {
        let all = [options, &others].concat();
        format!(
            "; {} looks like an option and is NOT shown, since the first row lacks one before it (--choices {} takes it in)",
            others.join(", "),
            all.join(",")
        )
    })
}

/// What is said of rows that lack an option: it is compared all the same.
pub(super) fn lacking(options: &[String], rows: &[Sample]) -> Option<String> {
    let is_column = |name: &&String| rows.iter().any(|row| row.get(name).is_some());
    let columns: Vec<&String> = options.iter().filter(is_column).collect();
    let lacks = |row: &Sample| columns.iter().any(|name| row.get(name).is_none_or(Json::is_null));
    let lacking = rows.iter().filter(|row| lacks(row)).count();
    (lacking > 0).then(|| {
        format!(
            "; {lacking} of {} rows lack an option, and it can be chosen all the same: list the options of each row in one \
             column (--choices COLUMN) to compare its own alone",
            rows.len()
        )
    })
}

/// What is said of rows with two equal options, of which one counts as right and the other as wrong.
pub(super) fn equal(options: &[String], rows: &[Sample]) -> Option<String> {
    let has_equal = |row: &&Sample| {
        let cells: Vec<&Json> = options
            .iter()
            .filter_map(|name| row.get(name))
            .filter(|cell| !cell.is_null())
            .collect();
        (1..cells.len()).any(|later| cells[..later].contains(&cells[later]))
    };
    let count = rows.iter().filter(has_equal).count();
    (count > 0).then(|| {
        format!(
            "; in {count} of {} rows two options have the same text, only one of which is right",
            rows.len()
        )
    })
}

/// What is said of columns that name or hold what could be seen or heard: a file by itself is asked about in words.
pub(super) fn unseen(first: &Sample) -> Option<String> {
    let named: Vec<&str> =
        first.iter().filter(|(_, value)| is_medium(value)).map(|(name, _)| name).collect();
    (!named.is_empty()).then(|| {
        format!(
            "; {} looks like an image, a video or a sound and is NOT shown to the model: a config with MMPromptTemplate shows it",
            named.join(", ")
        )
    })
}

/// Whether a cell is the name, the address or the content of what could be seen or heard.
fn is_medium(cell: &Json) -> bool {
    const ENDINGS: [&str; 13] = [
        ".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".mp4", ".webm", ".mkv", ".mov", ".wav",
        ".flac", ".mp3",
    ];
    match cell {
        Json::String(text) => {
            let text = text.trim().to_lowercase();
            let is_one_word = !text.contains(char::is_whitespace);
            text.starts_with("data:image/")
                || (is_one_word && ENDINGS.iter().any(|ending| text.ends_with(ending)))
        }
        Json::Array(items) => !items.is_empty() && items.iter().all(is_medium),
        Json::Object(fields) => {
            fields.len() == 2 && fields.contains_key("bytes") && fields.contains_key("path")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_could_be_seen_is_told_apart_from_words() {
        for cell in [
            json!("images/b.PNG"),
            json!("https://example.org/b.jpg"),
            json!(["a.png", "b.png"]),
            json!({"bytes": "aGE=", "path": null}),
            json!("data:image/png;base64,aGE="),
        ] {
            assert!(is_medium(&cell), "{cell}");
        }
        for cell in [
            json!("Which file ends in .png?"),
            json!("It is a.png"),
            json!([]),
            json!({"path": "a"}),
        ] {
            assert!(!is_medium(&cell), "{cell}");
        }
    }
}
