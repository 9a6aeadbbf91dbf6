//! Answers that no option is. The figure counts them as wrong, and lm-eval warns of each.

use super::{
    OutputType, RequestOptions, TaskPlan, asking::Asking, field::Row, scoring::gold,
    value::TaskValue,
};

/// Metrics of a task's own make something else of the target.
const OWN_METRICS: &str = "process_results";

impl TaskPlan {
    /// The target of a document, as Python writes it, and how many options there are, where it is none of them. Nothing is said of
    /// a document that cannot be asked, or whose answers a function of the task judges.
    pub fn unreachable_answer(&self, row: &Row) -> Option<(String, usize)> {
        let is_own = self.written(OWN_METRICS).is_some_and(|own| !own.is_null());
        if self.output_type != OutputType::MultipleChoice || is_own {
            return None;
        }
        let options = RequestOptions::default();
        let asking = Asking::new(self, row, &options).ok()?;
        let found = gold(&asking, self, &mut row.clone()).ok()?;
        let choices = found.choices?;
        let is_option = |target: &TaskValue| match target {
            TaskValue::Text(text) => choices.contains(text),
            target => target.whole().is_none_or(|own| (0..choices.len() as i128).contains(&own)),
        };
        let is_reachable = match &found.target {
            TaskValue::List(targets) => targets.iter().all(is_option),
            target => is_option(target),
        };
        (!is_reachable).then(|| (found.target.python_repr(), choices.len()))
    }
}
