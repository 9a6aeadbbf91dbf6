//! What a vision tower takes.

use std::fmt;

/// An image as a processor makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessedImage {
    /// The numbers, the last axis of the shape fastest.
    pub values: Vec<f32>,
    /// Their axes, as [`Layout`] tells.
    pub shape: Vec<usize>,
    /// What the axes stand for.
    pub layout: Layout,
}

/// A video as a processor makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessedVideo {
    /// What a tower sees by itself, in order: a frame, or as many as a patch has. The last frame fills up the last of them. All have one shape.
    pub moments: Vec<ProcessedImage>,
    /// Frames of a moment.
    pub frames_of_moment: usize,
    /// When each frame that was taken is seen, from the beginning of the video on.
    pub seconds: Vec<f64>,
    /// How many of the frames that were taken are a second.
    pub frames_per_second: f64,
}

/// How the numbers of an image are arranged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Pictures of one size, `(pictures, 3, height, width)`: tiles row by row, then the whole image once more. Where there is one tile, it is
    /// the image, and nothing follows.
    Tiles {
        /// Rows of tiles.
        rows: usize,
        /// Tiles of a row.
        columns: usize,
    },
    /// Pictures of one size, `(1 + rows × columns, 3, height, width)`: the whole image, then tiles of it row by row. They hold the image in its own shape,
    /// with black on two sides, which is cut off behind the tower. Without rows, the whole image stands alone.
    WholeThenTiles {
        /// Rows of tiles.
        rows: usize,
        /// Tiles of a row.
        columns: usize,
        /// The height of the image before it was resized.
        height: usize,
        /// Its width.
        width: usize,
    },
    /// Small squares, `(rows × columns, …)`. The `merged²` that become one token follow one another, rows of them before columns: with
    /// `merged` 1, that is row by row.
    Patches {
        /// Squares on top of one another.
        rows: usize,
        /// Squares beside one another.
        columns: usize,
        /// Squares along a side of what becomes one token.
        merged: usize,
    },
    /// Pictures of one size, `(1 + rows × columns, 3, height, width)`: the whole image, then tiles of it row by row, whose right or lower end may be
    /// padding.
    Masked {
        /// Rows of tiles.
        rows: usize,
        /// Tiles of a row.
        columns: usize,
        /// Whether a patch shows the image and not padding, `(1 + rows × columns, patches, patches)`.
        is_image: Vec<bool>,
        /// Tokens that the image takes.
        tokens: usize,
    },
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tiles { rows, columns } => write!(formatter, "{rows} × {columns} tiles"),
            Self::WholeThenTiles { rows, columns, .. } => {
                write!(formatter, "the whole image and {rows} × {columns} tiles of its shape")
            }
            Self::Patches { rows, columns, .. } => {
                write!(formatter, "{rows} × {columns} patches")
            }
            Self::Masked { rows, columns, .. } => {
                write!(formatter, "the whole image and {rows} × {columns} tiles with padding")
            }
        }
    }
}
