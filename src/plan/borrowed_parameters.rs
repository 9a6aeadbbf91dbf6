//! Parameters that stand in modules of `OpenCompass`'s and not in a config: prompts and weights of evaluators.
//!
//! They are other people's texts and not shipped, so they are read in the user's package when an entry is planned. Its
//! evaluator is told them, so that a run that is kept is scored again without the package.

use crate::{
    config::{ConfigError, Node},
    dataset::module_value,
};

/// A parameter of a class.
struct Borrowed {
    /// The class or function.
    of: &'static str,
    /// The parameter's name in the entry.
    field: &'static str,
    module: &'static str,
    /// The name of the value in the module.
    name: &'static str,
}

const ALL: &[Borrowed] = &[
    Borrowed {
        of: "GaoKaoMATHEvaluator",
        field: "prompt",
        module: "opencompass/datasets/gaokao_math.py",
        name: "EVAL_PROMPT",
    },
    Borrowed {
        of: "hellobench_postprocess",
        field: "weights",
        module: "opencompass/datasets/subjective/hellobench.py",
        name: "REGRESSION_DICT",
    },
];

/// Tells the evaluator of an entry, and its rule for replies, what they borrow; what is told already stays.
pub(super) fn tell(entry: &mut Node) -> Result<(), ConfigError> {
    let Some(evaluator) = entry.get_mut("eval_cfg").and_then(|own| own.get_mut("evaluator")) else {
        return Ok(());
    };
    tell_one(evaluator)?;
    evaluator.get_mut("dict_postprocessor").map_or(Ok(()), tell_one)
}

fn tell_one(component: &mut Node) -> Result<(), ConfigError> {
    let named = component.get("type").and_then(Node::as_str).unwrap_or_default();
    let last = named.rsplit('.').next().unwrap_or(named);
    let Some(Borrowed { field, module, name, .. }) = ALL.iter().find(|own| own.of == last) else {
        return Ok(());
    };
    if component.get(field).is_none()
        && let Some(value) = module_value(module, name).transpose()?
    {
        component.set(field, Node::from_json(&value));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_told_already_stays_and_others_are_told_nothing() {
        for evaluator in [
            json!({"type": "opencompass.datasets.GaoKaoMATHEvaluator", "prompt": "own"}),
            json!({"type": "AccEvaluator"}),
            json!({"type": "LMEvaluator", "dict_postprocessor": {"type": "hellobench_postprocess", "weights": {}}}),
        ] {
            let entry = json!({"eval_cfg": {"evaluator": evaluator}});
            let mut node = Node::from_json(&entry);
            tell(&mut node).unwrap();
            assert_eq!(node.to_json(), entry);
        }
        let mut entry = Node::from_json(&json!({"abbr": "x"}));
        assert!(tell(&mut entry).is_ok());
    }
}
