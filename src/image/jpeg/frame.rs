//! Size and components of an image.

use super::{broken, enlarge::enlarged, transform::levels};
use crate::image::{ImageError, Size};

/// An image and what is known of its components.
pub(super) struct Frame {
    pub(super) size: Size,
    pub(super) is_progressive: bool,
    pub(super) components: Vec<Component>,
    /// Most samples of a component across and down.
    pub(super) most_across: usize,
    pub(super) most_down: usize,
}

/// Brightness, a colour, or ink.
pub(super) struct Component {
    pub(super) id: u8,
    /// Blocks of it in a unit.
    pub(super) across: usize,
    pub(super) down: usize,
    divisors_at: usize,
    /// What coefficients are multiplied by, as it was when its first scan began.
    pub(super) divisors: Option<[u16; 64]>,
    /// Samples that belong to the image.
    samples: Size,
    /// Blocks that hold these samples.
    pub(super) blocks: Size,
    /// Blocks of whole units.
    pub(super) stored_blocks: Size,
    /// Coefficients in their natural order.
    pub(super) coefficients: Vec<[i16; 64]>,
}

impl Frame {
    /// Reads the segment of a frame.
    pub(super) fn parse(marker: u8, content: &[u8]) -> Result<Self, ImageError> {
        let is_progressive = match marker {
            0xc0 | 0xc1 => false,
            0xc2 => true,
            0xc9 | 0xca => {
                return Err(broken("arithmetic codes are not read; save it with Huffman codes"));
            }
            _ => return Err(broken("lossless and hierarchical JPEG are not read; save it as PNG")),
        };
        let [bits, height_high, height_low, width_high, width_low, count, listed @ ..] = content
        else {
            return Err(broken("the frame cannot be read"));
        };
        if *bits != 8 {
            return Err(broken(format!("it has {bits} bits a sample, and only 8 are read")));
        }
        let side = |high: u8, low: u8| usize::from(u16::from_be_bytes([high, low]));
        let size =
            Size { width: side(*width_high, *width_low), height: side(*height_high, *height_low) };
        if size.pixels() == 0 {
            return Err(broken(format!("its size is {size}")));
        }
        let (listed, _) = listed.as_chunks::<3>();
        if listed.len() != usize::from(*count) || !matches!(count, 1 | 3 | 4) {
            return Err(broken(format!("it has {count} components; 1, 3 or 4 are read")));
        }
        let factor = |factor: u8| (1..=4).contains(&factor).then_some(usize::from(factor));
        let mut components = Vec::new();
        for [id, factors, divisors_at] in listed {
            let (Some(across), Some(down)) = (factor(factors >> 4), factor(factors & 15)) else {
                return Err(broken("a component has a size that the format does not allow"));
            };
            let none = Size { width: 0, height: 0 };
            components.push(Component {
                id: *id,
                across,
                down,
                divisors_at: usize::from(*divisors_at),
                divisors: None,
                samples: none,
                blocks: none,
                stored_blocks: none,
                coefficients: Vec::new(),
            });
        }
        let most_across = components.iter().map(|it| it.across).max().unwrap_or(1);
        let most_down = components.iter().map(|it| it.down).max().unwrap_or(1);
        for component in &mut components {
            if most_across % component.across != 0 || most_down % component.down != 0 {
                return Err(broken("the sizes of components are no multiples of one another"));
            }
            component.samples = Size {
                width: (size.width * component.across).div_ceil(most_across),
                height: (size.height * component.down).div_ceil(most_down),
            };
            component.blocks = Size {
                width: component.samples.width.div_ceil(8),
                height: component.samples.height.div_ceil(8),
            };
            component.stored_blocks = Size {
                width: size.width.div_ceil(8 * most_across) * component.across,
                height: size.height.div_ceil(8 * most_down) * component.down,
            };
        }
        Ok(Self { size, is_progressive, components, most_across, most_down })
    }

    /// Units across and down.
    pub(super) fn units(&self) -> Size {
        Size {
            width: self.size.width.div_ceil(8 * self.most_across),
            height: self.size.height.div_ceil(8 * self.most_down),
        }
    }

    /// Makes room for all coefficients.
    pub(super) fn allocate(&mut self) {
        for component in &mut self.components {
            component.coefficients = vec![[0; 64]; component.stored_blocks.pixels()];
        }
    }

    /// The levels of each component, one for each pixel of the image.
    pub(super) fn planes(self) -> Result<Vec<Vec<u8>>, ImageError> {
        let (size, most_across, most_down) = (self.size, self.most_across, self.most_down);
        let plane = |component: Component| {
            let divisors = component.divisors.ok_or_else(|| broken("a component has no scan"))?;
            let stored = component.stored_blocks;
            let mut plane = vec![0; stored.pixels() * 64];
            let row_levels = stored.width * 8;
            for (at, block) in component.coefficients.iter().enumerate() {
                let first = at / stored.width * 8 * row_levels + at % stored.width * 8;
                for (y, row) in levels(block, &divisors).iter().enumerate() {
                    plane[first + y * row_levels..][..8].copy_from_slice(row);
                }
            }
            let (across, down) = (most_across / component.across, most_down / component.down);
            Ok(enlarged(&plane, row_levels, component.samples, (across, down), size))
        };
        self.components.into_iter().map(plane).collect()
    }
}

impl Component {
    /// Takes the table of divisors as it is now, unless it has one.
    pub(super) fn take_divisors(
        &mut self,
        tables: &[Option<[u16; 64]>; 4],
    ) -> Result<(), ImageError> {
        if self.divisors.is_none() {
            self.divisors = tables.get(self.divisors_at).copied().flatten();
        }
        self.divisors.map(|_| ()).ok_or_else(|| broken("a table of divisors is missing"))
    }
}
