//! Fields of an entry that are not read: said once, never fatal.

use crate::config::{Node, nearest};

/// One note for the fields that are known to change nothing here, and one for each that nobody knows.
pub(super) fn notes(entry: &Node, known: &[&str], without_meaning: &[&str]) -> Vec<String> {
    let (idle, strange): (Vec<&str>, Vec<&str>) =
        unread(entry, known).partition(|field| without_meaning.contains(field));
    let mut notes = Vec::new();
    if !idle.is_empty() {
        notes.push(format!("without meaning here: {}", idle.join(", ")));
    }
    notes.extend(strange.into_iter().map(|field| {
        let guess = nearest(field, known.iter().copied());
        let guess = guess.map_or(String::new(), |near| format!(" (did you mean {near}?)"));
        format!("unknown field {field} is ignored{guess}")
    }));
    notes
}

/// Notes for fields that look like a misspelt known one. The others of a data set are for loaders of
/// other programs, and there are too many to know.
pub(super) fn misspelt(entry: &Node, known: &[&str]) -> Vec<String> {
    unread(entry, known)
        .filter_map(|field| {
            let near = nearest(field, known.iter().copied())?;
            Some(format!("unknown field {field} is ignored (did you mean {near}?)"))
        })
        .collect()
}

fn unread<'a>(entry: &'a Node, known: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let fields = entry.as_dict().into_iter().flatten().filter_map(|(key, _)| key.as_str());
    fields.filter(|field| !known.contains(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_misspelt_field_is_guessed_and_an_idle_one_is_named() {
        let entry = Node::from_json(&json!({"path": "m", "run_cfg": {}, "max_out_lne": 3}));
        let notes = notes(&entry, &["max_out_len", "path"], &["run_cfg"]);
        let expected = [
            "without meaning here: run_cfg",
            "unknown field max_out_lne is ignored (did you mean max_out_len?)",
        ];
        assert_eq!(notes, expected);
    }

    #[test]
    fn only_likely_mistakes_of_a_data_set_are_named() {
        let entry = Node::from_json(&json!({"eval_cgf": {}, "with_circular": true}));
        let notes = misspelt(&entry, &["eval_cfg", "path"]);
        assert_eq!(notes, ["unknown field eval_cgf is ignored (did you mean eval_cfg?)"]);
    }
}
