//! Questions on documents, among others that do not answer them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    super::class::{ClassForm, own},
    Sample, Task,
};
use crate::{
    dataset::loader::{
        arguments::unknown,
        file::document,
        row::{Fields, Flaw, Made, formatted},
    },
    python::{PythonRandom, is_truthy, python_repr},
};

const MODULE: &str = "opencompass/datasets/ruler/ruler_qa.py";

/// By how many documents a text grows.
const STEP: usize = 10;

pub(crate) const DOCUMENTS: ClassForm = own(
    &[
        "path",
        "dataset?",
        "max_seq_length?",
        "tokenizer_model?",
        "template?",
        "tokens_to_generate?",
        "num_samples?",
        "pre_samples?",
        "random_seed?",
        "remove_newline_tab?",
    ],
    |arguments| {
        let task = Task::new(arguments, MODULE)?;
        let file = document(&arguments.path("path")?)?;
        let (questions, documents) = match arguments.text_or("dataset", "squad")? {
            "squad" => file.make(squad)?,
            "hotpotqa" => file.make(hotpot)?,
            other => {
                let known = &["squad", "hotpotqa"];
                let what = unknown("dataset", other, known);
                return arguments.asked(what);
            }
        };
        let heading = arguments.asked(task.wording("load", "DOCUMENT_PROMPT"))?;
        let before = task.number("pre_samples")?;
        let mut texts = Texts { task: &task, questions, documents, heading };
        let most = texts.documents.len();
        let mut random = PythonRandom::from_seed(task.seed);
        let made = task
            .filling(
                STEP,
                |count| (count + STEP > most).then_some(most),
                |count| {
                    let (text, answer) = texts.sample(&mut random, 0, count)?;
                    let answer = python_repr(&answer.into());
                    task.tokens.count(&format!("{text} {answer}"))
                },
            )
            .and_then(|count| {
                task.drawn(count, STEP, |index, count| {
                    texts.sample(&mut random, index + before, count)
                })
            });
        arguments.asked(made)
    },
)
.with_texts(&[MODULE]);

/// A question, its answers, the documents it is about, and others near to them.
struct Question {
    query: String,
    answers: Vec<String>,
    own: Vec<usize>,
    near: Vec<usize>,
}

/// Different documents, sorted, and the place of each.
fn sorted(documents: &[String]) -> (Vec<String>, BTreeMap<&str, usize>) {
    let all: BTreeSet<&str> = documents.iter().map(String::as_str).collect();
    let places = all.iter().enumerate().map(|(place, text)| (*text, place)).collect();
    (all.into_iter().map(str::to_owned).collect(), places)
}

/// Questions and passages of `SQuAD` 2; those that have no answer are left out.
fn squad(file: &Value) -> Made<(Vec<Question>, Vec<String>)> {
    let mut passages = Vec::new();
    for article in file.list("data")? {
        for paragraph in article.list("paragraphs")? {
            passages.push(paragraph.text("context")?.to_owned());
        }
    }
    let (documents, places) = sorted(&passages);
    let mut questions = Vec::new();
    for article in file.list("data")? {
        let place = |paragraph: &Value| -> Made<usize> {
            Ok(places.get(paragraph.text("context")?).copied().unwrap_or_default())
        };
        let all: Vec<usize> = article.list("paragraphs")?.iter().map(place).collect::<Made<_>>()?;
        for (paragraph, own) in article.list("paragraphs")?.iter().zip(&all) {
            for asked in paragraph.list("qas")? {
                if is_truthy(asked.at("is_impossible")?) {
                    continue;
                }
                let answers = asked.list("answers")?.iter();
                questions.push(Question {
                    query: asked.text("question")?.to_owned(),
                    answers: answers
                        .map(|answer| answer.text("text").map(str::to_owned))
                        .collect::<Made<_>>()?,
                    own: vec![*own],
                    near: all.iter().filter(|near| *near != own).copied().collect(),
                });
            }
        }
    }
    Ok((questions, documents))
}

/// Questions and titled passages of `HotpotQA`.
fn hotpot(file: &Value) -> Made<(Vec<Question>, Vec<String>)> {
    let entries = file.as_array().ok_or_else(|| Flaw("a list of questions is expected".into()))?;
    let mut passages: Vec<Vec<String>> = Vec::new();
    for entry in entries {
        let passage = |passage: &Value| -> Made<String> {
            Ok(format!("{}\n{}", passage.text("0")?, passage.texts("1")?.concat()))
        };
        passages.push(entry.list("context")?.iter().map(passage).collect::<Made<_>>()?);
    }
    let all = passages.concat();
    let (documents, places) = sorted(&all);
    let question = |(entry, passages): (&Value, &Vec<String>)| {
        let own = passages.iter().filter_map(|passage| places.get(&**passage).copied());
        Ok(Question {
            query: entry.text("question")?.to_owned(),
            answers: vec![entry.text("answer")?.to_owned()],
            own: own.collect(),
            near: Vec::new(),
        })
    };
    let questions = entries.iter().zip(&passages).map(question).collect::<Made<_>>()?;
    Ok((questions, documents))
}

/// What texts are made of.
struct Texts<'a> {
    task: &'a Task<'a>,
    questions: Vec<Question>,
    documents: Vec<String>,
    heading: String,
}

impl Texts<'_> {
    /// A question among so many documents. Where all documents are shown, they stay in the order they are shuffled into, as
    /// they do in the original.
    fn sample(&mut self, random: &mut PythonRandom, index: usize, count: usize) -> Made<Sample> {
        let question = self.questions.get(index).ok_or_else(|| {
            Flaw(format!("question {} is asked, there are {}", index + 1, self.questions.len()))
        })?;
        let mut shuffling = PythonRandom::from_seed(self.task.seed);
        let context = if count < self.documents.len() {
            let mut shown: Vec<&str> = question
                .with_others(random, count, self.documents.len())?
                .into_iter()
                .filter_map(|place| self.documents.get(place).map(String::as_str))
                .collect();
            shuffling.shuffle(&mut shown);
            self.told(&shown)?
        } else {
            shuffling.shuffle(&mut self.documents);
            let shown: Vec<&str> = self.documents.iter().map(String::as_str).collect();
            self.told(&shown)?
        };
        let fields = [("context", &*context), ("query", &*question.query)];
        Ok((formatted(&self.task.template, &[], &fields)?, question.answers.clone()))
    }

    /// Documents below their numbers.
    fn told(&self, documents: &[&str]) -> Made<String> {
        let told = (1..).zip(documents).map(|(number, document): (usize, _)| {
            formatted(&self.heading, &[], &[("i", &number.to_string()), ("document", document)])
        });
        Ok(told.collect::<Made<Vec<_>>>()?.join("\n\n"))
    }
}

impl Question {
    /// Its documents, then those near to them, then any others.
    fn with_others(
        &self,
        random: &mut PythonRandom,
        count: usize,
        known: usize,
    ) -> Made<Vec<usize>> {
        let mut shown = self.own.clone();
        let short = || Flaw(format!("{count} documents cannot be drawn"));
        if count > self.own.len() + self.near.len() {
            shown.extend(&self.near);
            let kept: BTreeSet<usize> = shown.iter().copied().collect();
            let others: Vec<usize> = (0..known).filter(|place| !kept.contains(place)).collect();
            let more = count.saturating_sub(shown.len());
            let places = random.sample(others.len(), more).ok_or_else(short)?;
            shown.extend(places.into_iter().filter_map(|place| others.get(place)));
        } else {
            let wanted = count.checked_sub(self.own.len()).ok_or_else(short)?;
            let places = random.sample(self.near.len(), wanted).ok_or_else(short)?;
            shown.extend(places.into_iter().filter_map(|place| self.near.get(place)));
        }
        Ok(shown)
    }
}
