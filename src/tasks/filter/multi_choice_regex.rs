//! `multi_choice_regex`: the letter of an option, as a pattern finds it; else the option whose text stands in the
//! answer; else a letter behind a colon.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    super::field::Row,
    Filter, parameters,
    regex::{Found, INVALID, Match, PATTERN},
};
use crate::{
    python::blank::strip,
    python::regex::{PythonRegex, escaped},
    tasks::value::TaskValue,
};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parameters {
    regex_pattern: String,
    group_select: i64,
    fallback: Value,
    ignore_case: bool,
    ignore_punctuation: bool,
    regexes_to_ignore: Option<Vec<String>>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            regex_pattern: PATTERN.to_owned(),
            group_select: 0,
            fallback: INVALID.into(),
            ignore_case: false,
            ignore_punctuation: false,
            regexes_to_ignore: None,
        }
    }
}

struct MultiChoice {
    found: Found,
    select: i64,
    fallback: TaskValue,
    ignored: Ignored,
}

/// What does not count when the text of an option is looked for.
struct Ignored {
    patterns: Vec<PythonRegex>,
    is_case: bool,
    punctuation: Option<PythonRegex>,
}

pub(super) fn build(keys: Map<String, Value>) -> Result<Box<dyn Filter>, String> {
    let parameters: Parameters = parameters(keys)?;
    let patterns = parameters.regexes_to_ignore.unwrap_or_default();
    let compiled = |pattern: &String| PythonRegex::new(pattern).map_err(|error| error.to_string());
    let ignored = Ignored {
        patterns: patterns.iter().map(compiled).collect::<Result<_, _>>()?,
        is_case: parameters.ignore_case,
        punctuation: parameters.ignore_punctuation.then(PythonRegex::punctuation),
    };
    Ok(Box::new(MultiChoice {
        found: Found::new(&parameters.regex_pattern, parameters.group_select)?,
        select: parameters.group_select,
        fallback: TaskValue::from(&parameters.fallback),
        ignored,
    }))
}

impl Ignored {
    fn without(&self, text: &str) -> Result<String, String> {
        let mut text = text.to_owned();
        for pattern in &self.patterns {
            text = pattern.replace(&text, "").map_err(|error| error.to_string())?;
        }
        if self.is_case {
            text = text.to_lowercase();
        }
        match &self.punctuation {
            Some(punctuation) => punctuation.replace(&text, "").map_err(|error| error.to_string()),
            None => Ok(text),
        }
    }
}

/// What is looked for in the answers to one document.
struct Options {
    /// The texts of the options, the longest first.
    texts: Found,
    /// A letter behind a colon.
    letters: Found,
    /// The letter in brackets of each text.
    of_texts: Vec<(String, String)>,
    /// All letters.
    all: Vec<String>,
}

impl MultiChoice {
    fn options(&self, document: &Row) -> Result<Options, String> {
        let choices = document.get("choices").ok_or("a document has no column `choices`")?;
        let (mut texts, mut of_texts, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (choice, letter) in TaskValue::from(choices).items()?.iter().zip('A'..) {
            let choice = choice.text().ok_or("an item of `choices` is no text")?;
            let text = self.ignored.without(strip(choice))?;
            texts.push(escaped(&text));
            of_texts.push((text, format!("({letter})")));
            all.push(letter.to_string());
        }
        // The one that contains another one is looked for first.
        texts.sort_by_key(|text| std::cmp::Reverse(text.chars().count()));
        Ok(Options {
            texts: Found::new(&texts.join("|"), self.select)?,
            letters: Found::new(&format!(r":[\s]*({})", all.join("|")), self.select)?,
            of_texts,
            all,
        })
    }

    fn of(&self, answer: &TaskValue, options: &Options) -> Result<TaskValue, String> {
        let text = |found: Match| match found {
            Match::Text(text) => text,
            Match::Empty | Match::None => String::new(),
        };
        let answer = answer.text();
        let mut found = text(self.found.of(answer.unwrap_or_default())?);
        if found.is_empty() {
            let answer = answer.ok_or("an answer is no text")?;
            found = text(options.texts.of(&self.ignored.without(answer)?)?);
            // Of two options with one text the last counts.
            let known = options.of_texts.iter().rev().find(|(text, _)| *text == found);
            if let Some((_, letter)) = known.filter(|_| !found.is_empty()) {
                found.clone_from(letter);
            }
        }
        if found.is_empty() {
            found = text(options.letters.of(answer.unwrap_or_default())?);
            if options.all.contains(&found) {
                found = format!("({found})");
            }
        }
        Ok(if found.is_empty() { self.fallback.clone() } else { TaskValue::Text(found) })
    }
}

impl Filter for MultiChoice {
    fn apply(&self, answers: Vec<TaskValue>, documents: &[&Row]) -> Result<Vec<TaskValue>, String> {
        let one = |(answers, document): (TaskValue, &&Row)| {
            let options = self.options(document)?;
            let answers = answers.items()?;
            let found = answers.iter().map(|answer| self.of(answer, &options));
            found.collect::<Result<_, _>>().map(TaskValue::List)
        };
        answers.into_iter().zip(documents).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn letters_are_found_as_in_the_original() {
        // Each row was run in lm-eval 0.4.13.
        let document = json!({"choices": ["Guilty", "Guilty of Romance", " The  end. "]});
        let answers = [
            "it is Guilty of Romance",
            "guilty!",
            "Answer: B",
            "(A) or (C)",
            "the end",
            "nope",
            "THE  END. ok",
        ];
        let no = "[invalid]";
        let rows = [
            (json!({}), ["(B)", no, "(B)", no, no, no, no]),
            (
                json!({"ignore_case": true, "ignore_punctuation": true}),
                ["(B)", "(A)", "(B)", no, no, no, "(C)"],
            ),
            (
                json!({"regex_pattern": r"(\([A-Z]\))", "group_select": -1}),
                ["(B)", no, "(B)", "(C)", no, no, no],
            ),
            (json!({"regexes_to_ignore": ["e"]}), ["(B)", no, "(B)", no, no, no, no]),
        ];
        for (keys, expected) in rows {
            let filter = build(keys.as_object().cloned().unwrap()).unwrap();
            let answers = TaskValue::List(answers.map(TaskValue::from).to_vec());
            let found = filter.apply(vec![answers], &[document.as_object().unwrap()]);
            let expected = TaskValue::List(expected.map(TaskValue::from).to_vec());
            assert_eq!(found, Ok(vec![expected]), "{keys}");
        }
    }
}
