//! Which in-context examples a data set's retriever shows, and which others it might.

use super::{
    Element,
    axis::{Axis, NotVaried, Setting},
    grammar::SEEDS,
};
use crate::{
    config::{Component, Node, Value},
    dataset::Dataset,
    python::PythonRandom,
    retrieve::RETRIEVERS,
};

/// The retriever of a data set, as far as its examples may be others.
#[derive(Clone, Debug)]
pub(super) enum ExampleChoice {
    /// The same rows for every sample.
    Fixed {
        /// Their numbers, as the config says.
        ids: Vec<i64>,
        /// Training rows that may be drawn instead: no row of the test split is among them.
        others: Vec<i64>,
    },
    /// Rows that are drawn by a seed of the retriever's own.
    Drawn { shots: usize },
    /// Rows that are looked for, as many as a field says.
    Found { shots: usize, field: &'static str },
    /// No examples.
    None,
}

/// Which examples a format shows; what is missing stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) order: Option<u64>,
    pub(super) shots: Option<usize>,
    pub(super) draw: Option<u64>,
}

impl ExampleChoice {
    /// What `infer_cfg` says; rows tell what else could be drawn.
    pub(super) fn of(infer_cfg: &Node, rows: &Dataset) -> Self {
        if infer_cfg.get("ice_template").is_none_or(Node::is_none) {
            return Self::None;
        }
        let Some(retriever) = infer_cfg.get("retriever") else { return Self::None };
        let Ok(component) = Component::parse(retriever) else { return Self::None };
        let count = |field: &str| {
            let given = component.params.get(field).and_then(Node::as_int);
            given.map_or(1, |count| usize::try_from(count).unwrap_or(0))
        };
        match RETRIEVERS.find(&component.type_name).map(|found| found.name) {
            Some("fix_k") => {
                let on_inferencer = infer_cfg.get("inferencer").and_then(|own| own.get(IDS));
                let ids = component.params.get(IDS).or(on_inferencer);
                let ids = ids.and_then(Node::as_list).unwrap_or_default();
                let ids: Vec<i64> = ids.iter().filter_map(Node::as_int).collect();
                // An example that is a test row would give its answer away.
                let is_free = |row: &usize| !rows.test.contains(&rows.train[*row]);
                let others = (0..rows.train.len())
                    .filter(is_free)
                    .map(usize::cast_signed)
                    .map(|row| row as i64);
                Self::Fixed { ids, others: others.collect() }
            }
            Some("random") => Self::Drawn { shots: count("ice_num") },
            Some("bm25" | "dpp" | "mdl" | "topk" | "votek" | "xiezhi") => {
                Self::Found { shots: count("ice_num"), field: "ice_num" }
            }
            Some("sliding_window") => Self::Found { shots: count("k"), field: "k" },
            _ => Self::None,
        }
    }

    fn shots(&self) -> usize {
        match self {
            Self::Fixed { ids, .. } => ids.len(),
            Self::Drawn { shots } | Self::Found { shots, .. } => *shots,
            Self::None => 0,
        }
    }

    /// The elements of examples: those that may vary, and why the others do not.
    pub(super) fn axes(&self, seed: u64) -> (Vec<Axis>, Vec<NotVaried>) {
        let (mut axes, mut refused) = (Vec::new(), Vec::new());
        let shots = self.shots();
        if shots == 0 {
            for element in [Element::Order, Element::Shots, Element::Draw] {
                refused.push(NotVaried::new(element, "there are no in-context examples"));
            }
            return (axes, refused);
        }
        let orders = distinct_orders(shots, seed);
        match self {
            Self::Fixed { .. } if !orders.is_empty() => {
                let settings = orders.into_iter().map(Setting::Order);
                axes.push(Axis::new(Element::Order, "as written", settings));
            }
            Self::Fixed { .. } => {
                refused.push(NotVaried::new(Element::Order, "there is one example"));
            }
            _ => refused.push(NotVaried::new(Element::Order, "the retriever says the order")),
        }
        if shots > 1 {
            let mut fewer = vec![1, shots / 2];
            fewer.dedup();
            let settings = fewer.into_iter().map(Setting::Shots);
            axes.push(Axis::new(Element::Shots, shots.to_string(), settings));
        } else {
            refused.push(NotVaried::new(Element::Shots, "there is one example"));
        }
        let draws = (1..=SEEDS).map(Setting::Draw);
        match self {
            Self::Fixed { others, .. } if others.len() > shots => {
                axes.push(Axis::new(Element::Draw, "as written", draws));
            }
            Self::Fixed { .. } => refused.push(NotVaried::new(
                Element::Draw,
                "the training split has too few rows that are no test rows",
            )),
            Self::Drawn { .. } => axes.push(Axis::new(Element::Draw, "as written", draws)),
            _ => refused.push(NotVaried::new(
                Element::Draw,
                "the retriever looks for examples and draws none",
            )),
        }
        (axes, refused)
    }

    /// The same `infer_cfg` with other examples.
    pub(super) fn shown(&self, infer_cfg: &mut Node, shown: Shown, seed: u64) {
        if shown == Shown::default() {
            return;
        }
        let int = |number: i64| Node::from(Value::Int(number));
        let count = |count: usize| int(i64::try_from(count).unwrap_or(i64::MAX));
        match self {
            Self::Fixed { ids, others } => {
                let mut own = match shown.draw {
                    None => ids.clone(),
                    Some(draw) => {
                        let mut drawn = others.clone();
                        random(seed, draw).shuffle(&mut drawn);
                        drawn.truncate(ids.len());
                        drawn
                    }
                };
                own.truncate(shown.shots.unwrap_or(own.len()));
                if let Some(order) = shown.order {
                    random(seed, order).shuffle(&mut own);
                }
                if let Some(inferencer) = infer_cfg.get_mut("inferencer") {
                    inferencer.remove(IDS);
                }
                let list = Value::List(own.into_iter().map(int).collect());
                if let Some(retriever) = infer_cfg.get_mut("retriever") {
                    set(retriever, IDS, list.into());
                    if retriever.get("ice_num").is_some_and(|count| !count.is_none()) {
                        let shots = shown.shots.unwrap_or(ids.len());
                        set(retriever, "ice_num", count(shots));
                    }
                }
            }
            Self::Drawn { .. } => {
                if let Some(retriever) = infer_cfg.get_mut("retriever") {
                    if let Some(shots) = shown.shots {
                        set(retriever, "ice_num", count(shots));
                    }
                    if let Some(draw) = shown.draw {
                        // numpy takes seeds of 32 bits.
                        set(retriever, "seed", int(i64::from(mixed(seed, draw) as u32)));
                    }
                }
            }
            Self::Found { field, .. } => {
                if let (Some(retriever), Some(shots)) =
                    (infer_cfg.get_mut("retriever"), shown.shots)
                {
                    set(retriever, field, count(shots));
                }
            }
            Self::None => (),
        }
    }
}

/// Where the rows of a fixed choice stand.
const IDS: &str = "fix_id_list";

/// Sets a parameter of a component, which may be written as its type alone.
fn set(component: &mut Node, field: &str, value: Node) {
    if matches!(component.value, Value::Str(_) | Value::Type(_)) {
        let name = Node::from(Value::Str("type".to_owned()));
        *component = Value::Dict(vec![(name, component.clone())]).into();
    }
    component.set(field, value);
}

/// Random numbers for one purpose of a seed.
fn random(seed: u64, number: u64) -> PythonRandom {
    PythonRandom::from_seed(mixed(seed, number))
}

fn mixed(seed: u64, number: u64) -> u64 {
    seed.wrapping_mul(1_000_003).wrapping_add(number)
}

/// Numbers that shuffle so many examples into orders that differ from the written one and from each other.
fn distinct_orders(shots: usize, seed: u64) -> Vec<u64> {
    const TRIED: u64 = 50;
    let mut orders = vec![(0..shots).collect::<Vec<usize>>()];
    let mut found = Vec::new();
    for number in 1..=TRIED {
        let mut order: Vec<usize> = (0..shots).collect();
        random(seed, number).shuffle(&mut order);
        if (found.len() as u64) < SEEDS && !orders.contains(&order) {
            orders.push(order);
            found.push(number);
        }
    }
    found
}
