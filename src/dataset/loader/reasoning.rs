//! Tasks of BIG-Bench, a file each.

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    exams::objects,
    file::document,
    row::Fields,
};
use crate::dataset::DatasetError;

pub(super) const BBH: ClassForm =
    own(&["path", "name"], |arguments| examples(arguments, "{path}/{name}.json"));

pub(super) const BBEH: ClassForm =
    own(&["path", "name"], |arguments| examples(arguments, "{path}/{name}/task.json"));

fn examples(arguments: &Arguments<'_>, pattern: &str) -> Result<Tables, DatasetError> {
    let document = document(&arguments.file(pattern)?)?;
    document.make(|value| objects(value.list("examples")?)).map(Tables::Single)
}
