//! Replies whose first letter, or tag, says right or wrong.

use serde::Deserialize;
use serde_json::{Map, json};

use super::{
    Judged,
    rules::{self, JudgeRule},
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Metric, Results, Scores, Unit},
};

/// Reads a letter of a reply, as OpenCompass does: the first place where one of the tags stands.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    right: String,
    wrong: String,
    figures: Figures,
}

/// Which figures a rule gives.
#[derive(Clone, Debug)]
enum Figures {
    /// The share of all, called so, and counts; whether F1 is among them.
    Counted { metric: String, has_f1: bool },
    /// `SimpleQA`'s: a third letter, C, says not attempted, and so does a reply without any.
    SimpleQa,
    /// The same without the share of all.
    OfAttempted,
    /// Chinese `SimpleQA`'s: shares from 0 to 1 of the three letters.
    ChineseSimpleQa,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tagged {
    true_tag: Option<String>,
    false_tag: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Academic {
    metric_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

/// How a reply was understood.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grade {
    Right,
    Wrong,
    Neither,
}

impl Letters {
    fn new(figures: Figures) -> Self {
        Self { right: "A".to_owned(), wrong: "B".to_owned(), figures }
    }

    /// Reads `true_tag` and `false_tag`; A and B without them.
    pub(super) fn tagged(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        let Tagged { true_tag, false_tag } = component.read()?;
        let figures = Figures::Counted { metric: "accuracy".to_owned(), has_f1: true };
        let plain = Self::new(figures);
        Ok(Box::new(Self {
            right: true_tag.unwrap_or(plain.right),
            wrong: false_tag.unwrap_or(plain.wrong),
            figures: plain.figures,
        }))
    }

    /// Reads `metric_name`, what the share of all is called.
    pub(super) fn academic(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        let Academic { metric_name } = component.read()?;
        let metric = metric_name.unwrap_or_else(|| "accuracy".to_owned());
        Ok(Box::new(Self::new(Figures::Counted { metric, has_f1: false })))
    }

    /// `SimpleQA`'s figures.
    pub(super) fn simple_qa(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        component.read::<NoParameters>()?;
        Ok(Box::new(Self::new(Figures::SimpleQa)))
    }

    /// `LiveReasonBench`'s figures.
    pub(super) fn of_attempted(component: &Component) -> Result<Box<dyn JudgeRule>, ConfigError> {
        component.read::<NoParameters>()?;
        Ok(Box::new(Self::new(Figures::OfAttempted)))
    }

    /// Chinese `SimpleQA`'s figures.
    pub(super) fn chinese_simple_qa(
        component: &Component,
    ) -> Result<Box<dyn JudgeRule>, ConfigError> {
        component.read::<NoParameters>()?;
        Ok(Box::new(Self::new(Figures::ChineseSimpleQa)))
    }

    fn grade(&self, reply: &str) -> Grade {
        // The tag that stands first; of two at one place, the right one.
        let (right, wrong) = (reply.find(&self.right), reply.find(&self.wrong));
        let third = match self.figures {
            Figures::Counted { .. } => None,
            Figures::SimpleQa | Figures::OfAttempted | Figures::ChineseSimpleQa => reply.find('C'),
        };
        let first = [right, wrong, third].into_iter().flatten().min();
        match first {
            None => Grade::Neither,
            _ if right == first => Grade::Right,
            _ if wrong == first => Grade::Wrong,
            _ => Grade::Neither,
        }
    }
}

/// Whether the first A or B of a reply is an A; without either it is not.
pub(super) fn first_is_right(reply: &str) -> bool {
    reply.find(['A', 'B']).is_some_and(|at| reply[at..].starts_with('A'))
}

impl JudgeRule for Letters {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let grades: Vec<Grade> = judged.iter().map(|one| self.grade(&one.text())).collect();
        let count = |wanted: Grade| grades.iter().filter(|grade| **grade == wanted).count();
        let (all, right, wrong) = (grades.len(), count(Grade::Right), count(Grade::Wrong));
        let share = |part: usize, whole: usize| {
            if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
        };
        let (of_all, of_attempted) = (share(right, all), share(right, right + wrong));
        let sum = of_attempted + of_all;
        let f1 = if sum > 0.0 { 2.0 * of_attempted * of_all / sum } else { 0.0 };
        let shares = |name: &str, is: &dyn Fn(Grade) -> bool| {
            let are: Vec<bool> = grades.iter().map(|grade| is(*grade)).collect();
            Metric::of_shares(name, &are)
        };
        let is_right = |grade: Grade| grade == Grade::Right;
        let mut beside = Map::new();
        let given = format!("{}_given_attempted", self.metric());
        let mut samples = all;
        let metrics = match &self.figures {
            Figures::Counted { metric, has_f1 } => {
                beside.insert(given, json!(100.0 * of_attempted));
                if *has_f1 {
                    beside.insert("f1".to_owned(), json!(f1));
                }
                let neither = all - right - wrong;
                let counts = [("correct", right), ("incorrect", wrong), ("not_attempted", neither)];
                for (name, number) in counts {
                    beside.insert(format!("{name}_count"), json!(number));
                }
                let attempted = shares("attempted_ratio", &|grade| grade != Grade::Neither);
                vec![shares(metric, &is_right), attempted]
            }
            Figures::SimpleQa => {
                beside.insert(given, json!(100.0 * of_attempted));
                beside.insert("f1".to_owned(), json!(f1));
                vec![shares("accuracy", &is_right)]
            }
            Figures::ChineseSimpleQa => {
                beside.insert("given_attempted_accuracy".to_owned(), json!(of_attempted));
                beside.insert("F1".to_owned(), json!(f1));
                let share = |name: &str, wanted: Grade| {
                    let is_it = |grade: &Grade| f64::from(u8::from(*grade == wanted));
                    let own: Vec<f64> = grades.iter().map(is_it).collect();
                    let mut metric = Metric::of_numbers(name, Unit::Number, own);
                    metric.value = if all == 0 { 0.0 } else { metric.value };
                    metric
                };
                let figures = [
                    ("correct", Grade::Right),
                    ("incorrect", Grade::Wrong),
                    ("not_attempted", Grade::Neither),
                ];
                figures.map(|(name, wanted)| share(name, wanted)).to_vec()
            }
            Figures::OfAttempted => {
                beside.insert("f1".to_owned(), json!(f1));
                let attempted: Vec<bool> = grades
                    .iter()
                    .filter(|grade| **grade != Grade::Neither)
                    .map(|grade| is_right(*grade))
                    .collect();
                samples = attempted.len();
                let mut metric = Metric::of_shares(&given, &attempted);
                metric.value = 100.0 * of_attempted;
                metric.scores = grades
                    .iter()
                    .map(|grade| match grade {
                        Grade::Right => 1.0,
                        Grade::Wrong => 0.0,
                        Grade::Neither => f64::NAN,
                    })
                    .collect();
                vec![metric]
            }
        };
        let details = Some(rules::replies(judged));
        Ok(Results { scores: Scores { metrics, samples, details }, beside })
    }
}

impl Letters {
    /// What the share of all is called.
    fn metric(&self) -> &str {
        match &self.figures {
            Figures::Counted { metric, .. } => metric,
            Figures::SimpleQa | Figures::OfAttempted | Figures::ChineseSimpleQa => "accuracy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tag_counts() {
        let letters = Letters::new(Figures::Counted { metric: String::new(), has_f1: false });
        for (reply, expected) in [("B then A", Grade::Wrong), ("xA B", Grade::Right)] {
            assert!(letters.grade(reply) == expected, "{reply}");
        }
        assert!(letters.grade("C") == Grade::Neither);
        let simple = Letters::new(Figures::SimpleQa);
        assert!(simple.grade("C, not A") == Grade::Neither);
        assert!(!first_is_right("no letter") && first_is_right("the Answer"));
    }
}
