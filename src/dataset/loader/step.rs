//! What a loader does to a row, as data: the steps that most classes are made of.

use serde_json::Value;

use super::row::{Fields, Flaw, Made, Row, int, letter, object};

/// One change of a row, in the order of a class.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Only these columns, each with the path of its value.
    Take(&'static [(&'static str, &'static str)]),
    /// One more column, with the path of its value.
    Add(&'static str, &'static str),
    /// A column that is always the same text.
    Constant(&'static str, &'static str),
    /// These columns go.
    Remove(&'static [&'static str]),
    /// The value at the path, a whole number, chooses one of the letters.
    Letter(&'static str, &'static str, &'static str),
    /// The same, and the number may be written as text.
    LetterOfText(&'static str, &'static str, &'static str),
    /// The value at the path, a text, has another text each.
    Words(&'static str, &'static str, &'static [(&'static str, &'static str)]),
    /// Whether the value at the path is this text: 1 or 0.
    Is(&'static str, &'static str, &'static str),
    /// The list at the path, joined.
    Join(&'static str, &'static str, &'static str),
    /// A row whose column is this text is left out.
    Skip(&'static str, &'static str),
    /// Whatever else, in the class's own words.
    Own(fn(&mut Row) -> Made<()>),
}

use Step::{Add, Constant, Is, Join, Letter, LetterOfText, Own, Remove, Skip, Take, Words};

/// The row after all steps; nothing if it is left out.
pub(super) fn stepped(value: &Value, steps: &[Step]) -> Made<Option<Row>> {
    let mut row = object(value)?.clone();
    for step in steps {
        match step {
            Take(columns) => {
                let taken =
                    |(name, path): &(&str, &str)| Ok(((*name).to_owned(), row.at(path)?.clone()));
                row = columns.iter().map(taken).collect::<Made<Row>>()?;
            }
            Add(name, path) => set(&mut row, name, |row| row.at(path).cloned())?,
            Constant(name, text) => set(&mut row, name, |_| Ok(Value::from(*text)))?,
            Remove(columns) => {
                columns.iter().try_for_each(|name| removed(&mut row, name).map(drop))?;
            }
            Letter(name, path, letters) => {
                set(&mut row, name, |row| letter(letters, row.whole(path)?).map(Value::from))?;
            }
            LetterOfText(name, path, letters) => {
                set(&mut row, name, |row| letter(letters, int(row.at(path)?)?).map(Value::from))?;
            }
            Words(name, path, words) => set(&mut row, name, |row| {
                let own = row.text(path)?;
                let word = words.iter().find(|(word, _)| *word == own);
                word.map(|(_, other)| Value::from(*other)).ok_or_else(|| {
                    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    Flaw(format!("`{path}` is '{own}', which is none of {}", known.join(", ")))
                })
            })?,
            Is(name, path, text) => {
                set(&mut row, name, |row| Ok(i32::from(row.at(path)? == *text).into()))?;
            }
            Join(name, path, separator) => {
                set(&mut row, name, |row| Ok(row.texts(path)?.join(separator).into()))?;
            }
            Skip(name, text) => {
                if row.at(name)? == *text {
                    return Ok(None);
                }
            }
            Own(change) => change(&mut row)?,
        }
    }
    Ok(Some(row))
}

/// Takes a column out, the others staying in their order.
pub(super) fn removed(row: &mut Row, name: &str) -> Made<Value> {
    row.shift_remove(name).ok_or_else(|| Flaw(format!("there is no `{name}`")))
}

fn set(row: &mut Row, name: &str, value: impl FnOnce(&Row) -> Made<Value>) -> Made<()> {
    let value = value(row)?;
    row.insert(name.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(value: &Value, steps: &[Step]) -> Result<Option<Value>, String> {
        stepped(value, steps).map(|row| row.map(Value::Object)).map_err(|flaw| flaw.0)
    }

    #[test]
    fn steps_follow_one_another() {
        let steps = [
            Take(&[("q", "question.stem"), ("A", "question.choices.0"), ("label", "gold")]),
            Letter("answer", "label", "AB"),
            Remove(&["label"]),
        ];
        let value = json!({"gold": -1, "question": {"stem": "?", "choices": ["x", "y"]}});
        let row = made(&value, &steps).unwrap().unwrap();
        assert_eq!(row.to_string(), r#"{"q":"?","A":"x","answer":"B"}"#);
    }

    #[test]
    fn what_is_not_there_or_of_another_kind_is_a_flaw() {
        for (value, steps, expected) in [
            (json!({"a": "1"}), Letter("a", "a", "AB"), "`a` is expected to be a whole number"),
            (json!({"a": 2}), Letter("a", "a", "AB"), "2 is no number of one of the 2 choices"),
            (json!({"a": true}), Words("a", "a", &[("true", "A")]), "to be text"),
            (json!({"a": "x"}), Words("a", "a", &[("true", "A")]), "'x', which is none of true"),
            (json!({"b": "x"}), Add("c", "a.b"), "there is no `a.b`"),
            (json!([]), Add("c", "a"), "expected an object"),
        ] {
            let flaw = made(&value, &[steps]).unwrap_err();
            assert!(flaw.contains(expected), "{flaw}");
        }
        assert_eq!(made(&json!({"a": "-"}), &[Skip("a", "-")]), Ok(None));
        assert_eq!(
            made(&json!({"a": "1"}), &[LetterOfText("a", "a", "AB")]),
            Ok(Some(json!({"a": "B"})))
        );
    }
}
