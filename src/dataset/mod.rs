//! Rows to be asked about: from files to typed samples, in three steps.
//!
//! 1. A *source* ([`DatasetLocation::read`]) turns a file, a folder of splits or a repository on the hub
//!    into [`Sample`]s. Every format of text ends in the same table rules ([`table`](crate::dataset::rows_from_json)): one set of columns,
//!    one type per column, as `datasets` of Hugging Face does it ([`ColumnRule`]).
//! 2. [`Rows::labelled`] adds the columns `subdivision` and `idx` that OpenCompass promises to
//!    templates.
//! 3. The [`Reader`] picks the training and the test split, applies their ranges, and knows which
//!    columns are the question and which is the answer.
//!
//! Values stay `serde_json` values, because templates fill in whatever a row holds; [`python_str`](crate::python::python_str)
//! is how they read once filled in. Nothing here knows what a prompt is.

#![expect(clippy::disallowed_methods, reason = "rows come out of files")]

mod arrow;
mod card;
mod csv;
mod error;
mod file_name;
mod hub;
mod image_folder;
mod json;
mod jsonl;
mod layout;
mod loader;
mod location;
mod needs;
mod parquet;
mod plus_tasks;
mod range;
mod reader;
mod repeated_keys;
mod row_draw;
mod rows;
mod sample;
mod slice;
mod source;
mod table;
mod text;
mod web_image;

pub use error::DatasetError;
pub use hub::{HubFile, HubTable};
pub use layout::TableChoice;
pub use loader::{ClassForm, DataPlace, LOADERS, Loader, Stepped, data_folder};
pub(crate) use loader::{
    PACKAGES, class_of, find_data, module_path, module_value, named_place, readable_place, remedy,
};
pub use location::DatasetLocation;
pub use needs::DataNeeds;
pub(crate) use plus_tasks::{PlusSet, PlusTasks};
pub use range::RowRange;
pub use reader::{Dataset, Reader, ReaderConfig};
pub use repeated_keys::RepeatedKeys;
pub use row_draw::RowDraw;
pub use rows::Rows;
pub use sample::Sample;
pub(crate) use sample::has_text;
pub(crate) use source::is_table;
pub(crate) use source::read_table;
pub use source::{FileTable, read_rows};
pub use table::{ColumnRule, rows_from_json};
pub use text::read_text;
pub(crate) use web_image::web_image;
