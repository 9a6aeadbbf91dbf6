//! An entry with stages → the plans of its stages, chain by chain.
//!
//! A *chain* is the stages as they are asked one after the other: those of the entry itself, and those of each variant.
//! `variants` of such an entry name the stages that they change: `variants=dict(short=dict(rewriting=…))`. The rest is as in
//! [`variant`](super::variant), and two words are more: `None` leaves a stage out, and `'gold'` lets its gold answers
//! stand for what it would say. A change that says otherwise how a stage comes by its prediction (`infer_cfg`, `corpus`,
//! `column`) drops what the stage said of it.
//!
//! `attribution=True` adds, to each chain, those with the golds of its first stage, of its first two, and so on: what
//! the last stage scores in them tells which stage loses how much. Chains that come to the same are asked once.

use std::path::Path;

use super::{
    DatasetPlan, PlanError, RepeatsPlan, Stage, Variant,
    stage::{ChainLink, EarlierStage, StageEntry},
    variant::{self, merge},
};
use crate::{
    config::{ConfigError, Node, Value},
    infer::Unasked,
    report,
};

/// The field of a data set's entry.
pub(super) const FIELD: &str = "stages";
/// Between the name of a data set and that of its stage.
pub(crate) const STAGE_MARK: char = '.';
/// The field that asks for chains of golds.
const ATTRIBUTION: &str = "attribution";
/// What stands for a stage in a variant whose golds stand for it.
const GOLD: &str = "gold";

/// Ways in which a stage comes by its prediction, each with the fields that belong to it.
const WAYS: [&[&str]; 3] = [
    &["infer_cfg", "when", "otherwise"],
    &[
        "corpus",
        "query",
        "top_k",
        "shown",
        "by",
        "index",
        "encoder",
        "query_prompt",
        "passage_prompt",
    ],
    &["column"],
];

/// Stages that are asked one after the other.
#[derive(Clone)]
struct Chain {
    /// None for the entry itself.
    variant: Option<String>,
    links: Vec<Link>,
}

#[derive(Clone)]
struct Link {
    node: Node,
    /// Whether its gold stands for it.
    is_gold: bool,
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
    let attributes = attributes(plain.remove(ATTRIBUTION))?;
    let variants = plain.remove(variant::FIELD).filter(|found| !found.is_none());
    let has_variants = variants.is_some() || attributes;
    let mut chains = chains(&stages, variants, &name)?;
    if attributes {
        with_golds(&mut chains);
    }
    let mut plans = Vec::new();
    for chain in chains {
        let names = names(&chain)?;
        let of = |own: &str| match &chain.variant {
            Some(variant) => format!("{own}{}{variant}", report::VARIANT_MARK),
            None => own.to_owned(),
        };
        let links: Vec<ChainLink> = chain.links.iter().map(Link::told).collect();
        let mut before: Vec<EarlierStage> = Vec::new();
        let mut number = 0;
        for (place, Link { node, is_gold }) in chain.links.iter().enumerate() {
            let own = StageEntry::of(node)?;
            refuse_later(node, &own.name, &names[place..])?;
            let dataset = format!("{name}{STAGE_MARK}{}", own.name);
            let entry_node = own.dataset((&plain, node), &of(&dataset), &before)?;
            let plan = DatasetPlan::from_node(&entry_node, config)?;
            if plan.repeats != RepeatsPlan::default() {
                let what = format!(
                    "data set {}: a stage is asked once, so n and k have no place",
                    plan.abbr
                );
                return Err(ConfigError::at(&node.origin, what).into());
            }
            let search = match plan.inferencer.unasked() {
                Some(Unasked::Passages(search)) => Some(search.clone()),
                _ => None,
            };
            let gold = plan.reader.output_column().map(str::to_owned);
            if *is_gold && gold.is_none() {
                let what = format!("stage {} has no gold that could stand for it", own.name);
                return Err(ConfigError::at(&node.origin, what)
                    .under(FIELD)
                    .with_hint("give it reader_cfg=dict(output_column=…)")
                    .into());
            }
            let earlier = EarlierStage { name: own.name.clone(), gold, search, is_gold: *is_gold };
            if !is_gold {
                let base = || variant::BASE.to_owned();
                let variant = chain.variant.clone().unwrap_or_else(base);
                let stage = Stage {
                    chain: of(&name),
                    condition: own.condition(node)?,
                    name: own.name,
                    number,
                    before: before.clone(),
                    links: links.clone(),
                    entry: entry.clone(),
                };
                number += 1;
                let variant = has_variants.then_some(Variant { dataset, name: variant });
                plans.push(DatasetPlan { variant, stage: Some(stage), ..plan });
            }
            before.push(earlier);
        }
    }
    Ok(plans)
}

fn attributes(field: Option<Node>) -> Result<bool, ConfigError> {
    let Some(field) = field.filter(|field| !field.is_none()) else { return Ok(false) };
    field.as_bool().ok_or_else(|| {
        let what = format!("{ATTRIBUTION} must be True or False, found {}", field.describe());
        ConfigError::at(&field.origin, what)
    })
}

/// The stages of the entry itself, and of each variant by its name.
fn chains(stages: &Node, variants: Option<Node>, name: &str) -> Result<Vec<Chain>, PlanError> {
    let list = stages.as_list().filter(|own| !own.is_empty()).ok_or_else(|| {
        let what = format!("`{FIELD}` must be a list of dicts, found {}", stages.describe());
        ConfigError::at(&stages.origin, what)
            .with_hint("write stages=[dict(name='rewriting', infer_cfg=…), …]")
    })?;
    let link = |node: &Node| Link { node: node.clone(), is_gold: false };
    let links: Vec<Link> = list.iter().map(link).collect();
    let mut chains = vec![Chain { variant: None, links: links.clone() }];
    let Some(variants) = variants else { return Ok(chains) };
    for (own, overrides) in variant::named(&variants)? {
        let mut changed = links.clone();
        for (key, change) in overrides.as_dict().unwrap_or_default() {
            let stage = key.as_str().unwrap_or_default();
            let at = changed.iter().position(|one| text(&one.node, "name") == Some(stage));
            let Some(at) = at else {
                let known: Vec<&str> = list.iter().filter_map(|one| text(one, "name")).collect();
                let what = format!("data set {name} has no stage {stage:?}");
                return Err(ConfigError::at(&key.origin, what)
                    .under(own)
                    .with_hint(format!("its stages are {}", known.join(", ")))
                    .into());
            };
            let under = |error: ConfigError| error.under(stage.to_owned()).under(own);
            if change.is_none() {
                changed.remove(at);
            } else if change.as_str() == Some(GOLD) {
                changed[at].is_gold = true;
            } else if change.as_dict().is_none() {
                let what = format!(
                    "a stage of a variant is a dict, None or '{GOLD}', found {}",
                    change.describe()
                );
                return Err(under(ConfigError::at(&change.origin, what)).into());
            } else {
                change_stage(&mut changed[at].node, change).map_err(under)?;
            }
        }
        if changed.last().is_none_or(|last| last.is_gold) {
            let what = format!("variant {own} of data set {name} asks nothing in the end");
            return Err(ConfigError::at(&overrides.origin, what)
                .with_hint("leave the last stage to be asked")
                .into());
        }
        chains.push(Chain { variant: Some(own.to_owned()), links: changed });
    }
    Ok(chains)
}

/// Merges what a variant says into a stage.
fn change_stage(stage: &mut Node, change: &Node) -> Result<(), ConfigError> {
    let says = |field: &str| {
        let keys = change.as_dict().unwrap_or_default().iter().filter_map(|(key, _)| key.as_str());
        keys.map(|key| key.split_once('.').map_or(key, |(first, _)| first)).any(|key| key == field)
    };
    if let Some(way) = WAYS.iter().find(|way| way.first().is_some_and(|field| says(field))) {
        for other in WAYS.iter().filter(|other| *other != way) {
            for field in *other {
                stage.remove(field);
            }
        }
    }
    merge(stage, change)
}

/// Adds the chains in which golds stand for the first stages of others.
fn with_golds(chains: &mut Vec<Chain>) {
    for chain in chains.clone() {
        for golds in 1..chain.links.len() {
            let mut links = chain.links.clone();
            links.iter_mut().take(golds).for_each(|link| link.is_gold = true);
            let told = |links: &[Link]| links.iter().map(Link::told).collect::<Vec<_>>();
            if chains.iter().any(|known| told(&known.links) == told(&links)) {
                continue;
            }
            let last = text(&links[golds - 1].node, "name").unwrap_or_default();
            let name = match &chain.variant {
                Some(variant) => format!("{variant}+{GOLD}_{last}"),
                None => format!("{GOLD}_{last}"),
            };
            chains.push(Chain { variant: Some(name), links });
        }
    }
}

impl Link {
    fn told(&self) -> ChainLink {
        ChainLink {
            name: text(&self.node, "name").unwrap_or_default().to_owned(),
            asked: (!self.is_gold).then(|| report::prompt_hash(&self.node)),
        }
    }
}

fn text<'n>(node: &'n Node, field: &str) -> Option<&'n str> {
    node.get(field).and_then(Node::as_str)
}

/// The names of stages, each once.
fn names(chain: &Chain) -> Result<Vec<&str>, ConfigError> {
    let mut names: Vec<&str> = Vec::new();
    for Link { node, .. } in &chain.links {
        let refused = |what: String| Err(ConfigError::at(&node.origin, what).under(FIELD));
        match text(node, "name") {
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
