//! The predictions of other models that an entry gives, beside the rows that they answer.

use std::{io::ErrorKind, path::Path};

use serde_json::{Map, Value, json};

use crate::{
    dataset::{DatasetError, Sample},
    evaluate::judge::BASE_PREDICTIONS,
    plan::{BaseModel, ComparisonPlan},
    regular_file,
};

/// Puts the predictions of all models that the rows' answers are compared with beside the rows.
pub(super) fn join(
    plan: &ComparisonPlan,
    dataset: &str,
    rows: &mut [Sample],
) -> Result<(), DatasetError> {
    let mut columns = Vec::with_capacity(plan.bases.len());
    for base in &plan.bases {
        let file = base.file(dataset).ok_or_else(|| missing(base, dataset))?;
        let bytes = regular_file::read_whole(&file).map_err(|source| match source.kind() {
            ErrorKind::NotFound => missing(base, dataset),
            _ => DatasetError::Unreadable { path: file.clone(), source },
        })?;
        columns.push((base.abbr.as_str(), predictions(&file, &bytes, rows.len())?));
    }
    for (index, row) in rows.iter_mut().enumerate() {
        let answer = |(model, own): &(&str, Vec<Value>)| {
            own.get(index).map(|prediction| json!({"model": model, "prediction": prediction}))
        };
        row.set(BASE_PREDICTIONS, columns.iter().filter_map(answer).collect());
    }
    Ok(())
}

fn missing(BaseModel { abbr, written, .. }: &BaseModel, dataset: &str) -> DatasetError {
    let looked_for = match written {
        Some(folder) => format!("there is no {folder}/{dataset}.json"),
        None => "no given_pred names their folder".to_owned(),
    };
    DatasetError::Malformed {
        place: format!("data set {dataset}"),
        problem: format!(
            "its answers are compared with those of {abbr}, and {looked_for}; run {abbr} on this data set, and name the \
             folder of its predictions: given_pred=[dict(abbr='{abbr}', path='…/predictions/{abbr}')]"
        ),
    }
}

/// The predictions of a file, in the order of the rows.
fn predictions(file: &Path, bytes: &[u8], rows: usize) -> Result<Vec<Value>, DatasetError> {
    let malformed =
        |problem: String| DatasetError::Malformed { place: file.display().to_string(), problem };
    let entries: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|error| malformed(format!("this is no file of predictions: {error}")))?;
    if entries.len() != rows {
        let problem = format!("{} predictions for {rows} rows of the data set", entries.len());
        return Err(malformed(problem));
    }
    let prediction = |index: usize| {
        let found = entries.get(&index.to_string()).and_then(|entry| entry.get("prediction"));
        found.cloned().ok_or_else(|| malformed(format!("there is no prediction of row {index}")))
    };
    (0..rows).map(prediction).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn predictions_stand_beside_their_rows() {
        let folder = tempfile::tempdir().unwrap();
        let base = |folder: Option<&Path>| BaseModel {
            abbr: "big".to_owned(),
            written: folder.map(|folder| folder.display().to_string()),
            folder: folder.map(Path::to_owned),
        };
        let joined = |folder: Option<&Path>, count: usize| {
            let plan = ComparisonPlan { bases: vec![base(folder)] };
            let mut rows = vec![Sample::default(); count];
            join(&plan, "open", &mut rows).map(|()| rows).map_err(|error| error.to_string())
        };
        assert!(joined(None, 1).unwrap_err().contains("no given_pred names"));
        assert!(joined(Some(folder.path()), 1).unwrap_err().contains("there is no"));
        let text = json!({"0": {"prediction": "a"}, "1": {"prediction": "b"}}).to_string();
        fs::write(folder.path().join("open.json"), text).unwrap();
        assert!(joined(Some(folder.path()), 1).unwrap_err().contains("2 predictions for 1 rows"));
        let rows = joined(Some(folder.path()), 2).unwrap();
        let expected = json!([{"model": "big", "prediction": "b"}]);
        assert_eq!(rows[1].get(BASE_PREDICTIONS), Some(&expected));
    }
}
