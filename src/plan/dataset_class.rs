//! Classes of data sets that read rows as they are.
//!
//! Most of OpenCompass's classes rewrite rows: they turn golds into letters, rotate options or join columns.
//! Without their code the rows are others, and so are the scores. Such a class is refused by name.

use crate::config::{ConfigError, Node};

/// A class whose rows are those of its files.
struct PlainClass {
    name: &'static str,
    /// The packages whose class of this name reads so. AISBench's `CustomDataset` renames columns and
    /// draws rows.
    packages: &'static [&'static str],
}

const PLAIN_CLASSES: &[PlainClass] = &[
    PlainClass { name: "CustomDataset", packages: &["opencompass"] },
    PlainClass { name: "HFDataset", packages: &["ais_bench", "opencompass"] },
    PlainClass { name: "JsonlDataset", packages: &["opencompass"] },
];

/// The class that makes numbers of cells in a CSV where it can, which are text here.
pub(super) const TYPED_CSV: &str = "HFDataset";

/// The name of the class that `type` gives, if it gives one; an error if it is none that reads rows as
/// they are.
pub(super) fn plain_class(named: Option<&Node>) -> Result<Option<&'static str>, ConfigError> {
    let Some(named) = named.filter(|named| !named.is_none()) else { return Ok(None) };
    let Some(path) = named.as_str() else {
        let what = format!("expected a class or its name, found {}", named.describe());
        return Err(ConfigError::at(&named.origin, what).under("type"));
    };
    let (package, name) = match path.rsplit_once('.') {
        Some((modules, name)) => (modules.split('.').next(), name),
        None => (None, path),
    };
    let is_meant = |class: &&PlainClass| {
        class.name == name && package.is_none_or(|package| class.packages.contains(&package))
    };
    PLAIN_CLASSES.iter().find(is_meant).map(|class| Some(class.name)).ok_or_else(|| {
        let known: Vec<&str> = PLAIN_CLASSES.iter().map(|class| class.name).collect();
        let what =
            format!("the loader class '{path}' is not built in, and it may rewrite the rows");
        ConfigError::at(&named.origin, what).under("type").with_hint(format!(
            "path='….jsonl' without type reads the rows as they are, and so do {} of opencompass",
            known.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn classes_that_read_plainly_are_accepted_and_others_refused_by_name() {
        let class = |json| plain_class(Some(&Node::from_json(&json))).map_err(|e| e.to_string());
        assert_eq!(plain_class(None).unwrap(), None);
        assert_eq!(class(json!(null)), Ok(None));
        assert_eq!(class(json!("opencompass.datasets.HFDataset")), Ok(Some("HFDataset")));
        assert_eq!(class(json!("CustomDataset")), Ok(Some("CustomDataset")));
        for name in [
            "opencompass.datasets.MMLUDataset",
            "opencompass.datasets.custom.CircularCustomDataset",
            "ais_bench.benchmark.datasets.CustomDataset",
            "mine.CustomDataset",
        ] {
            let error = class(json!(name)).unwrap_err();
            assert!(error.contains(name) && error.contains("without type"), "{error}");
        }
        assert!(class(json!(3)).unwrap_err().contains("expected a class"));
    }
}
