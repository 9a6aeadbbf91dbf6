//! How a file of one's own is asked about: templates, retriever and inferencer of its entry.

use serde_json::{Value as Json, json};

use super::custom_dataset::{CustomDataset, DataType, InferMethod};
use crate::dataset::Sample;

/// The place of the answer in a template, where no column is called so.
const ANSWER: &str = "{answer}";
/// The place of the examples in a prompt.
const EXAMPLES: &str = "</E>";

/// All that decides the prompts.
pub(super) struct CustomPrompts<'a> {
    pub(super) data: &'a CustomDataset,
    pub(super) first: &'a Sample,
    pub(super) rows: &'a [Sample],
    pub(super) gold: Option<&'a str>,
    pub(super) options: &'a [String],
    /// The column that lists the options of a row.
    pub(super) listed: Option<&'a str>,
    pub(super) data_type: DataType,
    pub(super) method: InferMethod,
}

impl CustomPrompts<'_> {
    /// The entry's `infer_cfg`, or what is missing for it.
    pub(super) fn infer_cfg(&self) -> Result<Json, String> {
        let inferencer = match self.method {
            InferMethod::Gen => {
                "opencompass.openicl.icl_inferencer.icl_gen_inferencer.GenInferencer"
            }
            InferMethod::Ppl => {
                "opencompass.openicl.icl_inferencer.icl_ppl_inferencer.PPLInferencer"
            }
        };
        let mut infer_cfg = json!({
            "prompt_template": self.template()?,
            "retriever": {"type": "opencompass.openicl.icl_retriever.icl_zero_retriever.ZeroRetriever"},
            "inferencer": {"type": inferencer},
        });
        let Some(shots) = self.shots()? else { return Ok(infer_cfg) };
        let example = self.one(None)?;
        infer_cfg["ice_template"] = if self.listed.is_some() {
            return Err("examples of rows with options in a list are not built in; write a config"
                .to_owned());
        } else {
            json!({"type": PROMPT_TEMPLATE, "template": example})
        };
        infer_cfg["retriever"] = json!({
            "type": "opencompass.openicl.icl_retriever.icl_fix_k_retriever.FixKRetriever",
            "fix_id_list": (0..shots).collect::<Vec<_>>(),
        });
        Ok(infer_cfg)
    }

    /// How many examples, if any.
    fn shots(&self) -> Result<Option<usize>, String> {
        match (self.data.shots, &self.data.examples) {
            (None | Some(0), None) => Ok(None),
            (Some(_), None) => Err(
                "--shots needs --examples FILE: examples from the file itself would show answers"
                    .to_owned(),
            ),
            (shots, Some(_)) if self.data_type == DataType::CircularMcq => Err(format!(
                "{} examples before circular questions are not built in",
                shots.unwrap_or_default()
            )),
            (None, Some(_)) => Err("--examples needs --shots N: how many of them?".to_owned()),
            (Some(0), Some(_)) => Ok(None),
            (Some(shots), Some(_)) => Ok(Some(shots)),
        }
    }

    /// `prompt_template`.
    fn template(&self) -> Result<Json, String> {
        let has_examples = self.shots()?.is_some();
        if let Some(column) = self.listed {
            let form = self.one(Some("{choice.text}"))?;
            let labels = self.listed_labels(column);
            let mut template = json!({
                "type": "ChoicesTemplate", "template": form, "choices": format!("{{{column}}}"),
            });
            if let Some(labels) = labels {
                template["labels"] = labels;
            }
            return Ok(template);
        }
        let begun = |template: Json| if has_examples { with_examples(template) } else { template };
        let template = match self.method {
            InferMethod::Gen => begun(self.one(None)?),
            InferMethod::Ppl => {
                let given = self.data.template.as_ref().filter(|node| node.as_dict().is_some());
                if let Some(template) = given {
                    template.to_json()
                } else {
                    let of = |label: &String| Ok((label.clone(), begun(self.one(Some(label))?)));
                    Json::Object(self.options.iter().map(of).collect::<Result<_, String>>()?)
                }
            }
        };
        let mut whole = json!({"type": PROMPT_TEMPLATE, "template": template});
        if has_examples {
            whole["ice_token"] = json!(EXAMPLES);
        }
        Ok(whole)
    }

    /// The template of one candidate, or the open one, in which the gold's field stands for the answer.
    fn one(&self, label: Option<&str>) -> Result<Json, String> {
        let gold = self.gold.unwrap_or("answer");
        let field = format!("{{{gold}}}");
        // `{answer}` is where the answer goes, whatever the gold's column is called.
        let is_alias = self.first.get("answer").is_none();
        let answered = |text: &str| {
            let text = if is_alias { text.replace(ANSWER, &field) } else { text.to_owned() };
            match label {
                Some(label) => text.replace(&field, label),
                None => text,
            }
        };
        let texts = [self.data.human_prompt.as_deref(), self.data.bot_prompt.as_deref()];
        let whole = self.data.template.as_ref().and_then(|own| own.as_str());
        if is_alias
            && self.gold.is_none()
            && texts.into_iter().chain([whole]).flatten().any(|text| text.contains(ANSWER))
        {
            let columns: Vec<&str> = self.first.iter().map(|(name, _)| name).collect();
            return Err(format!(
                "the template has {ANSWER}, and no column is the gold; name it, as in --gold {}; there are {}",
                columns.last().unwrap_or(&"label"),
                columns.join(", ")
            ));
        }
        if let Some(template) = &self.data.template {
            return match template.as_str() {
                Some(text) if is_alias && text.contains(ANSWER) => Ok(json!(answered(text))),
                Some(text) if label.is_some() && !text.contains(&field) => Err(format!(
                    "the template has no {field}, so all candidates would be the same text; write it where the answer goes"
                )),
                Some(text) => Ok(json!(answered(text))),
                None => Ok(template.to_json()),
            };
        }
        let human = self.data.human_prompt.clone().map_or_else(|| self.human(), Ok)?;
        let mut round = vec![json!({"role": "HUMAN", "prompt": human})];
        if self.gold.is_some() {
            let is_free = self.data_type == DataType::Qa;
            let plain = if is_free { field.clone() } else { format!("Answer: {field}") };
            let bot = self.data.bot_prompt.clone().unwrap_or(plain);
            round.push(json!({"role": "BOT", "prompt": answered(&bot)}));
        }
        Ok(json!({"round": round}))
    }

    /// The user's turn, where nobody says it.
    fn human(&self) -> Result<String, String> {
        if self.first.get("question").is_none() {
            let columns: Vec<&str> = self.first.iter().map(|(name, _)| name).collect();
            return Err(format!(
                "there is no column \"question\", only {}; write the prompt, as in --template 'Q: {{{}}}\\nA: {{{}}}'",
                columns.join(", "),
                columns.first().unwrap_or(&"text"),
                self.gold.unwrap_or("answer"),
            ));
        }
        if self.data_type == DataType::Qa {
            return Ok("{question}".to_owned());
        }
        if self.listed.is_some() {
            return Ok("Question: {question}".to_owned());
        }
        if let Some(absent) = self.options.iter().find(|option| self.first.get(option).is_none()) {
            return Err(format!(
                "the choice {absent:?} is no column, so the prompt has to show the choices; write it with --template"
            ));
        }
        let options = self.options.iter().map(|option| format!("\n{option}. {{{option}}}"));
        Ok(std::iter::once("Question: {question}".to_owned()).chain(options).collect())
    }

    /// What the gold calls the options of a list: a place (nothing to say), their own words where that holds for all
    /// rows, or a letter.
    fn listed_labels(&self, column: &str) -> Option<Json> {
        let gold = self.first.get(self.gold?)?.as_str()?;
        if self.rows_with_worded_gold(column) == self.rows.len() {
            return Some(json!("{choice.text}"));
        }
        let is_letter = gold.len() == 1 && gold.bytes().all(|letter| letter.is_ascii_uppercase());
        is_letter.then(|| json!(('A'..='Z').map(String::from).collect::<Vec<_>>()))
    }

    /// In how many rows the gold is one of the listed options, word for word.
    fn rows_with_worded_gold(&self, column: &str) -> usize {
        let is_worded = |row: &&Sample| {
            let gold = self.gold.and_then(|gold| row.get(gold)).and_then(Json::as_str);
            let options = row.get(column).and_then(Json::as_array);
            gold.zip(options).is_some_and(|(gold, options)| {
                options.iter().any(|option| option.as_str() == Some(gold))
            })
        };
        self.rows.iter().filter(is_worded).count()
    }

    /// What is said of golds that are letters and, in some rows, an option's own words as well.
    fn ambiguous_golds(&self) -> Option<String> {
        let column = self.listed?;
        let worded = self.rows_with_worded_gold(column);
        let is_by_letter = self.listed_labels(column).is_some_and(|labels| labels.is_array());
        (worded > 0 && worded < self.rows.len() && is_by_letter).then(|| {
            format!(
                "; golds are letters of options (A is the first), although in {worded} of {} rows an option is that letter \
                 itself",
                self.rows.len()
            )
        })
    }

    /// What was taken for granted, in a sentence.
    pub(super) fn assumed(&self) -> String {
        let kind = match (self.data_type, self.listed) {
            (DataType::Qa, _) => "free questions".to_owned(),
            (DataType::CircularMcq, _) => {
                format!("questions with options {}, turned round", self.options.join(", "))
            }
            (DataType::Mcq, Some(column)) => format!("questions with the options in {column}"),
            (DataType::Mcq, None) => format!("questions with options {}", self.options.join(", ")),
        };
        let method = match self.method {
            InferMethod::Gen => "answered in words (gen)",
            InferMethod::Ppl => "options compared by surprisal (ppl)",
        };
        let gold = self.gold.map_or_else(
            || "no gold column, nothing is scored (--gold names one)".to_owned(),
            |gold| format!("gold in {gold}"),
        );
        let ambiguous = self.ambiguous_golds().unwrap_or_default();
        format!("taken as {kind}, {method}, {gold}{ambiguous}")
    }
}

const PROMPT_TEMPLATE: &str = "opencompass.openicl.icl_prompt_template.PromptTemplate";

/// The same template behind its examples.
fn with_examples(template: Json) -> Json {
    match template {
        Json::String(text) => json!(format!("{EXAMPLES}{text}")),
        Json::Object(mut dialogue) => {
            dialogue.insert("begin".to_owned(), json!(EXAMPLES));
            Json::Object(dialogue)
        }
        other => other,
    }
}
