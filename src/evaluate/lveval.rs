//! `lveval_*`: answers to questions about long texts, of which words that any answer has do not count.
//!
//! Only the first reference is compared. The last one holds the keywords of the answer where there are any,
//! as the data sets are made.

use std::collections::HashMap;

use super::{
    EvaluateError, Evaluator,
    by_row::{Asked, ByRow, Grade},
    language::Language,
    sentence_rouge::rouge_l,
    token_f1::{chinese_pieces, english_words, f1},
};
use crate::{
    config::{Component, ConfigError},
    postprocess::PatternError,
};

/// English words that say nothing about an answer.
#[rustfmt::skip]
const ENGLISH_FILLERS: &[&str] = &[
    "and", "to", "of", "in", "her", "was", "with", "for", "it", "from", "is", "that", "his", "he",
    "by", "she", "they", "or", "at", "because", "be", "on", "are", "their", "what", "as", "had",
    "were", "about", "being", "this", "who", "but", "have", "has", "when", "which", "does",
];

/// Chinese words that say nothing about an answer.
#[rustfmt::skip]
const CHINESE_FILLERS: &[&str] = &[
    "的", "和", "是", "等", "在", "年", "可以", "为", "与", "‰", "了", "或", "一种", "月", "c",
    "至", "日", "有", "进行", "于", "不", "中", "×", "根据", "小", "由", "亩", "也", "要", "指",
    "法", "会", "元", "主要", "以及", "通过", "首先", "对", "然后", "号", "以", "所", "后", "丁",
    "包括", "无", "将", "用", "能", "形", "方面", "因素", "位于", "而", "从", "到", "一定", "用于",
    "但", "使用", "让", "具有", "并", "亿元", "万元", "上", "类", "基于", "才", "来", "地", "片",
    "其他", "个", "或者", "变得", "时", "给", "你", "使", "条", "受", "已经", "带", "度",
];

/// The F1 of words against the first reference.
pub(super) fn word_f1(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    Ok(Box::new(match Language::of(component)? {
        Language::En => ByRow::new("lveval_f1", |asked| first_f1(asked, Language::En)).called("f1"),
        Language::Zh => ByRow::new("lveval_f1", |asked| first_f1(asked, Language::Zh)).called("f1"),
    }))
}

/// The same, but nothing for a prediction without enough of the answer's keywords.
pub(super) fn keyword_f1(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let by_row = match Language::of(component)? {
        Language::En => ByRow::new("lveval_keyword_f1", |asked| gated_f1(asked, Language::En)),
        Language::Zh => ByRow::new("lveval_keyword_f1", |asked| gated_f1(asked, Language::Zh)),
    };
    Ok(Box::new(by_row.called("LVEval_f1")))
}

/// The longest common subsequence of words with the first reference, fillers left out.
pub(super) fn keyword_rouge(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    let by_row = match Language::of(component)? {
        Language::En => ByRow::new("lveval_rouge", |asked| telling_rouge(asked, Language::En)),
        Language::Zh => ByRow::new("lveval_rouge", |asked| telling_rouge(asked, Language::Zh)),
    };
    Ok(Box::new(by_row.called("LVEval_rouge")))
}

fn first_f1(asked: &Asked<'_>, language: Language) -> Result<Grade, EvaluateError> {
    let words = |text: &str| words(asked, language, text);
    let prediction = asked.prediction()?;
    Ok(Grade::share(match asked.references()?.first() {
        None => 0.0,
        Some(reference) => f1(&words(prediction)?, &words(reference)?),
    }))
}

fn gated_f1(asked: &Asked<'_>, language: Language) -> Result<Grade, EvaluateError> {
    let words = |text: &str| words(asked, language, text);
    let prediction = words(asked.prediction()?)?;
    let references = asked.some_references()?;
    let first = references.first().map(String::as_str).unwrap_or_default();
    let keywords = match (references.last().map(String::as_str), language) {
        (Some("") | None, Language::En) => Vec::new(),
        (Some("") | None, Language::Zh) => words(first)?,
        (Some(keywords), _) => words(keywords)?,
    };
    let (fillers, least) = match language {
        Language::En => (ENGLISH_FILLERS, 0.2),
        Language::Zh => (CHINESE_FILLERS, 0.4),
    };
    // Keywords that are no words cannot be missing; the original divides by their number.
    let is_enough = keywords.is_empty() || recall(&prediction, &keywords, fillers) >= least;
    Ok(Grade::share(if is_enough { f1(&prediction, &words(first)?) } else { 0.0 }))
}

/// The share of the keywords that the prediction has and that are no fillers.
fn recall(prediction: &[String], keywords: &[String], fillers: &[&str]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in prediction.iter().filter(|word| !fillers.contains(&word.as_str())) {
        *left.entry(word).or_default() += 1;
    }
    let mut common = 0_usize;
    for word in keywords {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    common as f64 / keywords.len() as f64
}

fn telling_rouge(asked: &Asked<'_>, language: Language) -> Result<Grade, EvaluateError> {
    let fillers = match language {
        Language::En => ENGLISH_FILLERS,
        Language::Zh => CHINESE_FILLERS,
    };
    let telling = |text: &str| {
        let pieces = match language {
            Language::En => english_words(text),
            Language::Zh => chinese_pieces(text),
        };
        let kept: Vec<String> = pieces
            .map_err(|error| asked.failed(error))?
            .into_iter()
            .filter(|word| !fillers.contains(&word.as_str()))
            .collect();
        Ok::<_, EvaluateError>(kept.join(" "))
    };
    let prediction = asked.prediction()?;
    Ok(Grade::share(match asked.references()?.first() {
        None => 0.0,
        Some(reference) => rouge_l(&telling(prediction)?, &telling(reference)?).unwrap_or(0.0),
    }))
}

fn words(asked: &Asked<'_>, language: Language, text: &str) -> Result<Vec<String>, EvaluateError> {
    language.words(text).map_err(|error: PatternError| asked.failed(error))
}
