//! What is known of a stretch of a prompt, without its text.

use serde::{Deserialize, Serialize};

use super::{PieceKind, TracedPiece};
use crate::prompt::Section;

/// Where a stretch comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The section of the template; none between sections and where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// Which in-context example it is part of, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<usize>,
    /// Whose words it is or stands around.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What put it there.
    pub kind: PieceKind,
    /// The column whose value it is, or that is hidden here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

/// So many bytes of a text, and the number of their origin in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginStretch {
    /// None where a column is hidden.
    pub bytes: usize,
    /// Place of the [`Origin`].
    pub origin: usize,
}

impl Origin {
    /// Whether it is what a piece of a prompt says.
    pub(super) fn is_of(&self, piece: &TracedPiece) -> bool {
        (self.section, self.example, self.kind) == (piece.section, piece.example, piece.kind)
            && (self.role.as_deref(), self.column.as_deref())
                == (piece.role.as_deref(), piece.column.as_deref())
    }
}

impl From<&TracedPiece> for Origin {
    fn from(piece: &TracedPiece) -> Self {
        Self {
            section: piece.section,
            example: piece.example,
            role: piece.role.clone(),
            kind: piece.kind,
            column: piece.column.clone(),
        }
    }
}
