//! What a first config says of each of its parts.
//!
//! A remark `field=value,  # why` names a field that may stand there: without the `#` in front of it, it does.

use std::path::Path;

use crate::config::{Node, Remarks, Value, repr};

/// The comments of one config.
pub(super) struct StarterRemarks {
    is_ppl: bool,
    has_gold: bool,
    is_shipped_model: bool,
    /// The same question in other words, if it is written in a plain way.
    wording: Option<String>,
}

/// The first lines of a config: what it is, and the commands that take it.
pub(super) fn head(output: &Path, assumed: &str) -> String {
    // A line break in a name would end the comment.
    let shown = |text: &str| text.replace(['\n', '\r'], " ");
    let name = shown(&output.display().to_string());
    format!(
        "# Written by `surprisal init`; change what you like. It has Python's syntax, and no Python is run.
# The rows were {}.
#
#   surprisal view {name}     shows what the model reads
#   surprisal check {name}    counts rows, prompts and tokens, and warns; reads no weights
#   surprisal run {name}      asks, scores, and writes tables and a page below outputs/
#
# `surprisal list` names all parts that may stand behind `type`.
",
        shown(assumed)
    )
}

impl StarterRemarks {
    /// The comments on a config with this data set.
    pub(super) fn new(dataset: &Node, is_shipped_model: bool) -> Self {
        let at = |path: &[&str]| path.iter().try_fold(dataset, |node, key| node.get(key));
        let is_type = |path: &[&str], name: &str| at(path).and_then(Node::as_str) == Some(name);
        let gold = at(&["reader_cfg", "output_column"]).and_then(Node::as_str);
        let columns = at(&["reader_cfg", "input_columns"]).and_then(Node::as_list);
        let first = columns.and_then(|columns| columns.first()).and_then(Node::as_str);
        let is_ppl = is_type(&["infer_cfg", "inferencer", "type"], "PPLInferencer");
        let is_plain = is_type(&["infer_cfg", "prompt_template", "type"], "PromptTemplate")
            && at(&["infer_cfg", "ice_template"]).is_none();
        let template = at(&["infer_cfg", "prompt_template", "template"]);
        let wording = first.zip(gold).filter(|_| is_plain).map(|(first, gold)| {
            let labels = template.and_then(Node::as_dict).unwrap_or_default();
            let text = |answer: &str| Node::from(Value::Str(format!("{{{first}}}\n{answer}")));
            repr(&if is_ppl {
                let of = |(label, _): &(Node, Node)| {
                    (label.clone(), text(label.as_str().unwrap_or_default()))
                };
                Node::from(Value::Dict(labels.iter().map(of).collect()))
            } else {
                text(&format!("{{{gold}}}"))
            })
        });
        Self { is_ppl, has_gold: gold.is_some(), is_shipped_model, wording }
    }
}

impl Remarks for StarterRemarks {
    fn above(&self, path: &[&str]) -> Vec<String> {
        let lines: &[&str] = match path {
            ["datasets"] => &["What is asked: a list of data sets."],
            ["datasets", "abbr"] => &["Its name in tables and files."],
            ["datasets", "type"] => &[
                "What makes rows of the file (surprisal list loaders). Without a type, files, folders and",
                "repositories are read as Hugging Face's datasets reads them.",
            ],
            ["datasets", "path"] => &[
                "The file: .jsonl, .json, .csv, .tsv or .parquet; a folder with train and test files; or org/name",
                "on the hub. A relative path is looked for in the current folder, then beside this config and above.",
            ],
            ["datasets", "data_files"] => &["The file of each split."],
            ["datasets", "reader_cfg", "input_columns"] => &["The columns that prompts may show."],
            ["datasets", "reader_cfg", "output_column"] if self.has_gold => {
                &["The column with the right answer."]
            }
            ["datasets", "reader_cfg", "output_column"] => {
                &["The column with the right answer; without one nothing is scored."]
            }
            ["datasets", "reader_cfg", "test_split"] => {
                &["A file alone is one split, called train."]
            }
            ["datasets", "infer_cfg", "prompt_template"] if self.is_ppl => &[
                "The prompt, once for each label: the least surprising text is the answer. {column} stands for",
                "what the row says. In a round, HUMAN is the question's turn and BOT the answer's; a plain text such",
                "as 'Q: {question}\\nA: yes' may stand in its place.",
            ],
            ["datasets", "infer_cfg", "prompt_template"] => &[
                "The prompt. {column} stands for what the row says. In a round, HUMAN is the question's turn and BOT",
                "the answer's, which the model writes; a plain text such as 'Q: {question}\\nA: {answer}' may stand",
                "in its place, and ends before the answer.",
            ],
            ["datasets", "infer_cfg", "ice_template"] => &["How an example is written."],
            ["datasets", "infer_cfg", "prompt_template", "ice_token"] => {
                &["Where the examples stand in the prompt."]
            }
            ["datasets", "infer_cfg", "prompt_template", "choices"] => {
                &["The options: a column with a list, or a list of texts."]
            }
            ["datasets", "infer_cfg", "prompt_template", "labels"] => {
                &["What the gold calls the options."]
            }
            ["datasets", "infer_cfg", "retriever"] => &[
                "The examples before each question: ZeroRetriever shows none, FixKRetriever the rows of fix_id_list,",
                "BM25Retriever those with the same words; they come from a train split, as in",
                "surprisal init FILE --shots 5 --examples TRAIN.jsonl.",
            ],
            ["datasets", "infer_cfg", "inferencer"] if self.is_ppl => {
                &["Candidates are compared by surprisal; GenInferencer lets the model write."]
            }
            ["datasets", "infer_cfg", "inferencer"] => &[
                "The model writes; PPLInferencer compares candidates by surprisal, a template for each.",
            ],
            ["datasets", "eval_cfg", "evaluator"] => {
                &["What an answer is worth (surprisal list evaluators)."]
            }
            ["datasets", "eval_cfg", "pred_role"] => &["The turn that is the answer."],
            ["models"] => &["Who is asked: a list of models, each on every data set."],
            ["models", "type"] => &[
                "HuggingFaceCausalLM is given text; HuggingFacewithChatTemplate is given messages, written by its",
                "own chat template.",
            ],
            ["models", "abbr"] => &["Its name in tables and folders."],
            ["models", "path"] if self.is_shipped_model => &[
                "The small model that ships with the program, to try things out. Put your own in its place: a",
                "folder with config.json and weights, a .gguf file, or org/name on the hub.",
            ],
            ["models", "path"] => {
                &["A folder with config.json and weights, a .gguf file, or org/name on the hub."]
            }
            _ => &[],
        };
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    fn behind(&self, path: &[&str]) -> Vec<String> {
        let line = |text: &str| vec![text.to_owned()];
        match path {
            ["datasets"] => self.wording.as_ref().map_or_else(Vec::new, |wording| {
                vec![
                    "The same rows in other words; surprisal compare says which wording is better:".to_owned(),
                    format!("variants=dict(plain={{'prompt_template.template': {wording}}}),"),
                ]
            }),
            ["datasets", "reader_cfg"] => line("test_range='[0:100]',  # only the first hundred rows"),
            ["datasets", "infer_cfg", "inferencer"] if !self.is_ppl => vec![
                "max_out_len=64,  # most tokens of an answer".to_owned(),
                "stopping_criteria=['\\n'],  # texts that end it".to_owned(),
            ],
            ["datasets", "eval_cfg"] if self.is_ppl => {
                line("rule='per_token',  # what makes one number of surprisals (surprisal list rules)")
            }
            ["datasets", "eval_cfg"] => line(
                "pred_postprocessor=dict(type='first_capital'),  # takes the answer out of the text \
                 (surprisal list postprocessors)",
            ),
            ["models"] => vec![
                "max_seq_len=1024,  # most tokens of prompt and answer; without it, all that the model can read"
                    .to_owned(),
                "max_out_len=64,  # most tokens of an answer, where a data set does not say it".to_owned(),
                "generation_kwargs=dict(do_sample=True, temperature=0.7),  # draws answers".to_owned(),
            ],
            _ => Vec::new(),
        }
    }
}
