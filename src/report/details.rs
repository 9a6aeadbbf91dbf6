//! `summary/details`: what OpenCompass's summary has no place for. Every figure with the number of
//! samples, its standard error and its 95 % interval.

use serde_json::{Value, json};

use super::{FamilyRow, ReportError, ResultRow};

/// The columns of `details.csv`.
const COLUMNS: [&str; 12] = [
    "model",
    "dataset",
    "mode",
    "metric",
    "n",
    "failed",
    "value",
    "unit",
    "standard_error",
    "interval_low",
    "interval_high",
    "perplexity",
];

/// `details.csv`: a line for each model, data set and metric. What is unknown is empty.
///
/// Numbers are written with as many digits as it takes to read the same number back.
pub fn details_csv(rows: &[ResultRow]) -> Result<String, ReportError> {
    let unwritable = |error: &dyn std::fmt::Display| ReportError::Details(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(|error| unwritable(&error))?;
    let number = |number: Option<f64>| {
        number.filter(|number| number.is_finite()).map_or_else(String::new, |it| it.to_string())
    };
    for row in rows {
        let record = [
            row.model.clone(),
            row.dataset.clone(),
            row.mode.clone(),
            row.metric.clone(),
            row.samples.to_string(),
            row.failed.to_string(),
            number(Some(row.value)),
            row.unit.to_string(),
            number(row.standard_error),
            number(row.interval_low),
            number(row.interval_high),
            number(row.perplexity),
        ];
        writer.write_record(record).map_err(|error| unwritable(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| unwritable(&error))?;
    String::from_utf8(bytes).map_err(|error| unwritable(&error))
}

/// `details.json`: the same under `results`, and beside it families of data sets under `families`.
pub fn details_json(rows: &[ResultRow], families: &[FamilyRow]) -> Result<String, ReportError> {
    let results: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "model": row.model,
                "dataset": row.dataset,
                "mode": row.mode,
                "metric": row.metric,
                "n": row.samples,
                "failed": row.failed,
                "value": row.value,
                "unit": row.unit.to_string(),
                "standard_error": row.standard_error,
                "interval_low": row.interval_low,
                "interval_high": row.interval_high,
                "perplexity": row.perplexity,
            })
        })
        .collect();
    serde_json::to_string_pretty(&json!({"results": results, "families": families}))
        .map(|text| text + "\n")
        .map_err(|error| ReportError::Details(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Unit;

    #[test]
    fn names_are_quoted_and_the_unknown_is_empty() {
        let row = ResultRow {
            dataset: "a,\"b\"".to_owned(),
            model: "m".to_owned(),
            mode: "ppl".to_owned(),
            metric: "average_ppl".to_owned(),
            value: 0.1,
            standard_error: None,
            interval_low: None,
            interval_high: None,
            unit: Unit::NatsPerToken,
            perplexity: Some(0.1f64.exp()),
            samples: 1,
            failed: 0,
        };
        let nothing = ResultRow { value: f64::NAN, samples: 0, perplexity: None, ..row.clone() };
        let expected = "\
model,dataset,mode,metric,n,failed,value,unit,standard_error,interval_low,interval_high,perplexity
m,\"a,\"\"b\"\"\",ppl,average_ppl,1,0,0.1,nats/token,,,,1.1051709180756477
m,\"a,\"\"b\"\"\",ppl,average_ppl,0,0,,nats/token,,,,
";
        assert_eq!(details_csv(&[row.clone(), nothing.clone()]).unwrap(), expected);
        let json: Value =
            serde_json::from_str(&details_json(&[row, nothing], &[]).unwrap()).unwrap();
        assert_eq!(json["results"][0]["perplexity"], 0.1f64.exp());
        assert_eq!(json["results"][1]["value"], Value::Null);
    }
}
