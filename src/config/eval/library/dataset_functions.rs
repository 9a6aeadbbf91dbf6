//! `Dataset.filter` and `Dataset.map`: a function for every row.

use std::rc::Rc;

use serde_json::Value;

use super::{Dataset, Native, column_types::unify_columns, dataset::Row};
use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot},
};

impl Interpreter {
    pub(super) fn filter_rows(
        &mut self,
        dataset: &Rc<Dataset>,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        let keyword = arguments.keyword("function");
        let test = if let Some(test) = keyword {
            test
        } else {
            let [test] = arguments.exactly()?;
            test
        };
        let mut rows = Vec::new();
        for row in &dataset.rows {
            let passes = self.in_region(|this| {
                let slot = Slot { object: this.row_object(row, place)?, place };
                let passes = this.call_with(&test, vec![slot], place)?;
                this.truth(&passes)
            })?;
            if passes {
                rows.push(row.clone());
            }
        }
        Ok(Native::Dataset(Rc::new(Dataset { columns: dataset.columns.clone(), rows })).object())
    }

    pub(super) fn map_rows(
        &mut self,
        dataset: &Rc<Dataset>,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        let keyword = arguments.keyword("function");
        let removed = match arguments.keyword("remove_columns") {
            None | Some(Object::None) => Vec::new(),
            Some(names) => self.column_names(dataset, &names)?,
        };
        let numbered = match arguments.keyword("with_indices") {
            Some(flag) => self.truth(&flag)?,
            None => false,
        };
        let fixed: Vec<(Rc<str>, Slot)> = match arguments.keyword("fn_kwargs") {
            None | Some(Object::None) => Vec::new(),
            Some(Object::Dict(dict)) => {
                let entries = self.heap.dict(dict).entries.values();
                let entry = |entry: &crate::config::eval::container::DictEntry| match &entry.key {
                    Object::Str(name) => Some((Rc::clone(name), entry.value.clone())),
                    _ => None,
                };
                entries.filter_map(entry).collect()
            }
            Some(other) => {
                return Err(Failure::type_error(format!("fn_kwargs is a {}", other.kind())));
            }
        };
        if let Some((name, _)) = arguments.keywords.first() {
            return Err(Failure::unsupported(format_args!("`{name}` of Dataset.map()")));
        }
        let function = if let Some(function) = keyword {
            function
        } else {
            let [function] = arguments.exactly()?;
            function
        };
        let mut rows: Vec<Row> = Vec::with_capacity(dataset.rows.len());
        let mut columns: Option<Vec<String>> = None;
        for (at, row) in dataset.rows.iter().enumerate() {
            let made = self.in_region(|this| {
                let document = this.row_object(row, place)?;
                let mut positional = vec![Slot { object: document.clone(), place }];
                if numbered {
                    positional.push(Slot { object: Object::count(at), place });
                }
                let callee = "map".into();
                let given = Arguments { callee, positional, keywords: fixed.clone(), place };
                let made = this.call(&function, given)?;
                // What the function wrote into the row stays, whatever it gives back.
                let mut merged = match (this.json(&document)?, &made) {
                    (_, Object::None) => return Ok(None),
                    (Value::Object(merged), _) => merged,
                    _ => Row::new(),
                };
                merged.retain(|name, _| !removed.contains(name));
                match this.json(&made)? {
                    Value::Object(made) => merged.extend(made),
                    _ => {
                        return Err(Failure::type_error("the function of map() gives back a dict"));
                    }
                }
                Ok(Some(merged))
            })?;
            let Some(mut merged) = made else {
                if at == 0 {
                    return Ok(Native::Dataset(Rc::clone(dataset)).object());
                }
                return Err(Failure::unsupported(
                    "a function of map() that gives a dict for some rows only",
                ));
            };
            let order = columns.get_or_insert_with(|| {
                let known = dataset.columns.iter().filter(|name| merged.contains_key(*name));
                let new = merged.keys().filter(|name| !dataset.columns.contains(name));
                known.chain(new).cloned().collect()
            });
            if merged.len() != order.len() || !order.iter().all(|name| merged.contains_key(name)) {
                return Err(Failure::unsupported(
                    "a function of map() that makes other columns for other rows",
                ));
            }
            rows.push(
                order
                    .iter()
                    .map(|name| (name.clone(), merged.shift_remove(name).unwrap_or(Value::Null)))
                    .collect(),
            );
        }
        let columns = columns.unwrap_or_else(|| dataset.columns.clone());
        let mut made = Dataset { columns: columns.clone(), rows };
        unify_columns(&mut made, &columns)?;
        Ok(Native::Dataset(Rc::new(made)).object())
    }
}
