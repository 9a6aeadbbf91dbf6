//! Named parts of a text: F1 of those that are the gold's, counted over all rows.

use std::{collections::BTreeSet, sync::LazyLock};

use serde_json::{Map, Value, json};

use super::super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::postprocess::{PatternError, PythonRegex};

/// What is named in medical texts.
const KINDS: [&str; 9] = [
    "药物",
    "设备",
    "医院科室",
    "微生物类",
    "身体部位",
    "医疗操作",
    "医学检验项目",
    "症状",
    "疾病",
];

/// How two named parts may be related.
#[rustfmt::skip]
const RELATIONS: [&str; 43] = [
    "相关（导致）", "鉴别诊断", "遗传因素", "发病性别倾向", "相关（症状）", "手术治疗", "预防", "辅助检查",
    "筛查", "阶段", "临床表现", "风险评估因素", "同义词", "发病年龄", "预后生存率", "病史", "传播途径",
    "治疗后症状", "药物治疗", "辅助治疗", "化疗", "死亡率", "放射治疗", "病因", "组织学检查", "内窥镜检查",
    "多发群体", "并发症", "实验室检查", "就诊科室", "病理生理", "高危因素", "发病率", "多发地区", "病理分型",
    "影像学检查", "转移部位", "发病部位", "相关（转化）", "外侵部位", "预后状况", "发病机制", "多发季节",
];

/// Which parts are looked for.
#[derive(Clone, Copy)]
pub(in super::super) enum Entities {
    /// Things of a kind: `kind：name，name`.
    Kinds,
    /// Two things and how they are related.
    Relations,
    /// Events with what is said of them.
    Events,
}

impl Evaluator for Entities {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut common, mut own, mut other) = (0, 0, 0);
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "medbench");
            let found = self.found(asked.prediction()?).map_err(|error| asked.failed(error))?;
            let expected = "a list of dicts, one for each named part";
            let golds = row.reference.as_array().and_then(|golds| distinct(golds));
            let golds = golds.ok_or_else(|| asked.unreadable_reference(expected))?;
            let answers = distinct(&found).unwrap_or_default();
            common += golds.intersection(&answers).count();
            own += answers.len();
            other += golds.len();
            // The original hands over both sides the other way round.
            details.push(Map::from_iter([
                ("pred".to_owned(), row.reference.clone()),
                ("answer".to_owned(), json!(found)),
                ("correct".to_owned(), Value::Null),
            ]));
        }
        let f1 = if common == 0 {
            0.0
        } else {
            let (precision, recall) = (common as f64 / own as f64, common as f64 / other as f64);
            2.0 * precision * recall / (precision + recall)
        };
        let value = if rows.is_empty() { f64::NAN } else { f1 };
        Ok(Scores::new(vec![Metric::of_all("F1", Unit::Number, value)], rows.len())
            .with_details(details))
    }
}

/// Each part once, as its values in the order of their names; nothing if one is no dict.
fn distinct(parts: &[Value]) -> Option<BTreeSet<Vec<String>>> {
    let values = |part: &Value| {
        let mut fields: Vec<(&String, &Value)> = part.as_object()?.iter().collect();
        fields.sort_by_key(|(name, _)| *name);
        Some(fields.into_iter().map(|(_, value)| value.to_string()).collect())
    };
    parts.iter().map(values).collect()
}

impl Entities {
    fn found(self, text: &str) -> Result<Vec<Value>, PatternError> {
        match self {
            Self::Kinds => Ok(kinds(text)),
            Self::Relations => relations(text),
            Self::Events => Ok(events(text)),
        }
    }
}

/// Lines that begin with a kind.
fn kinds(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for kind in KINDS {
        for line in text.split('\n').filter(|line| line.starts_with(kind)) {
            let names = line.replace(&format!("{kind}:"), "").replace(&format!("{kind}："), "");
            for name in names.split([',', '，']) {
                found.push(json!({ "type": kind, "entity": name }));
            }
        }
    }
    found
}

fn relations(text: &str) -> Result<Vec<Value>, PatternError> {
    static RELATION: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(&format!(
            "关系[:：][\"“]({})[\"”][,，]头实体[:：][\"“]([^\"”]+)[\"”][,，]尾实体[:：][\"“]([^\"”]+)[\"”]",
            RELATIONS.join("|")
        ))
    });
    let mut found = Vec::new();
    for mut rest in text.split('\n') {
        while let Some(captures) = RELATION.search(rest)? {
            let group = |number| captures.get(number).map_or("", |group| group.as_str());
            found.push(json!({ "predicate": group(1), "subject": group(2), "object": group(3) }));
            let end = captures.get(0).map_or(rest.len(), |all| all.end());
            rest = rest.get(end..).unwrap_or_default();
        }
    }
    Ok(found)
}

/// Lines with a subject, whose parts stand between `；`.
fn events(text: &str) -> Vec<Value> {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let lines = text.split(is_end).filter(|line| line.contains("主体词"));
    lines
        .map(|line| {
            let mut parts: Map<String, Value> = Map::new();
            for part in line.trim_end_matches('。').split('；') {
                if let Some((name, value)) = part.split_once('：') {
                    parts.insert(name.to_owned(), value.into());
                }
            }
            let part = |name: &str| parts.get(name).and_then(Value::as_str);
            let list = |name: &str| match part(name).unwrap_or("空") {
                "空" => json!([]),
                words => json!(words.split('，').collect::<Vec<_>>()),
            };
            let state = match part("发生状态").unwrap_or("不确定") {
                state @ ("不确定" | "否定") => state,
                _ => "",
            };
            json!({
                "主体词": part("主体词").unwrap_or_default(),
                "发生状态": state,
                "描述词": list("描述词"),
                "解剖部位": list("解剖部位"),
            })
        })
        .collect()
}
