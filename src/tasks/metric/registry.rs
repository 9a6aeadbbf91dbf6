//! The metrics that lm-eval knows by name.

use crate::{
    registry::{Registration, Registry},
    tasks::aggregation::Aggregation,
};

/// What lm-eval takes for granted of a metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricDefaults {
    /// How the values of documents become one.
    pub aggregation: Aggregation,
    /// Whether more is better.
    pub higher_is_better: bool,
}

const fn more(aggregation: Aggregation) -> MetricDefaults {
    MetricDefaults { aggregation, higher_is_better: true }
}

const fn less(aggregation: Aggregation) -> MetricDefaults {
    MetricDefaults { aggregation, higher_is_better: false }
}

/// All metrics.
pub const METRICS: Registry<MetricDefaults> = Registry {
    kind: "metric",
    registrations: &[
        Registration::new(
            "acc",
            &[],
            "whether the likeliest option is right, or the text the likeliest",
            more(Aggregation::Mean),
        ),
        Registration::new(
            "acc_all",
            &[],
            "a name that lm-eval measures nothing by",
            more(Aggregation::Mean),
        ),
        Registration::new(
            "acc_bytes",
            &[],
            "acc, by the likelihood for each byte",
            more(Aggregation::Mean),
        ),
        Registration::new(
            "acc_mutual_info",
            &[],
            "acc, by what the question adds to the likelihood",
            more(Aggregation::Mean),
        ),
        Registration::new(
            "acc_norm",
            &[],
            "acc, by the likelihood for each letter",
            more(Aggregation::Mean),
        ),
        Registration::new(
            "bits_per_byte",
            &[],
            "bits that each byte of a document takes",
            less(Aggregation::BitsPerByte),
        ),
        Registration::new("bleu", &[], "BLEU of a corpus", more(Aggregation::Bleu)),
        Registration::new(
            "brier_score",
            &[],
            "squared error of the options' probabilities",
            less(Aggregation::BrierScore),
        ),
        Registration::new(
            "bypass",
            &[],
            "nothing: answers are only kept",
            more(Aggregation::Bypass),
        ),
        Registration::new(
            "byte_perplexity",
            &[],
            "perplexity of a document for each byte",
            less(Aggregation::WeightedPerplexity),
        ),
        Registration::new("chrf", &[], "chrF of a corpus", more(Aggregation::Chrf)),
        Registration::new("chrf++", &[], "chrF++ of a corpus", more(Aggregation::ChrfPlusPlus)),
        Registration::new(
            "exact_match",
            &[],
            "whether a text is the target, or an option the likeliest text",
            more(Aggregation::Mean),
        ),
        Registration::new("f1", &[], "F1 of the options chosen", more(Aggregation::F1)),
        Registration::new("likelihood", &[], "the options' likelihoods", more(Aggregation::Mean)),
        Registration::new(
            "mcc",
            &[],
            "Matthews' correlation of the options chosen",
            more(Aggregation::MatthewsCorrcoef),
        ),
        Registration::new(
            "perplexity",
            &[],
            "perplexity of the target",
            less(Aggregation::Perplexity),
        ),
        Registration::new("ter", &[], "translation edit rate of a corpus", less(Aggregation::Ter)),
        Registration::new(
            "word_perplexity",
            &[],
            "perplexity of a document for each word",
            less(Aggregation::WeightedPerplexity),
        ),
    ],
};
