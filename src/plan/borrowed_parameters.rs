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
    /// Whether the class reads it with these parameters.
    is_read: fn(&Node) -> bool,
}

const GAOKAO_MATH: Borrowed = Borrowed {
    of: "GaoKaoMATHEvaluator",
    field: "prompt",
    module: "opencompass/datasets/gaokao_math.py",
    name: "EVAL_PROMPT",
    is_read: |_| true,
};

const ALL: &[Borrowed] = &[
    Borrowed {
        of: "FakeAlignmentJudgeEvaluator",
        field: "prompt",
        module: "opencompass/datasets/fake_alignment/fake_alignment.py",
        name: "OFFICIAL_SAFETY_JUDGE_PROMPT",
        is_read: |_| true,
    },
    GAOKAO_MATH,
    Borrowed {
        field: "post_prompt",
        name: "POST_PROMPT_EN",
        is_read: |own| takes_answers_out(own) && is_english(own),
        ..GAOKAO_MATH
    },
    Borrowed {
        field: "post_prompt",
        name: "POST_PROMPT_CN",
        is_read: |own| takes_answers_out(own) && !is_english(own),
        ..GAOKAO_MATH
    },
    Borrowed {
        of: "HealthBenchEvaluator",
        field: "prompt",
        module: "opencompass/datasets/healthbench/healthbench.py",
        name: "GRADER_TEMPLATE",
        is_read: |_| true,
    },
    Borrowed {
        of: "hellobench_postprocess",
        field: "weights",
        module: "opencompass/datasets/subjective/hellobench.py",
        name: "REGRESSION_DICT",
        is_read: |_| true,
    },
];

fn takes_answers_out(evaluator: &Node) -> bool {
    evaluator.get("with_postprocess").is_some_and(|wanted| wanted.to_json() == true)
}

fn is_english(evaluator: &Node) -> bool {
    evaluator.get("language").is_none_or(|language| language.as_str() == Some("en"))
}

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
    let last = last.to_owned();
    for Borrowed { field, module, name, is_read, .. } in ALL.iter().filter(|own| own.of == last) {
        if component.get(field).is_none()
            && is_read(component)
            && let Some(value) = module_value(module, name).transpose()?
        {
            component.set(field, Node::from_json(&value));
        }
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
