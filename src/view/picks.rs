//! What somebody wants to look at.

use crate::registry::Pattern;

/// Which samples of which data sets under which models.
#[derive(Clone, Debug, Default)]
pub struct ViewPicks {
    /// Only data sets of such a name.
    pub dataset: Option<Pattern>,
    /// Only models of such a name.
    pub model: Option<Pattern>,
    /// Only this test sample; `None` for all.
    pub sample: Option<usize>,
    /// Only the candidate with this label.
    pub label: Option<String>,
}
