//! Variants of a data set: the same rows, asked in other words.
//!
//! ```python
//! dict(abbr='choices', …, variants=dict(
//!     short={'prompt_template.template': {'A': '{question} A', 'B': '{question} B'}},
//!     shots=dict(retriever=dict(type='FixKRetriever', fix_id_list=[0, 1, 2]))))
//! ```
//!
//! is three data sets: `choices` itself, which is called `base`, `choices@short` and `choices@shots`. What a
//! variant says is merged into `infer_cfg` as mmengine merges configs: dicts merge, everything else replaces,
//! `_delete_=True` in a dict drops what was there, and a dotted key reaches inside. One thing is different: a
//! dict of another `type` replaces, because the parameters of one retriever mean nothing to the next.
//!
//! Nothing but `infer_cfg` can differ, so the rows are the same and may be compared one by one.

use crate::{
    config::{ConfigError, Node, Value},
    report::VARIANT_MARK,
};

/// The field of a data set's entry.
pub(super) const FIELD: &str = "variants";
/// What the entry itself is called among its variants.
pub(super) const BASE: &str = "base";
/// In a dict: what was there goes.
const DELETE: &str = "_delete_";

/// Which variant of which data set a plan is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name of the data set: that of its base.
    pub dataset: String,
    /// Its own name; `base` for the entry itself.
    pub name: String,
}

impl Variant {
    /// Whether it is the entry itself.
    pub fn is_base(&self) -> bool {
        self.name == BASE
    }

    /// Which variant of which data set an abbr means: `choices@short` is `short` of `choices`, and `choices` its
    /// `base`.
    pub fn of_abbr(abbr: &str) -> Self {
        let (dataset, name) = abbr.split_once(VARIANT_MARK).unwrap_or((abbr, BASE));
        Self { dataset: dataset.to_owned(), name: name.to_owned() }
    }
}

/// The entry of a data set and one entry for each of its variants, the base first. `name` is the data set's.
/// An entry without variants is given back as it is.
pub(super) fn expanded(
    mut entry: Node,
    name: &str,
) -> Result<Vec<(Option<Variant>, Node)>, ConfigError> {
    let Some(variants) = entry.remove(FIELD).filter(|found| !found.is_none()) else {
        return Ok(vec![(None, entry)]);
    };
    let variant = |own: &str| Some(Variant { dataset: name.to_owned(), name: own.to_owned() });
    let mut entries = vec![(variant(BASE), entry.clone())];
    for (own, overrides) in named(&variants)? {
        let mut node = entry.clone();
        let origin = overrides.origin.clone();
        node.set("abbr", Node::new(Value::Str(format!("{name}{VARIANT_MARK}{own}")), origin));
        let mut infer_cfg = node.remove("infer_cfg").unwrap_or_else(|| empty(overrides));
        merge(&mut infer_cfg, overrides).map_err(|error| error.under(own).under(FIELD))?;
        node.set("infer_cfg", infer_cfg);
        entries.push((variant(own), node));
    }
    Ok(entries)
}

/// The names of variants, each with what it changes, which is a dict.
pub(super) fn named(variants: &Node) -> Result<Vec<(&str, &Node)>, ConfigError> {
    let Some(all) = variants.as_dict() else {
        let what = format!("`{FIELD}` must be a dict of names, found {}", variants.describe());
        return Err(ConfigError::at(&variants.origin, what)
            .with_hint("write variants=dict(short=dict(prompt_template=…))"));
    };
    let mut named = Vec::with_capacity(all.len());
    for (key, overrides) in all {
        let own = checked_name(key)?;
        if overrides.as_dict().is_none() {
            let what = format!("variant {own} must be a dict, found {}", overrides.describe());
            return Err(ConfigError::at(&overrides.origin, what)
                .with_hint("it holds what differs in infer_cfg"));
        }
        named.push((own, overrides));
    }
    Ok(named)
}

/// The name of a variant, which is part of the name of files.
fn checked_name(key: &Node) -> Result<&str, ConfigError> {
    let refused = |what: String| ConfigError::at(&key.origin, what).under(FIELD);
    match key.as_str() {
        None => {
            Err(refused(format!("the name of a variant must be a text, found {}", key.describe())))
        }
        Some(BASE) => Err(refused(format!("{BASE:?} is the entry itself"))
            .with_hint("call the variant something else")),
        Some(name) if name.is_empty() || name.contains([VARIANT_MARK, '/']) => {
            Err(refused(format!("a variant cannot be called {name:?}"))
                .with_hint("use letters, digits, - and _"))
        }
        Some(name) => Ok(name),
    }
}

/// Merges `changes`, a dict, into `target`.
pub(super) fn merge(target: &mut Node, changes: &Node) -> Result<(), ConfigError> {
    for (key, change) in changes.as_dict().unwrap_or_default() {
        let Some(name) = key.as_str() else {
            if let Some(place) = list_place(target, key) {
                put(place, change)?;
                continue;
            }
            if let Value::Dict(fields) = &mut target.value {
                // A label of candidates may be a number.
                let known = fields.iter().position(|(known, _)| known.to_json() == key.to_json());
                let at = known.unwrap_or_else(|| {
                    fields.push((key.clone(), Node::new(Value::None, key.origin.clone())));
                    fields.len() - 1
                });
                put(&mut fields[at].1, change)?;
                continue;
            }
            let what = format!("{} is no field of {}", key.describe(), target.describe());
            return Err(ConfigError::at(&key.origin, what));
        };
        if name == DELETE {
            continue;
        }
        // A label of candidates may hold a dot itself.
        match name.split_once('.').filter(|_| target.get(name).is_none()) {
            Some((first, rest)) => {
                let rest_key = Node::new(Value::Str(rest.to_owned()), key.origin.clone());
                let inner =
                    Node::new(Value::Dict(vec![(rest_key, change.clone())]), change.origin.clone());
                let place = place(target, first, key)?;
                if place.is_none() {
                    *place = empty(&inner);
                }
                if place.as_dict().is_none() && place.as_list().is_none() {
                    let what = format!(
                        "{first:?} is {}, which {name:?} cannot reach into",
                        place.describe()
                    );
                    return Err(ConfigError::at(&key.origin, what));
                }
                merge(place, &inner)?;
            }
            None => put(place(target, name, key)?, change)?,
        }
    }
    Ok(())
}

/// Puts a change in a place: merged into a dict of the same type, in place of everything else.
fn put(place: &mut Node, change: &Node) -> Result<(), ConfigError> {
    let type_name = |node: &Node| {
        let name = node.get("type").and_then(Node::as_str);
        name.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned())
    };
    let is_deleting = change.get(DELETE).and_then(Node::as_bool) == Some(true);
    let is_other_type = type_name(change).is_some_and(|own| type_name(place) != Some(own));
    if change.as_dict().is_some() {
        if is_deleting || is_other_type || (place.as_dict().is_none() && place.as_list().is_none())
        {
            *place = empty(change);
        }
        merge(place, change)
    } else {
        *place = change.clone();
        Ok(())
    }
}

/// The value of a field, made if it is not there; in a list, of the item of that number.
fn place<'t>(target: &'t mut Node, name: &str, key: &Node) -> Result<&'t mut Node, ConfigError> {
    if target.as_list().is_some() {
        let number = Node::new(Value::Int(name.parse().unwrap_or(-1)), key.origin.clone());
        let found = target.describe();
        return list_place(target, &number).ok_or_else(|| {
            ConfigError::at(&key.origin, format!("{name:?} is no item of {found}"))
        });
    }
    if target.get(name).is_none() {
        target.set(name, Node::new(Value::None, key.origin.clone()));
    }
    let found = target.describe();
    target
        .get_mut(name)
        .ok_or_else(|| ConfigError::at(&key.origin, format!("{name:?} is no field of {found}")))
}

fn list_place<'t>(target: &'t mut Node, key: &Node) -> Option<&'t mut Node> {
    let index = usize::try_from(key.as_int()?).ok()?;
    match &mut target.value {
        Value::List(items) | Value::Tuple(items) => items.get_mut(index),
        _ => None,
    }
}

fn empty(at: &Node) -> Node {
    Node::new(Value::Dict(Vec::new()), at.origin.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn entry(variants: &Json) -> Node {
        Node::from_json(&json!({
            "abbr": "choices",
            "infer_cfg": {
                "prompt_template": {"type": "PromptTemplate", "template": {"a": "{q} a", "b": "{q} b"}},
                "retriever": {"type": "FixKRetriever", "fix_id_list": [0, 1]},
                "inferencer": {"type": "opencompass.PPLInferencer", "batch_size": 4},
            },
            "variants": variants,
        }))
    }

    fn infer_cfg(variants: &Json, at: usize) -> Json {
        let entries = expanded(entry(variants), "choices").unwrap();
        entries[at].1.get("infer_cfg").unwrap().to_json()
    }

    #[test]
    fn the_entry_is_the_base_and_variants_follow_by_name() {
        let entries = expanded(entry(&json!({"short": {}, "long": {}})), "choices").unwrap();
        let names: Vec<_> = entries
            .iter()
            .map(|(variant, node)| {
                let variant = variant.as_ref().unwrap();
                (
                    variant.name.as_str(),
                    variant.dataset.as_str(),
                    node.get("abbr").unwrap().as_str().unwrap(),
                )
            })
            .collect();
        let expected = [
            ("base", "choices", "choices"),
            ("short", "choices", "choices@short"),
            ("long", "choices", "choices@long"),
        ];
        assert_eq!(names, expected);
        assert!(entries.iter().all(|(_, node)| node.get("variants").is_none()));
        for (variant, node) in &entries {
            let abbr = node.get("abbr").unwrap().as_str().unwrap();
            assert_eq!(Some(Variant::of_abbr(abbr)), *variant);
        }
        let base = entries[0].1.get("infer_cfg").unwrap().to_json();
        assert_eq!(infer_cfg(&json!({"short": {}}), 1), base);
    }

    #[test]
    fn dicts_merge_lists_replace_and_another_type_replaces() {
        let found = infer_cfg(
            &json!({"v": {
                "prompt_template": {"template": {"b": "{q} B"}},
                "retriever": {"fix_id_list": [7]},
                "inferencer": {"type": "PPLInferencer", "max_seq_len": 9},
            }}),
            1,
        );
        assert_eq!(found["prompt_template"]["template"], json!({"a": "{q} a", "b": "{q} B"}));
        assert_eq!(found["retriever"]["fix_id_list"], json!([7]));
        // The same type by another path: its parameters stay.
        assert_eq!(
            found["inferencer"],
            json!({"type": "PPLInferencer", "batch_size": 4, "max_seq_len": 9})
        );
        let found = infer_cfg(&json!({"v": {"retriever": {"type": "ZeroRetriever"}}}), 1);
        assert_eq!(found["retriever"], json!({"type": "ZeroRetriever"}));
    }

    #[test]
    fn delete_drops_and_a_dotted_key_reaches_inside() {
        let found = infer_cfg(
            &json!({"v": {
                "prompt_template.template": {"_delete_": true, "x": "{q} x"},
                "retriever.fix_id_list.1": 5,
                "ice_template.type": "PromptTemplate",
            }}),
            1,
        );
        assert_eq!(
            found["prompt_template"],
            json!({"type": "PromptTemplate", "template": {"x": "{q} x"}})
        );
        assert_eq!(found["retriever"]["fix_id_list"], json!([0, 5]));
        assert_eq!(found["ice_template"], json!({"type": "PromptTemplate"}));
    }

    #[test]
    fn what_is_no_variant_is_an_error() {
        for variants in [
            json!([1]),
            json!({"base": {}}),
            json!({"a@b": {}}),
            json!({"v": 3}),
            json!({"v": {"retriever.type.deeper": 3}}),
            json!({"v": {"retriever.fix_id_list.9": 3}}),
        ] {
            assert!(expanded(entry(&variants), "choices").is_err(), "{variants}");
        }
    }
}
