//! BLEU, chrF and TER of a corpus: what is counted of each text, and the figure of all counts together.

use super::Statistic;
use crate::{
    tasks::value::TaskValue,
    translation::{BleuCounts, ChrfCounts, TerCounts},
};

/// A text and what it is compared with.
struct Translated<'a> {
    references: Vec<&'a str>,
    text: &'a str,
}

/// The texts of the values. Where references are several, as many count as every text has.
fn read(items: &[TaskValue]) -> Result<Vec<Translated<'_>>, String> {
    let first = items.first().and_then(TaskValue::list).and_then(<[TaskValue]>::first);
    let is_several = first.is_some_and(|references| references.list().is_some());
    let text = |item| {
        translated(item, is_several).ok_or_else(|| {
            let what = "a reference and a text are aggregated, and not";
            format!("{what} {}", item.python_repr())
        })
    };
    let mut read: Vec<Translated<'_>> = items.iter().map(text).collect::<Result<_, _>>()?;
    let fewest = read.iter().map(|one| one.references.len()).min().unwrap_or_default();
    if fewest == 0 {
        return Err("a text has no reference".to_owned());
    }
    for one in &mut read {
        one.references.truncate(fewest);
    }
    Ok(read)
}

fn translated(item: &TaskValue, is_several: bool) -> Option<Translated<'_>> {
    let [reference, text] = item.list()? else { return None };
    let references = match reference {
        TaskValue::List(references) if is_several => {
            references.iter().map(TaskValue::text).collect::<Option<_>>()?
        }
        TaskValue::Text(reference) if !is_several => vec![&**reference],
        _ => return None,
    };
    let text = match text.list() {
        Some([text]) => text.text()?,
        Some(_) => return None,
        None => text.text()?,
    };
    Some(Translated { references, text })
}

/// BLEU.
pub(super) struct Bleu(Vec<BleuCounts>);

impl Bleu {
    pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
        let counts = |one: &Translated<'_>| BleuCounts::of_texts(one.text, &one.references);
        Ok(Self(read(items)?.iter().map(counts).collect()))
    }
}

impl Statistic for Bleu {
    fn of(&self, places: &[usize]) -> Result<f64, String> {
        Ok(BleuCounts::of_corpus(places.iter().filter_map(|place| self.0.get(*place))))
    }
}

/// chrF, or with words chrF++.
pub(super) struct Chrf(Vec<ChrfCounts>);

impl Chrf {
    pub(super) fn of(items: &[TaskValue], words: usize) -> Result<Self, String> {
        let counts = |one: &Translated<'_>| ChrfCounts::of(one.text, &one.references, words);
        Ok(Self(read(items)?.iter().map(counts).collect()))
    }
}

impl Statistic for Chrf {
    fn of(&self, places: &[usize]) -> Result<f64, String> {
        Ok(ChrfCounts::of_corpus(places.iter().filter_map(|place| self.0.get(*place))))
    }
}

/// TER.
pub(super) struct Ter(Vec<TerCounts>);

impl Ter {
    pub(super) fn of(items: &[TaskValue]) -> Result<Self, String> {
        let counts = |one: &Translated<'_>| TerCounts::of(one.text, &one.references);
        Ok(Self(read(items)?.iter().map(counts).collect()))
    }
}

impl Statistic for Ter {
    fn of(&self, places: &[usize]) -> Result<f64, String> {
        Ok(TerCounts::of_corpus(places.iter().filter_map(|place| self.0.get(*place))))
    }
}
