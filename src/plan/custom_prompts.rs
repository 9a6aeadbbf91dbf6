//! How a file of one's own is asked about: templates, retriever and inferencer of its entry.

use serde_json::{Value as Json, json};

use super::custom_dataset::{CustomDataset, DataType, InferMethod};
use crate::dataset::Sample;

/// The place of the examples in a prompt.
const EXAMPLES: &str = "</E>";

/// All that decides the prompts.
pub(super) struct CustomPrompts<'a> {
    pub(super) data: &'a CustomDataset,
    pub(super) first: &'a Sample,
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
        let answered = |text: &str| match label {
            Some(label) => text.replace(&field, label),
            None => text.to_owned(),
        };
        if let Some(template) = &self.data.template {
            return match template.as_str() {
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

    /// What the gold calls the options of a list: a place (nothing to say), a letter, or their own words.
    fn listed_labels(&self, column: &str) -> Option<Json> {
        let gold = self.first.get(self.gold?)?.as_str()?;
        let options = self.first.get(column)?.as_array()?;
        if options.iter().any(|option| option.as_str() == Some(gold)) {
            return Some(json!("{choice.text}"));
        }
        let is_letter = gold.len() == 1 && gold.bytes().all(|letter| letter.is_ascii_uppercase());
        is_letter.then(|| json!(('A'..='Z').map(String::from).collect::<Vec<_>>()))
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
        format!("taken as {kind}, {method}, {gold}")
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
