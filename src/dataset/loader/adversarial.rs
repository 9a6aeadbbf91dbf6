//! Adversarial GLUE: sentences that were changed to mislead, and those that they come from.

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    file::document,
    row::{Fields, Flaw, Row, object},
};
use crate::dataset::DatasetError;
use crate::python::is_truthy;

/// Attacks on sentences, with the sentences as they were below them.
macro_rules! adversarial {
    ($subset:expr, $columns:expr) => {
        own(&["path"], |arguments| attacked(arguments, $subset, $columns))
    };
}

pub(super) const ADV_SST2: ClassForm = adversarial!("sst2", &["sentence"]);
pub(super) const ADV_QQP: ClassForm = adversarial!("qqp", &["question1", "question2"]);
pub(super) const ADV_MNLI: ClassForm = adversarial!("mnli", &["premise", "hypothesis"]);
pub(super) const ADV_MNLI_MM: ClassForm = adversarial!("mnli-mm", &["premise", "hypothesis"]);
pub(super) const ADV_QNLI: ClassForm = adversarial!("qnli", &["question", "sentence"]);
pub(super) const ADV_RTE: ClassForm = adversarial!("rte", &["sentence1", "sentence2"]);

fn attacked(
    arguments: &Arguments<'_>,
    subset: &str,
    columns: &[&str],
) -> Result<Tables, DatasetError> {
    let document = document(&arguments.path("path")?)?;
    let rows = document.make(|value| {
        let items = value.list(subset)?;
        let mut names: Vec<String> = match items.first() {
            Some(first) => object(first)?.keys().cloned().collect(),
            None => return Flaw::new(format!("`{subset}` is empty")),
        };
        let originals: Vec<String> =
            columns.iter().map(|name| format!("original_{name}")).collect();
        names.extend(
            originals.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>(),
        );
        let (mut attacks, mut sources) = (Vec::new(), Vec::new());
        for item in items {
            let cell = |name: &String| (name.clone(), item.get(name).cloned().unwrap_or_default());
            let attack: Row = names.iter().map(cell).collect();
            let is_there = |name: &&String| attack.get(*name).is_some_and(is_truthy);
            if !originals.iter().any(|name| is_there(&name)) {
                continue;
            }
            let mut source = attack.clone();
            for (column, original) in
                columns.iter().zip(&originals).filter(|(_, name)| is_there(name))
            {
                source.insert((*column).to_owned(), attack.at(original)?.clone());
                source.insert("type".to_owned(), "original".into());
            }
            attacks.push(attack);
            sources.push(source);
        }
        attacks.append(&mut sources);
        for row in &mut attacks {
            let letter =
                u32::try_from(row.whole("label")?.saturating_add(65)).ok().and_then(char::from_u32);
            let letter =
                letter.ok_or_else(|| Flaw("`label` is no number of an option".to_owned()))?;
            row.insert("label_option".to_owned(), letter.to_string().into());
        }
        Ok(attacks)
    })?;
    Ok(Tables::Single(rows))
}
