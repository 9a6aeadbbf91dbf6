//! What can be typed about a file of rows that is run without a config.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::{config::Node, dataset::is_table};

/// What a file of rows is; what is not typed is read off its first row.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "A file of rows instead of a config")]
pub(in crate::cli) struct FileArguments {
    /// The prompt, with {column} for what a row says and {answer}, or the gold's column, where the answer goes; \n is a new line.
    #[arg(long, value_name = "TEXT")]
    template: Option<String>,
    /// The column of the right answer; without it, answer.
    #[arg(long, value_name = "COLUMN")]
    gold: Option<String>,
    /// The labels of the choices, or the column that lists the choices of each row; without it, the columns A, B, C, ….
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    choices: Vec<String>,
    /// How many examples stand before each question, also of tasks.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) shots: Option<usize>,
    /// The file that they come from.
    #[arg(long, value_name = "FILE", requires = "shots")]
    examples: Option<PathBuf>,
    /// Ask for an answer in words, or compare the choices by surprisal.
    #[arg(long, value_name = "METHOD", value_parser = ["gen", "ppl"])]
    infer_method: Option<String>,
    /// What kind of questions.
    #[arg(long, value_name = "TYPE", value_parser = ["mcq", "circular-mcq", "qa"])]
    data_type: Option<String>,
}

impl FileArguments {
    /// What was typed, as fields of an entry.
    pub(in crate::cli) fn fields(&self) -> Node {
        let template =
            self.template.as_ref().map(|text| text.replace("\\n", "\n").replace("\\t", "\t"));
        let choices = (!self.choices.is_empty()).then_some(&self.choices);
        let typed = [
            ("template", json!(template)),
            ("output_column", json!(self.gold)),
            ("options", json!(choices)),
            ("shots", json!(self.shots)),
            ("examples", json!(self.examples)),
            ("infer_method", json!(self.infer_method)),
            ("data_type", json!(self.data_type)),
        ];
        let typed: Map<String, Value> = typed
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        Node::from_json(&Value::Object(typed))
    }

    /// The same for these configs, of which one must be a file of rows if anything was typed.
    ///
    /// With `asks_tasks` the number of examples is theirs.
    pub(in crate::cli) fn fields_for(
        &self,
        configs: &[PathBuf],
        asks_tasks: bool,
    ) -> anyhow::Result<Node> {
        if self.shots.is_some() && self.examples.is_none() && !asks_tasks {
            anyhow::bail!("--shots needs --examples FILE, the file that examples come from");
        }
        let mut fields = self.fields();
        if self.examples.is_none() {
            fields.remove("shots");
        }
        let is_silent = fields.as_dict().is_none_or(<[_]>::is_empty);
        if !is_silent && !configs.iter().any(|config| is_table(config)) {
            anyhow::bail!(
                "--template, --gold, --choices, --shots, --infer-method and --data-type say what a file of rows is, and there is none \
                 among {}; a config says it itself",
                configs
                    .iter()
                    .map(|config| config.display().to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
        Ok(fields)
    }
}
