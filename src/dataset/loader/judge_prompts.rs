//! Open questions that a judge is asked about with prompts of `OpenCompass`'s modules.

use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    borrowed::texts,
    class::{ClassForm, Tables, own},
    file::{Encoding, Item, document, items, json_lines, malformed},
    judged::{made, question},
    row::{Fields, Flaw, Made, formatted},
};
use crate::{config::ModuleTexts, dataset::DatasetError, python::python_str};

/// A text of a module.
pub(super) fn constant(
    texts: &ModuleTexts,
    module: &str,
    name: &str,
) -> Result<String, DatasetError> {
    let found = texts.value(name).and_then(|value| value.as_str().map(str::to_owned));
    found.ok_or_else(|| {
        malformed(module, Flaw(format!("there is no text {name}; opencompass 0.5.4 has it")))
    })
}

/// A text inside a function of a module: the one at a place among those that a name is bound to.
pub(super) fn inner(
    texts: &ModuleTexts,
    module: &str,
    name: &str,
    place: usize,
) -> Result<String, DatasetError> {
    texts.inner_texts(name).into_iter().nth(place).ok_or_else(|| {
        malformed(module, Flaw(format!("there is no text {name}; opencompass 0.5.4 has it")))
    })
}

const ALIGN_BENCH: &str = "opencompass/datasets/subjective/alignbench.py";

/// What an answer is marked by, for the kind of each question.
struct Dimensions {
    of_kinds: Item,
    meanings: Item,
    kinds: Item,
}

impl Dimensions {
    fn read(arguments: &Arguments<'_>) -> Result<Self, DatasetError> {
        let folder = arguments.path("alignment_bench_config_path")?;
        let name = arguments.text("alignment_bench_config_name")?;
        let config = document(&folder.join(format!("{name}.json")))?;
        let file = |field: &str| {
            let path = format!("Paths.{field}");
            document(&folder.join(config.make(|config| config.text(&path).map(str::to_owned))?))
        };
        Ok(Self {
            of_kinds: file("dimension_set_filepath")?,
            meanings: file("dimension_def_filepath")?,
            kinds: file("subcategory_mapping")?,
        })
    }

    /// The lines that tell a judge of the dimensions of a question.
    fn lines(&self, subcategory: &str) -> Made<String> {
        let kind = self.kinds.value.get(subcategory).and_then(Value::as_str).unwrap_or_default();
        let Some(dimensions) = self.of_kinds.value.get(kind).and_then(Value::as_array) else {
            return Flaw::new(format!("nothing says what `{subcategory}` is marked by"));
        };
        let mut lines = String::new();
        for (number, dimension) in (1..).zip(dimensions) {
            let name = python_str(dimension);
            let meaning = self.meanings.value.get(&name).unwrap_or(&Value::Null);
            let line = format!("{number}. {name}: {}\n", python_str(meaning));
            lines.push_str(&line);
        }
        Ok(lines)
    }
}

pub(super) const ALIGNMENT: ClassForm = own(
    &["path", "name", "alignment_bench_config_path?", "alignment_bench_config_name?", "*"],
    |arguments| {
        let is_told = arguments.fields.get("alignment_bench_config_path");
        let is_told = is_told.and_then(Value::as_str).is_some_and(|path| !path.is_empty());
        let told = if is_told {
            let texts = texts(arguments, ALIGN_BENCH)?;
            let prompt = inner(&texts, ALIGN_BENCH, "base_prompt", 0)?;
            Some((Dimensions::read(arguments)?, prompt))
        } else {
            None
        };
        let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |problem| {
            let mut row = question(problem)?;
            let others = problem.at("others")?.clone();
            let reference = others.at("reference")?.clone();
            if let Some((dimensions, template)) = &told {
                let fields = [
                    ("category", python_str(problem.at("capability")?)),
                    ("dimensions", dimensions.lines(&python_str(others.at("subcategory")?))?),
                    ("question", python_str(problem.at("question")?)),
                    ("reference", python_str(&reference)),
                ];
                let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
                row["critiquellm_prefix"] = formatted(template, &[], &fields)?.into();
            }
            row["judge"]["others"] = others;
            row["ref"] = reference;
            Ok(row)
        })?;
        Ok(Tables::Single(rows))
    },
)
.unnamed()
.with_texts(&[ALIGN_BENCH]);

const ARENA: &str = "opencompass/datasets/subjective/compass_arena_subjective_bench.py";

/// The categories of questions, and the rules that their answers are judged by.
const RULES: &[(&str, &[&str])] = &[
    ("writing_rule", &["重写", "创作", "自然语言处理"]),
    ("qa_rule", &["领域知识问答"]),
    ("reasoning_rule", &["推理", "代码"]),
    ("align_rule", &["人类对齐", "角色扮演", "日常对话"]),
];

pub(super) const ARENA_BENCH: ClassForm = own(&["path", "name", "*"], |arguments| {
    let name = arguments.text("name")?;
    let turns = ["singleturn", "multiturn"].into_iter().find(|turns| name.contains(turns));
    let Some(turns) = turns else {
        let what = format!("name='{name}' holds neither singleturn nor multiturn");
        return arguments.asked(Flaw::new(what));
    };
    let texts = texts(arguments, ARENA)?;
    let template = |kind| constant(&texts, ARENA, &format!("{kind}_{turns}_base_prompt"));
    let (pointwise, pairwise) = (template("pointwise")?, template("pairwise")?);
    let rule = |(name, categories): &(&str, &'static [&'static str])| {
        Ok((constant(&texts, ARENA, name)?, *categories))
    };
    let rules = RULES.iter().map(rule).collect::<Result<Vec<_>, DatasetError>>()?;
    let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |item| {
        let category = item.text("category")?;
        let rule = rules.iter().find(|(_, categories)| categories.contains(&category));
        let Some((rule, _)) = rule else {
            return Flaw::new(format!("there is no rule for the category `{category}`"));
        };
        let is_single = turns == "singleturn";
        let asked =
            if is_single { python_str(item.at("question.content")?) } else { String::new() };
        let mut fields = vec![
            ("rule", rule.as_str()),
            ("prediction", "{prediction}"),
            ("prediction2", "{prediction2}"),
        ];
        fields.extend(is_single.then_some(("question", asked.as_str())));
        let (pointwise, pairwise) =
            (formatted(&pointwise, &[], &fields)?, formatted(&pairwise, &[], &fields)?);
        let difficulty = item.at("difficulty")?;
        Ok(if is_single {
            let asked = item.at("question.content")?;
            json!({
                "question": asked,
                "pointwise_judge_prompt": pointwise,
                "pairwise_judge_prompt": pairwise,
                "judge": {
                    "question": asked,
                    "answer": item.at("answer.content")?,
                    "category": category,
                    "difficulty": difficulty,
                },
            })
        } else {
            json!({
                "dialogue": item.at("conversation")?,
                "pointwise_judge_prompt": pointwise,
                "pairwise_judge_prompt": pairwise,
                "judge": {"category": category, "difficulty": difficulty},
            })
        })
    })?;
    Ok(Tables::Single(rows))
})
.unnamed()
.with_texts(&[ARENA]);

const COMPASS: &str = "opencompass/datasets/subjective/compassbench.py";
const COMPASS_LENGTHS: &str = "opencompass/datasets/subjective/compassbench_control_length_bias.py";

fn compass(arguments: &Arguments<'_>, module: &str) -> Result<Tables, DatasetError> {
    let texts = texts(arguments, module)?;
    let chinese = constant(&texts, module, "base_prompt_zh")?;
    let english = constant(&texts, module, "base_prompt_en")?;
    let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |problem| {
        let (asked, language) = (problem.text("question")?, problem.at("language")?);
        let template = if language == "zh" { &chinese } else { &english };
        Ok(json!({
            "question": asked,
            "judge_prompt": template.replace("{question}", asked),
            "judge": {
                "lan": language,
                "level": problem.at("others.level")?,
                "category": problem.at("category")?,
                "question": asked,
            },
        }))
    })?;
    Ok(Tables::Single(rows))
}

pub(super) const COMPASS_BENCH: ClassForm =
    own(&["path", "name", "*"], |arguments| compass(arguments, COMPASS))
        .unnamed()
        .with_texts(&[COMPASS]);

pub(super) const COMPASS_BENCH_LENGTHS: ClassForm =
    own(&["path", "name", "*"], |arguments| compass(arguments, COMPASS_LENGTHS))
        .unnamed()
        .with_texts(&[COMPASS_LENGTHS]);

const WRITING: &str = "opencompass/datasets/subjective/writingbench.py";

pub(super) const WRITING_BENCH: ClassForm = own(&["path", "name", "*"], |arguments| {
    let texts = texts(arguments, WRITING)?;
    let template = constant(&texts, WRITING, "base_prompt")?;
    let lines = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    let rows = made(&lines, |item| {
        let asked = item.at("query")?;
        let prompt = |criterion: &Value| {
            let (asked, criterion) = (python_str(asked), python_str(criterion));
            let fields =
                [("question", &*asked), ("criteria", &*criterion), ("prediction", "{prediction}")];
            formatted(&template, &[], &fields)
        };
        let prompts = item.list("criteria")?.iter().map(prompt).collect::<Made<Vec<_>>>()?;
        Ok(json!({
            "question": asked,
            "judge": {
                "index": item.at("index")?,
                "domain1": item.at("domain1")?,
                "domain2": item.at("domain2")?,
                "query": asked,
                "judge_prompt_list": prompts,
            },
        }))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed()
.with_texts(&[WRITING]);

const CHINESE_FACTS: &str = "opencompass/datasets/chinese_simpleqa.py";

pub(super) const CHINESE_SIMPLE_QA: ClassForm = own(&["path", "name", "*"], |arguments| {
    let texts = texts(arguments, CHINESE_FACTS)?;
    let template = constant(&texts, CHINESE_FACTS, "csimpleqa_judge_prompt_new")?;
    let system = inner(&texts, CHINESE_FACTS, "cur_system_prompt", 0)?;
    let judge_system = inner(&texts, CHINESE_FACTS, "judge_system_prompt", 0)?;
    let lines = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    let rows = made(&lines, |item| {
        let (asked, answer) = (item.at("question")?, item.at("answer")?);
        let (question, target) = (python_str(asked), python_str(answer));
        let fields =
            [("question", &*question), ("target", &*target), ("predicted_answer", "{prediction}")];
        Ok(json!({
            "primary_category": item.at("primary_category")?,
            "question": asked,
            "gold_ans": answer,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": asked},
            ],
            "system_prompt": judge_system,
            "prompt_template": formatted(&template, &[], &fields)?,
            "judge": {
                "primary_category": item.at("primary_category")?,
                "question": asked,
                "question_id": item.at("id")?,
            },
        }))
    })?;
    Ok(Tables::Single(rows))
})
.with_texts(&[CHINESE_FACTS]);
