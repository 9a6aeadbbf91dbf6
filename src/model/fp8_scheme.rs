//! Where the scales of 8-bit floats stand in a checkpoint, and what each belongs to.

/// How the FP8 weights of a checkpoint are stored: a tensor of codes in E4M3 and one of scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fp8Scheme {
    /// What follows the name of the codes in that of their scales.
    pub(super) scale_suffix: &'static str,
    /// What a scale belongs to.
    pub(super) layout: Fp8Layout,
}

/// What a scale belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fp8Layout {
    /// The whole matrix.
    Matrix,
    /// An output.
    Output,
    /// So many outputs and inputs.
    Block([usize; 2]),
}

impl Fp8Layout {
    /// Outputs and inputs of a block in a matrix of this shape.
    pub(super) fn block(self, [outputs, inputs]: [usize; 2]) -> [usize; 2] {
        match self {
            Self::Matrix => [outputs, inputs],
            Self::Output => [1, inputs],
            Self::Block(block) => block,
        }
    }

    /// Whether a tensor of scales may have the shape `found`, for a matrix of `shape`.
    pub(super) fn fits(self, found: &[usize], shape: [usize; 2]) -> bool {
        let [outputs, inputs] = shape;
        match self {
            Self::Matrix => found.iter().product::<usize>() == 1,
            Self::Output => found == [outputs] || found == [outputs, 1],
            Self::Block([rows, columns]) => {
                found == [outputs.div_ceil(rows), inputs.div_ceil(columns)]
            }
        }
    }
}

impl Fp8Scheme {
    /// Whether a tensor says how inputs of products are rounded to 8 bits, which they are not here: a score is that of
    /// the stored weights.
    pub(super) fn rounds_inputs(name: &str) -> bool {
        [".activation_scale", ".input_scale", ".input_scale_ub"]
            .iter()
            .any(|end| name.ends_with(end))
    }
}
