//! Questions, options and answers of documents, as the fields of a task give them, and the texts that come of them.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    OutputType, TaskError, TaskPlan,
    field::{Asked, Field, Row},
    request::{Arguments, RequestOptions},
    turn::{self, Turn, delimited, needs_delimiter},
};
use crate::python::python_str;

/// A task while its requests are made, or its answers scored.
pub(super) struct Asking<'a> {
    plan: &'a TaskPlan,
    columns: Vec<String>,
    options: &'a RequestOptions<'a>,
    /// Whether the options are questions, each with the same answer.
    pub(super) has_several_questions: bool,
}

impl<'a> Asking<'a> {
    /// With the columns of the first document, which decides for all whether the options are questions.
    pub(super) fn new(
        plan: &'a TaskPlan,
        first: &Row,
        options: &'a RequestOptions<'a>,
    ) -> Result<Self, TaskError> {
        let columns = first.keys().cloned().collect();
        let mut asking = Self { plan, columns, options, has_several_questions: false };
        asking.has_several_questions =
            asking.own_question(&mut first.clone())?.is_number() && plan.doc_to_choice.is_some();
        Ok(asking)
    }

    /// The question of a document, or the number of one of several.
    pub(super) fn own_question(&self, row: &mut Row) -> Result<Value, TaskError> {
        self.question(row, self.plan.doc_to_text.as_ref())
    }

    /// The answer of a document.
    pub(super) fn own_target(&self, row: &mut Row) -> Result<Value, TaskError> {
        self.target(row, self.plan.doc_to_target.as_ref())
    }

    /// The options of a document.
    pub(super) fn own_choices(&self, row: &mut Row) -> Result<Option<Vec<String>>, TaskError> {
        self.choices(row, self.plan.doc_to_choice.as_ref())
    }

    fn asked<'f>(&'f self, key: &'f str, field: &'f Field) -> Asked<'f> {
        Asked {
            task: &self.plan.name,
            key,
            field,
            columns: &self.columns,
            has_choices: self.plan.doc_to_choice.is_some(),
        }
    }

    fn wrong<T>(&self, what: impl Into<String>) -> Result<T, TaskError> {
        Err(TaskError::task(&self.plan.name, what))
    }

    fn question(&self, row: &mut Row, field: Option<&Field>) -> Result<Value, TaskError> {
        match field {
            Some(field) => self.asked("doc_to_text", field).question(row),
            None => self.wrong("it has no doc_to_text"),
        }
    }

    fn target(&self, row: &mut Row, field: Option<&Field>) -> Result<Value, TaskError> {
        match field {
            Some(field) => self.asked("doc_to_target", field).target(row),
            None => self.wrong("it has no doc_to_target"),
        }
    }

    fn choices(
        &self,
        row: &mut Row,
        field: Option<&Field>,
    ) -> Result<Option<Vec<String>>, TaskError> {
        field.map(|field| self.asked("doc_to_choice", field).choices(row)).transpose()
    }

    /// The text of a document up to the answer; several where the options are questions.
    pub(super) fn contexts(
        &self,
        row: &mut Row,
        examples: &[&Row],
    ) -> Result<Vec<String>, TaskError> {
        let plan = self.plan;
        let description = match &plan.description {
            Some(field) => self.asked("description", field).text(row)?,
            None => String::new(),
        };
        let system = delimited(
            self.options.system_instruction.unwrap_or_default(),
            &description,
            &plan.fewshot_delimiter,
        );
        let mut turns = Vec::new();
        if !system.is_empty() {
            turns.push(Turn::new("system", system, ""));
        }
        for example in examples {
            turns.extend(self.example(example)?);
        }
        let prefix = match &plan.gen_prefix {
            Some(field) => self.asked("gen_prefix", field).text(row)?,
            None => String::new(),
        };
        let question = self.own_question(row)?;
        let choices = self.own_choices(row)?;
        self.leave_target(row)?;
        let asked = if self.has_several_questions {
            choices.unwrap_or_default().into_iter().map(|choice| (choice, "")).collect()
        } else {
            match question {
                Value::String(question) => vec![(question, &*plan.target_delimiter)],
                other => {
                    let what = format!("`doc_to_text` is no text: {}", python_str(&other));
                    return self.wrong(what);
                }
            }
        };
        asked
            .into_iter()
            .map(|(question, delimiter)| {
                let mut turns = turns.clone();
                let delimiter = if needs_delimiter(&question, &prefix) { delimiter } else { "" };
                turns.push(Turn::new("user", question, delimiter));
                if !prefix.is_empty() {
                    turns.push(Turn::new("assistant", &*prefix, ""));
                }
                self.written(turns, prefix.is_empty())
            })
            .collect()
    }

    /// Calls the function of the target for what it writes into the document: the original asks for the target of each
    /// document that it writes a question of.
    pub(super) fn leave_target(&self, row: &mut Row) -> Result<(), TaskError> {
        if matches!(self.plan.doc_to_target, Some(Field::Function(_))) {
            self.own_target(row)?;
        }
        Ok(())
    }

    /// A document as the functions of its fields leave it once it has been asked.
    pub(super) fn asked_document<'r>(&self, row: &'r Row) -> Result<Cow<'r, Row>, TaskError> {
        let plan = self.plan;
        let fields = [&plan.doc_to_text, &plan.doc_to_choice, &plan.doc_to_target];
        if !fields.iter().any(|field| matches!(field, Some(Field::Function(_)))) {
            return Ok(Cow::Borrowed(row));
        }
        let mut row = row.clone();
        self.own_question(&mut row)?;
        self.own_choices(&mut row)?;
        self.leave_target(&mut row)?;
        match plan.output_type {
            OutputType::GenerateUntil => {}
            OutputType::Loglikelihood | OutputType::LoglikelihoodRolling => {
                self.leave_target(&mut row)?;
            }
            OutputType::MultipleChoice => {
                self.own_choices(&mut row)?;
                if self.has_several_questions {
                    self.leave_target(&mut row)?;
                }
            }
        }
        Ok(Cow::Owned(row))
    }

    fn written(&self, turns: Vec<Turn>, begins_answer: bool) -> Result<String, TaskError> {
        let Some(chat) = &self.options.chat else { return Ok(turn::text(&turns)) };
        let turns = if chat.is_multiturn { turns } else { turn::single(turns) };
        (chat.write)(&turns, begins_answer)
            .map_err(|what| TaskError::task(&self.plan.name, format!("chat template: {what}")))
    }

    /// Question and answer of an example.
    fn example(&self, row: &Row) -> Result<Vec<Turn>, TaskError> {
        let plan = &self.plan.fewshot;
        let row = &mut row.clone();
        let question = self.question(row, plan.doc_to_text.as_ref())?;
        let mut choices = self.choices(row, plan.doc_to_choice.as_ref())?;
        let target = self.target(row, plan.doc_to_target.as_ref())?;
        let prefix = match &plan.gen_prefix {
            Some(field) => {
                // Here a column of the example counts, whatever columns the documents have.
                let columns: Vec<String> = row.keys().cloned().collect();
                Asked { columns: &columns, ..self.asked("gen_prefix", field) }.text(row)?
            }
            None => String::new(),
        };
        let question = if self.has_several_questions {
            let chosen = choices.take().and_then(|choices| numbered(&question, &choices));
            match chosen {
                Some(chosen) => chosen,
                None => return self.wrong("`doc_to_text` of an example is no number of an option"),
            }
        } else {
            match question {
                Value::String(question) => question,
                other => {
                    let what =
                        format!("`doc_to_text` of an example is no text: {}", python_str(&other));
                    return self.wrong(what);
                }
            }
        };
        let has_answer = !target.is_null() && target.as_str() != Some("");
        if !has_answer {
            let delimiter =
                if needs_delimiter(&question, &prefix) { &*plan.target_delimiter } else { "" };
            let mut turns = vec![Turn::new("user", question, delimiter)];
            turns.extend((!prefix.is_empty()).then(|| Turn::new("assistant", prefix, "")));
            return Ok(turns);
        }
        let answer = match (&target, choices) {
            (Value::Number(_) | Value::Bool(_), Some(choices)) if !choices.is_empty() => {
                numbered(&target, &choices)
            }
            (Value::Array(answers), _) => {
                answers.first().and_then(Value::as_str).map(str::to_owned)
            }
            (Value::String(answer), _) => Some(answer.clone()),
            _ => None,
        };
        let Some(answer) = answer else {
            return self.wrong(format!(
                "`doc_to_target` of an example is no answer: {}",
                python_str(&target)
            ));
        };
        let delimiter = if prefix.is_empty() || needs_delimiter(&question, &prefix) {
            &*plan.target_delimiter
        } else {
            ""
        };
        Ok(vec![
            Turn::new("user", question, delimiter),
            Turn::new("assistant", delimited(&prefix, &answer, " "), &plan.fewshot_delimiter),
        ])
    }

    /// What is asked of a document.
    pub(super) fn arguments(
        &self,
        row: &mut Row,
        contexts: Vec<String>,
    ) -> Result<Vec<Arguments>, TaskError> {
        let plan = self.plan;
        let mut target = || self.target(row, plan.doc_to_target.as_ref());
        let one = contexts.first().cloned().unwrap_or_default();
        match plan.output_type {
            OutputType::GenerateUntil => {
                let settings = plan.generation_kwargs.clone();
                Ok(vec![Arguments::Generation { context: one, settings }])
            }
            OutputType::LoglikelihoodRolling => match target()? {
                Value::String(document) => Ok(vec![Arguments::Document(document)]),
                other => self.wrong(format!("`doc_to_target` is no text: {}", python_str(&other))),
            },
            OutputType::Loglikelihood => match target()? {
                Value::String(continuation) => {
                    Ok(vec![Arguments::Continuation { context: one, continuation }])
                }
                other => self.wrong(format!("`doc_to_target` is no text: {}", python_str(&other))),
            },
            OutputType::MultipleChoice => self.ranked(row, contexts),
        }
    }

    /// The options of a document behind their contexts.
    fn ranked(&self, row: &mut Row, contexts: Vec<String>) -> Result<Vec<Arguments>, TaskError> {
        let plan = self.plan;
        let Some(choices) = self.choices(row, plan.doc_to_choice.as_ref())? else {
            return self.wrong("multiple_choice needs doc_to_choice");
        };
        let delimiter = match (&self.options.chat, &plan.gen_prefix) {
            (None, _) => &*plan.target_delimiter,
            (Some(_), Some(Field::Text(prefix))) if prefix.ends_in_text() => {
                &*plan.target_delimiter
            }
            _ => "",
        };
        let behind = |context: String, continuation: &str| Arguments::Continuation {
            context,
            continuation: format!("{delimiter}{continuation}"),
        };
        let mut arguments: Vec<Arguments> = if self.has_several_questions {
            let target = python_str(&self.target(row, plan.doc_to_target.as_ref())?);
            contexts.into_iter().map(|context| behind(context, &target)).collect()
        } else {
            let context = contexts.first().cloned().unwrap_or_default();
            choices.iter().map(|choice| behind(context.clone(), choice)).collect()
        };
        if plan.has_metric("acc_mutual_info") {
            arguments.extend(choices.iter().map(|choice| behind(String::new(), choice)));
        }
        Ok(arguments)
    }
}

/// Python's `choices[number]`: from the end where the number is negative.
fn numbered(number: &Value, choices: &[String]) -> Option<String> {
    let number = number.as_i64().or_else(|| number.as_bool().map(i64::from))?;
    let place = match usize::try_from(number) {
        Ok(place) => place,
        Err(_) => choices.len().checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?,
    };
    choices.get(place).cloned()
}
