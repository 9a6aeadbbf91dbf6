//! What can be wrong with settings of images.

/// Why a checkpoint's settings make no [`super::ImageProcessor`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessorError {
    /// No file says anything.
    #[error(
        "the checkpoint says nothing of images: there is no preprocessor_config.json, and no image_processor in processor_config.json; copy the files from where the weights are from"
    )]
    Missing,
    /// A field that cannot be read or done.
    #[error("{file}: `{field}` {problem}")]
    Field {
        /// The file.
        file: &'static str,
        /// The field, with what it is inside of.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
}
