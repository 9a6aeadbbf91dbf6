//! A stage of a data set: its rows are asked about more than once, each time with what came out before.
//!
//! ```python
//! dict(abbr='dialogues', …, stages=[
//!     dict(name='rewriting', reader_cfg=dict(output_column='gold_rewriting'), infer_cfg=…, eval_cfg=…,
//!          when='history', otherwise='question'),
//!     dict(name='passages', corpus='passages.jsonl', query='{rewriting}', reader_cfg=dict(output_column='relevant')),
//!     dict(name='answer', infer_cfg=dict(prompt_template=dict(type=PromptTemplate, template='{passages}\n{rewriting}')), …)])
//! ```
//!
//! is three data sets: `dialogues.rewriting`; `dialogues.passages`, whose rows have a column `rewriting`, which is what the
//! first predicted, after its post-processor; and `dialogues.answer`. A row whose column `when` is empty is not asked
//! about: its column `otherwise` is the prediction. A stage with a corpus asks no model but searches; its columns are
//! `passages`, the text of what was found, and `passages_ids`. A stage with a `column` takes its prediction from there.
//! What stands in a stage stands in the place of what the entry itself says; of `reader_cfg` a stage says its gold
//! column alone, because all stages have the same rows. How an entry becomes plans is in
//! [`stage_chains`](super::stage_chains).

use serde::{Deserialize, Serialize};

use super::stage_chains::FIELD;
use crate::{
    config::{ConfigError, Node, Value, from_node},
    infer::PassageSearch,
};

/// Behind the name of a stage that searches: the column with the ids of what was found.
const IDS: &str = "_ids";

/// Which stage of which data set a plan is.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The data set, with its variant: stages of one are asked one after the other.
    pub chain: String,
    /// Its own name, which is that of the column that it makes.
    pub name: String,
    /// Its place among the stages of its chain that have a plan, from 0.
    pub number: usize,
    /// When its rows are not asked about.
    pub condition: Option<Condition>,
    /// The stages before it.
    pub before: Vec<EarlierStage>,
    /// All stages of its chain.
    pub links: Vec<ChainLink>,
    /// The whole entry, as it is written.
    pub entry: Node,
}

/// When rows of a stage are not asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The column that is empty then, as Python takes a value for empty.
    pub when: String,
    /// The column whose value is the prediction then.
    pub otherwise: String,
}

/// A stage before another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierStage {
    /// Its name.
    pub name: String,
    /// The column of its gold answer, if it has one.
    pub gold: Option<String>,
    /// What it searches, if it does.
    pub search: Option<Box<PassageSearch>>,
    /// Whether its gold stands for it: it is not asked.
    pub is_gold: bool,
}

/// A stage among the others of its chain, for telling chains apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainLink {
    /// The stage's name.
    pub name: String,
    /// What the stage says, as a hash; nothing where its gold stands for it.
    pub asked: Option<String>,
}

/// What a stage says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageEntry {
    pub(super) name: String,
    reader_cfg: Option<StageReader>,
    infer_cfg: Option<Node>,
    eval_cfg: Option<Node>,
    when: Option<String>,
    otherwise: Option<String>,
    column: Option<Node>,
    corpus: Option<Node>,
    query: Option<Node>,
    top_k: Option<Node>,
    shown: Option<Node>,
    by: Option<Node>,
    index: Option<Node>,
    encoder: Option<Node>,
    query_prompt: Option<Node>,
    passage_prompt: Option<Node>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageReader {
    output_column: Node,
}

impl ChainLink {
    /// Whether its gold stands for it.
    pub fn is_gold(&self) -> bool {
        self.asked.is_none()
    }

    /// The same stage with its gold standing for it.
    pub fn as_gold(&self) -> Self {
        Self { asked: None, ..self.clone() }
    }
}

impl Stage {
    /// Whether another stage has to be asked before it.
    pub fn waits(&self) -> bool {
        self.before.iter().any(|earlier| !earlier.is_gold)
    }

    /// The column with the ids of what it finds, if it searches.
    pub fn ids_column(&self) -> String {
        ids_column(&self.name)
    }
}

impl EarlierStage {
    /// The columns that it makes.
    pub fn columns(&self) -> Vec<String> {
        let ids = self.search.iter().map(|_| self.ids_column());
        std::iter::once(self.name.clone()).chain(ids).collect()
    }

    /// The column with the ids of what it found, if it searches.
    pub fn ids_column(&self) -> String {
        ids_column(&self.name)
    }
}

fn ids_column(stage: &str) -> String {
    format!("{stage}{IDS}")
}

impl StageEntry {
    /// Reads a stage.
    pub(super) fn of(stage: &Node) -> Result<Self, ConfigError> {
        from_node(stage).map_err(|error| error.under(FIELD))
    }

    /// When its rows are not asked about.
    pub(super) fn condition(&self, node: &Node) -> Result<Option<Condition>, ConfigError> {
        let refused = |what: &str, hint: &str| {
            let what = format!("stage {}: {what}", self.name);
            Err(ConfigError::at(&node.origin, what).under(FIELD).with_hint(hint.to_owned()))
        };
        match (&self.when, &self.otherwise) {
            (None, None) => Ok(None),
            _ if self.infer_cfg.is_none() => refused(
                "when and otherwise belong to stages that ask",
                "give the condition to a stage with infer_cfg",
            ),
            (Some(when), Some(otherwise)) => {
                Ok(Some(Condition { when: when.clone(), otherwise: otherwise.clone() }))
            }
            _ => refused(
                "when and otherwise go together",
                "when names the column that is empty where nothing is asked, otherwise that of the prediction then",
            ),
        }
    }

    /// How its prediction is made.
    fn infer_cfg(&self, stage: &Node) -> Result<Node, ConfigError> {
        let search = [
            ("corpus", &self.corpus),
            ("query", &self.query),
            ("top_k", &self.top_k),
            ("shown", &self.shown),
            ("by", &self.by),
            ("index", &self.index),
            ("encoder", &self.encoder),
            ("query_prompt", &self.query_prompt),
            ("passage_prompt", &self.passage_prompt),
        ];
        let refused = |what: String, hint: &str| {
            let what = format!("stage {}: {what}", self.name);
            Err(ConfigError::at(&stage.origin, what).under(FIELD).with_hint(hint.to_owned()))
        };
        let text = |text: &str| Node::new(Value::Str(text.to_owned()), stage.origin.clone());
        let dict = || Node::new(Value::Dict(Vec::new()), stage.origin.clone());
        let inferencer = match (&self.infer_cfg, &self.corpus, &self.column) {
            (Some(infer_cfg), None, None) => {
                return match search.iter().find(|(_, value)| value.is_some()) {
                    None => Ok(infer_cfg.clone()),
                    Some((field, _)) => refused(
                        format!("{field} belongs to a stage that searches"),
                        "give a corpus in the place of infer_cfg",
                    ),
                };
            }
            (None, Some(_), None) => {
                let mut inferencer = dict();
                inferencer.set("type", text("PassageSearch"));
                for (field, value) in search {
                    if let Some(value) = value {
                        inferencer.set(field, value.clone());
                    }
                }
                inferencer
            }
            (None, None, Some(column)) => {
                let mut inferencer = dict();
                inferencer.set("type", text("RowColumn"));
                inferencer.set("column", column.clone());
                inferencer
            }
            _ => {
                return refused(
                    "it needs one of infer_cfg, corpus and column".to_owned(),
                    "infer_cfg asks the model, corpus searches passages, column takes what stands in the row",
                );
            }
        };
        let mut retriever = dict();
        retriever.set("type", text("ZeroRetriever"));
        let mut infer_cfg = dict();
        infer_cfg.set("retriever", retriever);
        infer_cfg.set("inferencer", inferencer);
        Ok(infer_cfg)
    }

    /// How it is evaluated; a search with a gold column has figures of its own.
    fn eval_cfg(&self, stage: &Node) -> Option<Node> {
        if self.eval_cfg.is_some() || self.corpus.is_none() || self.reader_cfg.is_none() {
            return self.eval_cfg.clone();
        }
        let dict = || Node::new(Value::Dict(Vec::new()), stage.origin.clone());
        let (mut evaluator, mut eval_cfg) = (dict(), dict());
        let class = Value::Str("RetrievalEvaluator".to_owned());
        evaluator.set("type", Node::new(class, stage.origin.clone()));
        let usual = i64::try_from(PassageSearch::USUAL_TOP_K).unwrap_or(i64::MAX);
        let usual = || Node::new(Value::Int(usual), stage.origin.clone());
        evaluator.set("k", self.top_k.clone().unwrap_or_else(usual));
        eval_cfg.set("evaluator", evaluator);
        Some(eval_cfg)
    }

    /// The entry of a data set that it stands for, called `abbr`; `plain` is what its data set says of all stages.
    pub(super) fn dataset(
        &self,
        (plain, stage): (&Node, &Node),
        abbr: &str,
        before: &[EarlierStage],
    ) -> Result<Node, ConfigError> {
        let mut node = plain.clone();
        node.origin = stage.origin.clone();
        let text = |text: &str| Node::new(Value::Str(text.to_owned()), stage.origin.clone());
        node.set("abbr", text(abbr));
        node.set("infer_cfg", self.infer_cfg(stage)?);
        if let Some(eval_cfg) = self.eval_cfg(stage) {
            node.set("eval_cfg", eval_cfg);
        }
        let Some(reader_cfg) = node.get_mut("reader_cfg") else {
            return Err(ConfigError::at(&node.origin, "the data set has no reader_cfg"));
        };
        if let Some(reader) = &self.reader_cfg {
            reader_cfg.set("output_column", reader.output_column.clone());
        } else if self.corpus.is_some() {
            // The gold of the entry is no passage.
            reader_cfg.remove("output_column");
        }
        let columns = reader_cfg.get("input_columns");
        let mut columns: Vec<Node> = match columns.map(|own| (own.as_list(), own.as_str())) {
            Some((Some(names), _)) => names.to_vec(),
            Some((_, Some(names))) => names.split_whitespace().map(text).collect(),
            _ => Vec::new(),
        };
        let earlier = before.iter().flat_map(EarlierStage::columns);
        columns.extend(earlier.map(|name| text(&name)));
        reader_cfg.set("input_columns", Node::new(Value::List(columns), stage.origin.clone()));
        Ok(node)
    }
}
