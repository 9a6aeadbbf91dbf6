//! What can be typed about tasks of lm-evaluation-harness.

use std::path::PathBuf;

use clap::Args;

use crate::{infer::TaskOptions, plan::TaskChoice};

/// Which tasks, and how they are asked.
#[derive(Debug, Default, Args)]
#[expect(clippy::doc_markdown, reason = "help shows backticks as they are")]
#[command(next_help_heading = "Tasks of lm-evaluation-harness")]
pub(in crate::cli) struct TaskArguments {
    /// Tasks, groups and tags of lm-eval's task files, with commas between: mmlu,arc_easy or arc_*.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(in crate::cli) tasks: Vec<String>,
    /// The folder of task files; without it, that of SURPRISAL_TASKS, or of lm_eval in the active virtual environment.
    #[arg(long, value_name = "DIR", requires = "tasks")]
    tasks_path: Option<PathBuf>,
    /// Write prompts with the model's chat template.
    #[arg(long, requires = "tasks")]
    apply_chat_template: bool,
    /// Show each example as messages of its own, which is lm-eval's default where a template is applied; `false` shows all in
    /// one message.
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        default_missing_value = "true",
        hide_possible_values = true,
        requires = "apply_chat_template"
    )]
    fewshot_as_multiturn: Option<bool>,
    /// What stands before every prompt.
    #[arg(long, value_name = "TEXT", requires = "tasks")]
    system_instruction: Option<String>,
}

impl TaskArguments {
    /// The tasks, if any are meant, each with so many examples.
    pub(in crate::cli) fn choice(&self, shots: Option<usize>) -> Option<TaskChoice> {
        (!self.tasks.is_empty()).then(|| TaskChoice {
            names: self.tasks.clone(),
            folder: self.tasks_path.clone(),
            options: TaskOptions {
                num_fewshot: shots,
                fewshot_seed: None,
                system_instruction: self.system_instruction.clone(),
                apply_chat_template: self.apply_chat_template,
                fewshot_as_multiturn: self.fewshot_as_multiturn.unwrap_or(self.apply_chat_template),
            },
        })
    }
}
