//! Questions on images: the question becomes its images and its text in one column, each behind the tag that AISBench's
//! `MMPromptTemplate` reads. Images stand first, in the order of their row.
//!
//! Repositories of benchmarks differ in how they keep images, options and golds; a line for each makes `question`, `choices` (a list
//! of texts), `options` (the same in lines, `A. …`) and `answer` (a letter) of them. OpenCompass has no such classes.

use serde_json::Value;

use super::{
    class::{ClassForm, library},
    row::{Fields, Flaw, Made, Row, letter_at, lettered},
    step::{
        Step::{Own, Skip},
        removed,
    },
};
use crate::{
    dataset::image_folder::ImageFolder,
    python::{blank::strip, python_literal},
};

/// What stands before an image, before a text and behind each.
const TAGS: [&str; 3] = ["<AIS_IMAGE_START>", "<AIS_TEXT_START>", "<AIS_CONTENT_TAG>"];

/// How many images a row of MMMU may have.
const MOST_IMAGES: usize = 7;

/// Letters of options.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A `question` and its `image`: one, a list of them, or none. Bytes, base64, data URLs, paths and addresses are read.
pub(super) const IMAGE_QUESTIONS: ClassForm = library(&[Own(|row| {
    let images = addresses(row, "image")?;
    tag(row, &images)
})]);

/// Options in columns named after their letters, and a hint where there is one.
pub(super) const MM_BENCH: ClassForm = library(&[Own(|row| {
    let mut choices = Vec::new();
    for letter in LETTERS.chars().take(5).map(String::from) {
        let Some(option) = row.shift_remove(&letter) else { continue };
        if is_missing(&option) {
            continue;
        }
        if letter_at(LETTERS, choices.len())? != letter {
            return Flaw::new(format!("there is an option {letter}, and none before it"));
        }
        choices.push(option);
    }
    let hint = match row.get("hint").filter(|hint| !is_missing(hint)) {
        Some(_) => format!("{}\n", row.text("hint")?),
        None => String::new(),
    };
    row.insert("hint".to_owned(), hint.into());
    let images = some_addresses(row, "image")?;
    choose(row, choices)?;
    tag(row, &images)
})]);

/// Options in a list, or in a text that Python reads as one; the images that the question and its options name, or all where they name none. What
/// has no options is left out.
pub(super) const MMMU: ClassForm = library(&[
    Skip("question_type", "open"),
    Own(|row| {
        let choices = listed(row.at("options")?)?;
        let texts = choices.iter().filter_map(Value::as_str);
        let text: String = texts.chain([row.text("question")?]).collect();
        let numbers = || (1..=MOST_IMAGES).map(|number| (number, format!("image_{number}")));
        let mut images = Vec::new();
        for (number, column) in numbers() {
            if text.contains(&format!("<image {number}>")) {
                images.extend(some_addresses(row, &column)?);
            }
        }
        if images.is_empty() {
            // Nothing says which, so that all are shown.
            for (_, column) in numbers().filter(|(_, column)| row.contains_key(column)) {
                images.extend(addresses(row, &column)?);
            }
        }
        if images.is_empty() {
            return Flaw::new("there is no image");
        }
        choose(row, choices)?;
        tag(row, &images)
    }),
]);

/// Options in a list, the gold a place in it, and a hint where there is one. What has no image is left out.
pub(super) const SCIENCE_QA_IMAGES: ClassForm = library(&[
    Own(|row| {
        let image = removed(row, "image")?;
        row.insert("image".to_owned(), if image.is_null() { "".into() } else { image });
        Ok(())
    }),
    Skip("image", ""),
    Own(|row| {
        let choices = row.list("choices")?.clone();
        let gold = row.whole("answer")?;
        let gold = usize::try_from(gold).map_err(|_| Flaw(format!("`answer` is {gold}")))?;
        row.insert("answer".to_owned(), letter_at(LETTERS, gold)?.into());
        let hint = strip(row.text("hint")?);
        let hint = if hint.is_empty() { String::new() } else { format!("{hint}\n") };
        row.insert("hint".to_owned(), hint.into());
        let images = some_addresses(row, "image")?;
        choose(row, choices)?;
        tag(row, &images)
    }),
]);

/// Options in four columns, and a list of images.
pub(super) const SEED_BENCH: ClassForm = library(&[Own(|row| {
    let names = ["choice_a", "choice_b", "choice_c", "choice_d"];
    let choices = names.map(|name| removed(row, name)).into_iter().collect::<Made<Vec<Value>>>()?;
    let images = some_addresses(row, "image")?;
    choose(row, choices)?;
    tag(row, &images)
})]);

/// Options in a list, or in a text that Python reads as one.
fn listed(options: &Value) -> Made<Vec<Value>> {
    if let Value::Array(options) = options {
        return Ok(options.clone());
    }
    match options.as_str().and_then(python_literal) {
        Some(Value::Array(options)) => Ok(options),
        _ => Flaw::new(format!("`options` is neither a list nor a text with one: {options}")),
    }
}

/// Whether a cell says nothing, as pandas wrote it.
fn is_missing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.is_empty() || text == "nan")
}

/// Notes the options, of which the gold has to name one.
fn choose(row: &mut Row, choices: Vec<Value>) -> Made<()> {
    if let Some(odd) = choices.iter().find(|choice| !choice.is_string()) {
        return Flaw::new(format!("an option is {odd}, which is no text"));
    }
    let gold = row.text("answer")?;
    let known = LETTERS.chars().take(choices.len());
    if !known.clone().any(|letter| gold == letter.to_string()) {
        let known: Vec<String> = known.map(String::from).collect();
        return Flaw::new(format!("the gold is {gold:?}, which is none of {}", known.join(", ")));
    }
    row.insert("options".to_owned(), lettered(&choices).trim_end_matches('\n').into());
    row.insert("choices".to_owned(), choices.into());
    Ok(())
}

/// The addresses of the image in a column, or of several in a list.
fn addresses(row: &Row, column: &str) -> Made<Vec<String>> {
    let found = ImageFolder::of_user().address(row.at(column)?);
    let found = found.map_err(|what| Flaw(format!("`{column}` {what}")))?;
    Ok(match found {
        Value::String(address) => vec![address],
        Value::Array(items) => {
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    })
}

/// The same where there has to be one.
fn some_addresses(row: &Row, column: &str) -> Made<Vec<String>> {
    let found = addresses(row, column)?;
    if found.is_empty() { Flaw::new(format!("there is no image in `{column}`")) } else { Ok(found) }
}

/// Puts the images in front of the question, all behind their tags.
fn tag(row: &mut Row, images: &[String]) -> Made<()> {
    let [image_start, text_start, end] = TAGS;
    let question = row.text("question")?;
    if let Some(tag) = TAGS.iter().find(|tag| question.contains(**tag)) {
        return Flaw::new(format!("the question holds {tag}, which parts images and texts"));
    }
    let shown = images.iter().map(|address| format!("{image_start}{address}{end}"));
    let tagged = shown.collect::<String>() + text_start + question;
    row.insert("question".to_owned(), tagged.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::{
        config::Node,
        dataset::{DatasetLocation, Rows, Sample, TableChoice, loader::class_of},
        hub::Silent,
    };

    /// The rows that a class makes of these, in which `IMAGE` stands for the path of an image.
    fn made(class: &str, rows: &[Value]) -> Result<Vec<Sample>, String> {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("a.png");
        fs::write(&image, b"\x89PNG\r\n\x1a\nan image").unwrap();
        let text = rows.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let path = folder.path().join("rows.jsonl");
        fs::write(&path, text.replace("IMAGE", image.to_str().unwrap())).unwrap();
        let mut entry = Node::from_json(&json!({"type": class}));
        let class = class_of(&entry).unwrap().unwrap();
        let place = DatasetLocation::Local(path);
        let place = place.stepped(class, &mut entry, Some("x")).unwrap();
        let read = place.read(&TableChoice::default(), &["test"], &Silent);
        let Rows::Single(rows) = read.map_err(|error| error.to_string())? else {
            panic!("a file is one table")
        };
        let address = format!("file://{}", image.display());
        let plain = |value: &Value| match value.as_str() {
            Some(text) => text.replace(&address, "@").into(),
            None => value.clone(),
        };
        let own = |row: &Sample| {
            Sample::new(row.iter().map(|(name, value)| (name.to_owned(), plain(value))).collect())
        };
        Ok(rows.iter().map(own).collect())
    }

    const SHOWN: &str = "<AIS_IMAGE_START>@<AIS_CONTENT_TAG>";

    #[test]
    fn images_stand_before_the_question() {
        let rows = [
            json!({"image": ["IMAGE"], "question": "What?", "answer": ["a", "b"]}),
            json!({"image": ["IMAGE", "IMAGE"], "question": "", "answer": ["c"]}),
            json!({"image": null, "question": "Why?", "answer": []}),
        ];
        let found = made("ImageQuestionDataset", &rows).unwrap();
        let questions: Vec<&Value> = found.iter().map(|row| row.get("question").unwrap()).collect();
        let text = "<AIS_TEXT_START>";
        assert_eq!(questions[0], &json!(format!("{SHOWN}{text}What?")));
        assert_eq!(questions[1], &json!(format!("{SHOWN}{SHOWN}{text}")));
        assert_eq!(questions[2], &json!(format!("{text}Why?")));
        assert_eq!(found[0].get("answer"), Some(&json!(["a", "b"])));
    }

    #[test]
    fn options_become_a_list_and_golds_a_letter() {
        let tagged = |question: &str| json!(format!("{SHOWN}<AIS_TEXT_START>{question}"));
        for (class, row, choices, hint) in [
            (
                "MMBenchDataset",
                json!({"index": 3, "question": "Q", "hint": null, "A": "x", "B": "y", "C": null, "D": "nan",
                    "image": "IMAGE", "answer": "B"}),
                json!(["x", "y"]),
                Some(""),
            ),
            (
                "MMMUDataset",
                json!({"id": "validation_Art_1", "question": "Q", "options": "['x', \"it's <image 2>\"]",
                    "question_type": "multiple-choice", "image_1": null, "image_2": "IMAGE", "answer": "B"}),
                json!(["x", "it's <image 2>"]),
                None,
            ),
            (
                "ScienceQAImageDataset",
                json!({"question": "Q", "choices": ["x", "y"], "answer": 1, "hint": " Look. ", "image": "IMAGE"}),
                json!(["x", "y"]),
                Some("Look.\n"),
            ),
            (
                "SEEDBenchImageDataset",
                json!({"question": "Q", "choice_a": "x", "choice_b": "y", "choice_c": "z", "choice_d": "é",
                    "answer": "B", "image": ["IMAGE"]}),
                json!(["x", "y", "z", "é"]),
                None,
            ),
        ] {
            let found = made(class, &[row]).unwrap();
            assert_eq!(found[0].get("question"), Some(&tagged("Q")), "{class}");
            assert_eq!(found[0].get("choices"), Some(&choices), "{class}");
            let options = found[0].get("options").and_then(Value::as_str).unwrap();
            assert!(options.starts_with("A. x\nB. ") && !options.ends_with('\n'), "{options}");
            assert_eq!(found[0].get("answer"), Some(&json!("B")), "{class}");
            assert_eq!(found[0].get("hint").and_then(Value::as_str), hint, "{class}");
        }
    }

    #[test]
    fn what_has_no_image_or_no_options_is_left_out_where_it_is_said() {
        let science = |image: Value| json!({"question": "Q", "choices": ["x"], "answer": 0, "hint": "", "image": image});
        let rows = [science(Value::Null), science("IMAGE".into())];
        assert_eq!(made("ScienceQAImageDataset", &rows).unwrap().len(), 1);
        let mmmu = |kind: &str| json!({"question": "<image 1>", "options": "['x']", "question_type": kind, "image_1": "IMAGE", "answer": "A"});
        let rows = [mmmu("open"), mmmu("multiple-choice")];
        assert_eq!(made("MMMUDataset", &rows).unwrap().len(), 1);
    }

    #[test]
    fn images_of_mmmu_are_those_that_are_named_or_else_all() {
        let shown = |question: &str, options: Value| {
            let row = json!({"question": question, "options": options, "question_type": "multiple-choice",
                "image_1": "IMAGE", "image_2": "IMAGE", "image_3": null, "answer": "A"});
            let made = made("MMMUDataset", &[row])?;
            let question = made[0].get("question").and_then(Value::as_str).unwrap_or_default();
            Ok::<_, String>(question.matches(SHOWN).count())
        };
        assert_eq!(shown("<image 2>", json!(["x"])), Ok(1));
        assert_eq!(shown("Q", json!("['x <image 1>', 'y <image 2>']")), Ok(2));
        assert_eq!(shown("Q", json!(["x"])), Ok(2));
        let error = shown("<image 3>", json!(["x"])).unwrap_err();
        assert!(error.contains("there is no image in `image_3`"), "{error}");
        let error = shown("<image 1>", json!("x, y")).unwrap_err();
        assert!(error.contains("`options` is neither a list"), "{error}");
    }

    #[test]
    fn what_cannot_be_asked_is_an_error_with_its_row() {
        let mmbench = |change: &dyn Fn(&mut Value)| {
            let mut row = json!({"question": "Q", "hint": "", "A": "x", "B": "y", "C": null, "D": null,
                "image": "IMAGE", "answer": "A"});
            change(&mut row);
            made("MMBenchDataset", &[row]).unwrap_err()
        };
        for (error, expected) in [
            (mmbench(&|row| row["image"] = Value::Null), "there is no image"),
            (mmbench(&|row| row["image"] = "gone.png".into()), "`image` holds \"gone.png\""),
            (
                mmbench(&|row| row["answer"] = "C".into()),
                "the gold is \"C\", which is none of A, B",
            ),
            (mmbench(&|row| row["answer"] = Value::Null), "`answer`"),
            (mmbench(&|row| row["D"] = "z".into()), "an option D, and none before it"),
            (mmbench(&|row| row["question"] = "a<AIS_CONTENT_TAG>b".into()), "the question holds"),
        ] {
            assert!(error.contains("data set x, row 1") && error.contains(expected), "{error}");
        }
    }
}
