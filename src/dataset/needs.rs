//! What the rows of a data set come from, before anything is fetched.

use super::{DataPlace, HubTable};

/// Places and tables that an entry of a config reads.
#[derive(Clone, Debug, Default)]
pub struct DataNeeds {
    /// Files and folders, here or not.
    pub places: Vec<DataPlace>,
    /// Tables of repositories on the hub.
    pub tables: Vec<HubTable>,
}
