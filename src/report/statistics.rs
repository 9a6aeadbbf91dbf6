//! What an engine has done, in a line.

use super::{grouped, memory};
use crate::engine::EngineStatistics;

/// How much `name` was asked, how much of that had to be computed, and the memory it took.
pub fn statistics_line(name: &str, statistics: &EngineStatistics) -> String {
    let EngineStatistics { computed_tokens, scored_tokens, generated_tokens, batches, .. } =
        *statistics;
    let mut parts = vec![format!(
        "{name}: {} of {} tokens computed ({:.1}× saved) in {} passes",
        grouped(computed_tokens),
        grouped(statistics.nominal_tokens + generated_tokens),
        statistics.saving(),
        grouped(batches),
    )];
    let counts = [(scored_tokens, "scored"), (generated_tokens, "generated")];
    let counted = counts.into_iter().filter(|(count, _)| *count > 0);
    parts.extend(counted.map(|(count, what)| format!("{} {what}", grouped(count))));
    let kept = memory(statistics.peak_kv_bytes);
    format!("{}; keys and values took up to {kept}", parts.join(", "))
}

/// How much of a run's questions was known, in a line.
pub fn reuse_line(questions: usize, reused_questions: usize, computed_tokens: usize) -> String {
    format!(
        "{} of {} answers were known; {} tokens computed",
        grouped(reused_questions),
        grouped(questions),
        grouped(computed_tokens)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_was_saved() {
        let statistics = EngineStatistics {
            nominal_tokens: 581_888,
            computed_tokens: 22_344,
            scored_tokens: 800,
            generated_tokens: 0,
            batches: 11,
            peak_kv_bytes: 12 << 20,
            forgotten_blocks: 0,
        };
        assert_eq!(
            statistics_line("small", &statistics),
            "small: 22,344 of 581,888 tokens computed (26.0× saved) in 11 passes, 800 scored; \
             keys and values took up to 12.0 MiB"
        );
    }
}
