//! The coded data of a scan.

use super::{
    bits::{Bits, Codes},
    block::{Coding, Progress},
    broken,
    frame::Frame,
    header::Headers,
};
use crate::image::ImageError;

/// Reads a scan into the coefficients of its components.
pub(super) fn decode(
    content: &[u8],
    headers: &Headers<'_>,
    frame: &mut Frame,
    bits: &mut Bits<'_>,
) -> Result<(), ImageError> {
    let wrong = || broken("the header of a scan cannot be read");
    let (count, rest) = content.split_first().ok_or_else(wrong)?;
    let (listed, rest) = rest.split_at_checked(usize::from(*count) * 2).ok_or_else(wrong)?;
    let (&[first, last, steps], true) = (rest, (1..=4).contains(count)) else {
        return Err(wrong());
    };
    let progress = Progress {
        first: usize::from(first),
        last: usize::from(last),
        high: u32::from(steps >> 4),
        low: u32::from(steps & 15),
    };
    let progress = frame.is_progressive.then_some(progress);
    if progress.is_some_and(|progress| !progress.is_allowed(usize::from(*count))) {
        return Err(broken("a scan is of coefficients that the format does not allow"));
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    for [id, tables] in listed.as_chunks::<2>().0 {
        let at = frame.components.iter().position(|component| component.id == *id);
        let at =
            at.filter(|at| parts.iter().all(|part| part.component != *at)).ok_or_else(wrong)?;
        frame.components[at].take_divisors(&headers.divisors)?;
        let table = |tables: &'_ [Option<Codes>; 4], at: u8| tables.get(usize::from(at)).is_some();
        if !table(&headers.dc_codes, tables >> 4) || !table(&headers.ac_codes, tables & 15) {
            return Err(wrong());
        }
        parts.push(Part {
            component: at,
            coding: Coding {
                dc: headers.dc_codes[usize::from(tables >> 4)].as_ref(),
                ac: headers.ac_codes[usize::from(tables & 15)].as_ref(),
                progress,
                last_dc: 0,
                empty_blocks: 0,
            },
        });
    }
    let units = match parts.as_slice() {
        // A scan of one component has no units, but its blocks.
        [part] => frame.components[part.component].blocks,
        _ => frame.units(),
    };
    let is_alone = parts.len() == 1;
    for unit in 0..units.pixels() {
        let interval = headers.restart_interval;
        if interval > 0 && unit > 0 && unit % interval == 0 {
            bits.restart()?;
            for part in &mut parts {
                part.coding.restart();
            }
        }
        let (row, column) = (unit / units.width, unit % units.width);
        for part in &mut parts {
            let component = &mut frame.components[part.component];
            let (across, down) = if is_alone { (1, 1) } else { (component.across, component.down) };
            for block in 0..across * down {
                let (y, x) = (row * down + block / across, column * across + block % across);
                let at = y * component.stored_blocks.width + x;
                part.coding.block(&mut component.coefficients[at], bits)?;
            }
        }
    }
    Ok(())
}

/// A component of a scan.
struct Part<'a> {
    component: usize,
    coding: Coding<'a>,
}
