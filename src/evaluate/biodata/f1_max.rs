//! The best F1 that any threshold gives, as protein models are measured: precision and recall are means over the
//! samples. Where all scores are 1 or 0 the labels of one score are taken one by one, in their order.

/// What keeps a harmonic mean of nothing from being undefined.
const NOTHING: f32 = 1e-10;

/// A sample: for each label, whether it is given and whether it is meant.
pub(super) type Labels = Vec<(bool, bool)>;

/// A label at its place in a sample's order.
struct Step {
    is_given: bool,
    /// The label's place in the sample.
    label: usize,
    is_first: bool,
    /// How much the sample's precision and recall grow with it.
    precision: f32,
    recall: f32,
}

/// From 0 to 1; 0 without samples. The numbers are single ones, added as doubles, as the original's library has them.
pub(super) fn f1_max(samples: &[Labels]) -> f64 {
    let mut steps: Vec<(usize, Step)> = Vec::new();
    for (sample, labels) in samples.iter().enumerate() {
        steps.extend(steps_of(labels).into_iter().map(|step| (sample, step)));
    }
    steps.sort_by_key(|(sample, step)| (!step.is_given, *sample, step.label));
    let (mut begun, mut precision, mut recall) = (0_u32, 0.0_f64, 0.0_f64);
    let mut best = 0.0_f32;
    for (_, step) in &steps {
        begun += u32::from(step.is_first);
        precision += f64::from(step.precision);
        recall += f64::from(step.recall);
        let precision = precision as f32 / begun as f32;
        let recall = recall as f32 / samples.len() as f32;
        best = best.max(2.0 * precision * recall / (precision + recall + NOTHING));
    }
    f64::from(best)
}

/// The labels of a sample, those that are given first.
fn steps_of(labels: &Labels) -> Vec<Step> {
    let meant = labels.iter().filter(|(_, is_meant)| *is_meant).count() as f32 + NOTHING;
    let places = || labels.iter().enumerate();
    let given = places().filter(|(_, (is_given, _))| *is_given);
    let others = places().filter(|(_, (is_given, _))| !is_given);
    let (mut found, mut before) = (0.0_f32, (0.0_f32, 0.0_f32));
    let step = |(rank, (label, (is_given, is_meant))): (usize, (usize, &(bool, bool)))| {
        found += f32::from(u8::from(*is_meant));
        let (precision, recall) = (found / (rank + 1) as f32, found / meant);
        let step = Step {
            is_given: *is_given,
            label,
            is_first: rank == 0,
            precision: precision - before.0,
            recall: recall - before.1,
        };
        before = (precision, recall);
        step
    };
    given.chain(others).enumerate().map(step).collect()
}
