//! `datasets.Dataset`: rows with columns, as `process_docs` goes through them.
//!
//! A column that a function makes gets one type for all its rows, as in Arrow: whole numbers beside floats become floats, the
//! fields of records are those of all records, and what has no type in common is an error.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::{Native, column_types::unify_columns, text_of};
use crate::{
    config::eval::{
        Interpreter,
        call::Arguments,
        failure::{Eval, Failure},
        object::{Object, Slot, SourceLine},
        subscript::position,
    },
    python::NumpyGenerator,
};

/// Methods of a data set.
pub(super) const METHODS: &[&str] = &[
    "add_column",
    "filter",
    "flatten_indices",
    "map",
    "remove_columns",
    "rename_column",
    "rename_columns",
    "select",
    "select_columns",
    "shuffle",
    "to_list",
    "unique",
];

/// Arguments of `map` and `filter` that change how fast they are, and nothing else.
const OF_SPEED: &[&str] =
    &["cache_file_name", "desc", "keep_in_memory", "load_from_cache_file", "num_proc"];

/// A row: its columns in their order.
pub(in crate::config) type Row = Map<String, Value>;

/// Rows of the same columns.
#[derive(Clone, Debug, Default)]
pub(in crate::config) struct Dataset {
    pub(in crate::config) columns: Vec<String>,
    pub(in crate::config) rows: Vec<Row>,
}

impl Dataset {
    /// Rows that come from outside; the columns are those of the first.
    pub(in crate::config) fn new(rows: Vec<Row>) -> Self {
        let columns = rows.first().map(|row| row.keys().cloned().collect()).unwrap_or_default();
        Self { columns, rows }
    }

    fn object(self) -> Object {
        Native::Dataset(Rc::new(self)).object()
    }

    /// An attribute that is no method.
    pub(super) fn attribute(&self, it: &mut Interpreter, name: &str) -> Eval<Option<Object>> {
        let place = SourceLine::default();
        Ok(match name {
            "num_rows" => Some(Object::count(self.rows.len())),
            "column_names" => {
                let names = self.columns.iter();
                let slots = names.map(|name| Slot { object: Object::text(name), place }).collect();
                Some(it.heap.new_list(slots, place)?)
            }
            _ => None,
        })
    }

    /// `dataset[index]`: a row, or a column.
    pub(super) fn item(
        &self,
        it: &mut Interpreter,
        index: &Object,
        place: SourceLine,
    ) -> Eval<Object> {
        if let Object::Str(name) = index {
            if !self.columns.iter().any(|column| **column == **name) {
                return Err(Failure::raised(
                    "KeyError",
                    format!("Column {name} not in the dataset"),
                ));
            }
            let mut slots = Vec::with_capacity(self.rows.len());
            for row in &self.rows {
                let value = row.get(&**name).unwrap_or(&Value::Null);
                slots.push(Slot { object: it.json_object(value, place)?, place });
            }
            return it.heap.new_list(slots, place);
        }
        let at = position(index, self.rows.len(), "dataset")?;
        match self.rows.get(at) {
            Some(row) => it.row_object(row, place),
            None => Ok(Object::None),
        }
    }
}

impl Interpreter {
    /// A row as a dict.
    pub(in crate::config::eval) fn row_object(
        &mut self,
        row: &Row,
        place: SourceLine,
    ) -> Eval<Object> {
        let dict = self.heap.new_dict(place)?;
        for (name, value) in row {
            let key = self.heap.new_text(&**name)?;
            let slot = Slot { object: self.json_object(value, place)?, place };
            self.heap.insert(dict, key, slot)?;
        }
        Ok(Object::Dict(dict))
    }

    /// `datasets.Dataset.from_list(rows)`.
    pub(super) fn dataset_from_list(&mut self, arguments: Arguments) -> Eval<Object> {
        let place = arguments.place;
        let [values] = arguments.exactly()?;
        let mut rows = Vec::new();
        for slot in self.collect(&values, place)? {
            match self.json(&slot.object)? {
                Value::Object(row) => rows.push(row),
                _ => return Err(Failure::type_error("from_list() needs dicts")),
            }
        }
        // As in the original, the columns are those of the first row.
        let Dataset { columns, rows } = Dataset::new(rows);
        let rows = rows.into_iter().map(|mut row: Row| {
            columns
                .iter()
                .map(|name| (name.clone(), row.shift_remove(name).unwrap_or(Value::Null)))
                .collect()
        });
        let mut made = Dataset { rows: rows.collect(), columns: columns.clone() };
        unify_columns(&mut made, &columns)?;
        Ok(made.object())
    }

    /// `datasets.Dataset.from_dict(columns)`.
    pub(super) fn dataset_from_dict(&mut self, arguments: Arguments) -> Eval<Object> {
        let [values] = arguments.exactly()?;
        let Value::Object(given) = self.json(&values)? else {
            return Err(Failure::type_error("from_dict() needs a dict"));
        };
        let count = given.values().next().and_then(Value::as_array).map_or(0, Vec::len);
        let mut rows = vec![Row::new(); count];
        for (name, values) in &given {
            let Some(values) = values.as_array().filter(|values| values.len() == count) else {
                return Err(Failure::value_error("columns of from_dict() are lists of one length"));
            };
            for (row, value) in rows.iter_mut().zip(values) {
                row.insert(name.clone(), value.clone());
            }
        }
        let columns: Vec<String> = given.keys().cloned().collect();
        let mut made = Dataset { columns: columns.clone(), rows };
        unify_columns(&mut made, &columns)?;
        Ok(made.object())
    }

    /// `dataset.name(…)`.
    pub(super) fn dataset_method(
        &mut self,
        dataset: &Rc<Dataset>,
        name: &str,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        if matches!(name, "map" | "filter") {
            arguments.keywords.retain(|(keyword, _)| !OF_SPEED.contains(&&**keyword));
        }
        match name {
            "filter" => self.filter_rows(dataset, arguments),
            "map" => self.map_rows(dataset, arguments),
            "flatten_indices" => {
                let [] = arguments.exactly()?;
                Ok(Native::Dataset(Rc::clone(dataset)).object())
            }
            "select" => {
                let [indices] = arguments.exactly()?;
                let mut rows = Vec::new();
                for slot in self.collect(&indices, place)? {
                    let at = position(&slot.object, dataset.rows.len(), "dataset")?;
                    rows.extend(dataset.rows.get(at).cloned());
                }
                Ok(Dataset { columns: dataset.columns.clone(), rows }.object())
            }
            "shuffle" => {
                let keyword = arguments.keyword("seed");
                let [seed] = arguments.between(0)?;
                let seed = keyword.or(seed).and_then(|seed| seed.as_int());
                let Some(seed) = seed.and_then(|seed| u64::try_from(seed).ok()) else {
                    return Err(Failure::unsupported(
                        "shuffle() without a seed: its order is another one each time",
                    ));
                };
                let order = NumpyGenerator::from_seed(seed).permutation(dataset.rows.len());
                let rows =
                    order.into_iter().filter_map(|at| dataset.rows.get(at).cloned()).collect();
                Ok(Dataset { columns: dataset.columns.clone(), rows }.object())
            }
            "to_list" => {
                let [] = arguments.exactly()?;
                let mut slots = Vec::with_capacity(dataset.rows.len());
                for row in &dataset.rows {
                    slots.push(Slot { object: self.row_object(row, place)?, place });
                }
                self.heap.new_list(slots, place)
            }
            "unique" => {
                let [column] = arguments.exactly()?;
                let column = dataset.item(self, &column, place)?;
                let mut slots: Vec<Slot> = Vec::new();
                let mut seen = std::collections::HashSet::new();
                for slot in self.collect(&column, place)? {
                    if seen.insert(self.heap.key(&slot.object)?) {
                        slots.push(slot);
                    }
                }
                self.heap.new_list(slots, place)
            }
            "remove_columns" | "select_columns" => {
                let keyword = arguments.keyword("column_names");
                let names = if let Some(names) = keyword {
                    names
                } else {
                    let [names] = arguments.exactly()?;
                    names
                };
                let names = self.column_names(dataset, &names)?;
                let columns: Vec<String> = if name == "select_columns" {
                    names
                } else {
                    dataset
                        .columns
                        .iter()
                        .filter(|column| !names.contains(column))
                        .cloned()
                        .collect()
                };
                let row = |row: &Row| {
                    columns
                        .iter()
                        .filter_map(|name| Some((name.clone(), row.get(name)?.clone())))
                        .collect()
                };
                let rows = dataset.rows.iter().map(row).collect();
                Ok(Dataset { columns, rows }.object())
            }
            "rename_column" | "rename_columns" => {
                let pairs = if name == "rename_column" {
                    let old = arguments.keyword("original_column_name");
                    let new = arguments.keyword("new_column_name");
                    let [first, second] = arguments.between(0)?;
                    let (old, new) = match old {
                        Some(old) => (Some(old), new.or(first)),
                        None => (first, new.or(second)),
                    };
                    vec![(text_of(old, "rename_column()")?, text_of(new, "rename_column()")?)]
                } else {
                    let [Object::Dict(names)] = arguments.exactly()? else {
                        return Err(Failure::type_error("rename_columns() needs a dict"));
                    };
                    let mut pairs = Vec::new();
                    for entry in self.heap.dict(names).entries.values() {
                        let new = text_of(Some(entry.value.object.clone()), "rename_columns()")?;
                        pairs.push((text_of(Some(entry.key.clone()), "rename_columns()")?, new));
                    }
                    pairs
                };
                renamed(dataset, &pairs)
            }
            "add_column" => {
                let [name, values] = arguments.exactly()?;
                let name = text_of(Some(name), "add_column()")?;
                let Value::Array(values) = self.json(&values)? else {
                    return Err(Failure::type_error("add_column() needs a list"));
                };
                if values.len() != dataset.rows.len()
                    || dataset.columns.iter().any(|own| **own == *name)
                {
                    return Err(Failure::value_error(
                        "add_column() needs a new name and a value for each row",
                    ));
                }
                let mut made = Dataset::clone(dataset);
                made.columns.push(name.to_string());
                for (row, value) in made.rows.iter_mut().zip(values) {
                    row.insert(name.to_string(), value);
                }
                unify_columns(&mut made, &[name.to_string()])?;
                Ok(made.object())
            }
            _ => Err(Failure::unsupported(format_args!("`.{name}` of a data set"))),
        }
    }

    /// Names of columns: one, or a list of them.
    pub(super) fn column_names(&mut self, dataset: &Dataset, names: &Object) -> Eval<Vec<String>> {
        let names = match names {
            Object::Str(name) => vec![name.to_string()],
            names => {
                let slots = self.collect(names, SourceLine::default())?;
                let name = |slot: Slot| {
                    Ok(text_of(Some(slot.object), "the name of a column")?.to_string())
                };
                slots.into_iter().map(name).collect::<Eval<_>>()?
            }
        };
        match names.iter().find(|name| !dataset.columns.contains(name)) {
            None => Ok(names),
            Some(name) => {
                Err(Failure::value_error(format!("Column name {name} not in the dataset")))
            }
        }
    }

    /// Runs a step whose values are all gone afterwards, with steps of its own.
    pub(in crate::config::eval) fn in_region<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        let scopes = self.scopes.len();
        let outer = self.heap.begin_region();
        let done = step(self);
        if self.heap.end_region(outer) {
            self.scopes.truncate(scopes);
        }
        done
    }
}

fn renamed(dataset: &Dataset, pairs: &[(Rc<str>, Rc<str>)]) -> Eval<Object> {
    if let Some((old, _)) =
        pairs.iter().find(|(old, _)| !dataset.columns.iter().any(|own| **own == **old))
    {
        return Err(Failure::value_error(format!("Original column name {old} not in the dataset")));
    }
    let new = |name: &String| match pairs.iter().find(|(old, _)| **old == **name) {
        Some((_, new)) => new.to_string(),
        None => name.clone(),
    };
    let columns: Vec<String> = dataset.columns.iter().map(new).collect();
    if columns
        .iter()
        .enumerate()
        .any(|(at, name)| columns.iter().take(at).any(|other| other == name))
    {
        return Err(Failure::value_error("two columns would have one name"));
    }
    let rows = dataset
        .rows
        .iter()
        .map(|row| row.iter().map(|(name, value)| (new(name), value.clone())).collect());
    let rows = rows.collect();
    Ok(Dataset { columns, rows }.object())
}
