//! Stages of a data set: its rows are asked about more than once, each time with what came out before.
//!
//! ```python
//! dict(abbr='dialogues', …, stages=[
//!     dict(name='rewriting', reader_cfg=dict(output_column='gold_rewriting'), infer_cfg=…, eval_cfg=…,
//!          when='history', otherwise='question'),
//!     dict(name='answer', infer_cfg=dict(prompt_template=dict(type=PromptTemplate, template='{rewriting}')), …)])
//! ```
//!
//! is two data sets: `dialogues.rewriting`, and `dialogues.answer` whose rows have a column `rewriting`: what the first
//! predicted, after its post-processor. A row whose column `when` is empty is not asked about: its column `otherwise` is the
//! prediction. What stands in a stage stands in the place of what the entry itself says; of `reader_cfg` a stage
//! says its gold column alone, because all stages have the same rows.
//!
//! `variants` of such an entry name the stages that they change: `variants=dict(short=dict(rewriting=…))`; the rest is as in
//! [`variant`](super::variant), and `None` leaves a stage out.

use std::path::Path;

use serde::Deserialize;

use super::{
    DatasetPlan, PlanError, RepeatsPlan, Variant,
    variant::{self, merge},
};
use crate::config::{ConfigError, Node, Value, from_node};

/// The field of a data set's entry.
const FIELD: &str = "stages";
/// Between the name of a data set and that of its stage.
pub(crate) const STAGE_MARK: char = '.';

/// Which stage of which data set a plan is.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The data set, with its variant: stages of one are asked one after the other.
    pub chain: String,
    /// Its own name, which is that of the column that it makes.
    pub name: String,
    /// Its place among the stages, from 0.
    pub number: usize,
    /// When its rows are not asked about.
    pub condition: Option<Condition>,
    /// The stages before it.
    pub before: Vec<EarlierStage>,
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
}

/// What a stage says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageEntry {
    name: String,
    reader_cfg: Option<StageReader>,
    infer_cfg: Node,
    eval_cfg: Option<Node>,
    when: Option<String>,
    otherwise: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageReader {
    output_column: Node,
}

impl StageEntry {
    fn condition(&self, node: &Node) -> Result<Option<Condition>, ConfigError> {
        match (&self.when, &self.otherwise) {
            (None, None) => Ok(None),
            (Some(when), Some(otherwise)) => {
                Ok(Some(Condition { when: when.clone(), otherwise: otherwise.clone() }))
            }
            _ => {
                let what = format!("stage {}: when and otherwise go together", self.name);
                Err(ConfigError::at(&node.origin, what).under(FIELD).with_hint(
                    "when names the column that is empty where nothing is asked, otherwise that of the prediction then",
                ))
            }
        }
    }
}

/// Whether an entry has stages.
pub(super) fn is_staged(entry: &Node) -> bool {
    entry.get(FIELD).is_some_and(|stages| !stages.is_none())
}

/// The plans of all stages of an entry, those of its variants behind them. `config` is the file it stands in.
pub(super) fn plans(entry: &Node, config: &Path) -> Result<Vec<DatasetPlan>, PlanError> {
    let name = DatasetPlan::name(entry);
    let mut plain = entry.clone();
    let stages = plain.remove(FIELD).unwrap_or_else(|| entry.clone());
    for field in ["infer_cfg", "eval_cfg"] {
        if let Some(own) = plain.remove(field).filter(|own| !own.is_none()) {
            let what = format!("data set {name} has {FIELD}, which say that themselves");
            return Err(ConfigError::at(&own.origin, what)
                .under(field)
                .with_hint(format!("move it into a stage of {FIELD}"))
                .into());
        }
    }
    let chains = chains(&stages, plain.remove(variant::FIELD), &name)?;
    let mut plans = Vec::new();
    for (variant, stages) in chains {
        let chain = match &variant {
            Some(own) => format!("{name}{}{own}", crate::report::VARIANT_MARK),
            None => name.clone(),
        };
        let mut before: Vec<EarlierStage> = Vec::new();
        let names = names(&stages)?;
        for (number, stage) in stages.iter().enumerate() {
            let own: StageEntry = from_node(stage).map_err(|error| error.under(FIELD))?;
            refuse_later(stage, &own.name, &names[number..])?;
            let dataset = format!("{name}{STAGE_MARK}{}", own.name);
            let abbr = match &variant {
                Some(variant) => format!("{dataset}{}{variant}", crate::report::VARIANT_MARK),
                None => dataset.clone(),
            };
            let node = entry_of(&plain, stage, &own, &abbr, &before)?;
            let plan = DatasetPlan::from_node(&node, config)?;
            let base = || variant::BASE.to_owned();
            let has_variants = entry.get(variant::FIELD).is_some();
            let of = has_variants
                .then(|| Variant { dataset, name: variant.clone().unwrap_or_else(base) });
            if plan.repeats != RepeatsPlan::default() {
                let what =
                    format!("data set {abbr}: a stage is asked once, so n and k have no place");
                return Err(ConfigError::at(&stage.origin, what).into());
            }
            let earlier = EarlierStage {
                name: own.name.clone(),
                gold: plan.reader.output_column().map(str::to_owned),
            };
            let stage = Stage {
                chain: chain.clone(),
                condition: own.condition(stage)?,
                name: own.name,
                number,
                before: before.clone(),
                entry: entry.clone(),
            };
            before.push(earlier);
            plans.push(DatasetPlan { variant: of, stage: Some(stage), ..plan });
        }
    }
    Ok(plans)
}

/// A variant, which is none for the entry itself, and its stages.
type Chain = (Option<String>, Vec<Node>);

/// The stages of the entry itself, and of each variant by its name.
fn chains(stages: &Node, variants: Option<Node>, name: &str) -> Result<Vec<Chain>, PlanError> {
    let list = stages.as_list().filter(|own| !own.is_empty()).ok_or_else(|| {
        let what = format!("`{FIELD}` must be a list of dicts, found {}", stages.describe());
        ConfigError::at(&stages.origin, what)
            .with_hint("write stages=[dict(name='rewriting', infer_cfg=…), …]")
    })?;
    let mut chains = vec![(None, list.to_vec())];
    let Some(variants) = variants.filter(|found| !found.is_none()) else { return Ok(chains) };
    for (own, overrides) in variant::named(&variants)? {
        let mut changed = list.to_vec();
        for (key, change) in overrides.as_dict().unwrap_or_default() {
            let stage = key.as_str().unwrap_or_default();
            let at = changed.iter().position(|one| text(one, "name") == Some(stage));
            let Some(at) = at else {
                let known: Vec<&str> = list.iter().filter_map(|one| text(one, "name")).collect();
                let what = format!("data set {name} has no stage {stage:?}");
                return Err(ConfigError::at(&key.origin, what)
                    .under(own)
                    .with_hint(format!("its stages are {}", known.join(", ")))
                    .into());
            };
            if change.is_none() {
                changed.remove(at);
            } else {
                merge(&mut changed[at], change)
                    .map_err(|error| error.under(stage.to_owned()).under(own))?;
            }
        }
        chains.push((Some(own.to_owned()), changed));
    }
    Ok(chains)
}

fn text<'n>(node: &'n Node, field: &str) -> Option<&'n str> {
    node.get(field).and_then(Node::as_str)
}

/// The names of stages, each once.
fn names(stages: &[Node]) -> Result<Vec<&str>, ConfigError> {
    let mut names: Vec<&str> = Vec::new();
    for stage in stages {
        let refused = |what: String| Err(ConfigError::at(&stage.origin, what).under(FIELD));
        match text(stage, "name") {
            None => return refused("a stage has no name".to_owned()),
            Some(name) if !is_column(name) => {
                return refused(format!(
                    "a stage cannot be called {name:?}: its name is that of a column, of letters, digits and _"
                ));
            }
            Some(name) if names.contains(&name) => {
                return refused(format!("two stages are called {name:?}"));
            }
            Some(name) => names.push(name),
        }
    }
    Ok(names)
}

fn is_column(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The entry that a stage stands for.
fn entry_of(
    plain: &Node,
    stage: &Node,
    own: &StageEntry,
    abbr: &str,
    before: &[EarlierStage],
) -> Result<Node, ConfigError> {
    let mut node = plain.clone();
    node.origin = stage.origin.clone();
    let text = |text: &str| Node::new(Value::Str(text.to_owned()), stage.origin.clone());
    node.set("abbr", text(abbr));
    node.set("infer_cfg", own.infer_cfg.clone());
    if let Some(eval_cfg) = &own.eval_cfg {
        node.set("eval_cfg", eval_cfg.clone());
    }
    let Some(reader_cfg) = node.get_mut("reader_cfg") else {
        return Err(ConfigError::at(&node.origin, "the data set has no reader_cfg"));
    };
    if let Some(reader) = &own.reader_cfg {
        reader_cfg.set("output_column", reader.output_column.clone());
    }
    let columns = reader_cfg.get("input_columns");
    let mut columns: Vec<Node> = match columns.map(|own| (own.as_list(), own.as_str())) {
        Some((Some(names), _)) => names.to_vec(),
        Some((_, Some(names))) => names.split_whitespace().map(text).collect(),
        _ => Vec::new(),
    };
    columns.extend(before.iter().map(|earlier| text(&earlier.name)));
    reader_cfg.set("input_columns", Node::new(Value::List(columns), stage.origin.clone()));
    Ok(node)
}

/// Refuses a stage that writes what it or a later one has yet to say.
fn refuse_later(node: &Node, stage: &str, later: &[&str]) -> Result<(), ConfigError> {
    let parts: Box<dyn Iterator<Item = &Node>> = match &node.value {
        Value::Str(text) => {
            let named = later.iter().find(|name| text.contains(&format!("{{{name}}}")));
            let Some(name) = named else { return Ok(()) };
            let what = if *name == stage {
                format!("stage {stage} names its own column {{{name}}}")
            } else {
                format!("stage {stage} names {{{name}}}, the column of a later stage")
            };
            return Err(ConfigError::at(&node.origin, what)
                .under(FIELD)
                .with_hint("a stage has the columns of the rows and of the stages before it"));
        }
        Value::List(items) | Value::Tuple(items) => Box::new(items.iter()),
        Value::Dict(fields) => Box::new(fields.iter().map(|(_, value)| value)),
        _ => return Ok(()),
    };
    for part in parts {
        refuse_later(part, stage, later)?;
    }
    Ok(())
}
