//! Windows and shapes as transformers 5.23 computes them, and where every patch ends up.

use candle_core::Device;

use super::*;

fn mosaic(grid: usize, most_tiles: Option<usize>) -> Mosaic {
    Mosaic { grid, most_tiles, newline: Tensor::new(&[-1f32], &Device::Cpu).unwrap() }
}

fn image(tiles: (usize, usize), size: (usize, usize)) -> ProcessedImage {
    let ((rows, columns), (height, width)) = (tiles, size);
    let layout = Layout::WholeThenTiles { rows, columns, height, width };
    ProcessedImage { values: Vec::new(), shape: vec![1 + rows * columns, 3, 4, 4], layout }
}

/// Pictures whose patches are numbered.
fn pictures(count: usize, grid: usize) -> Tensor {
    let numbers: Vec<f32> = (0..(count * grid * grid) as u16).map(f32::from).collect();
    Tensor::from_vec(numbers, (count, grid * grid, 1), &Device::Cpu).unwrap()
}

fn rows(mosaic: &Mosaic, image: &ProcessedImage) -> Vec<f32> {
    let pictures = pictures(image.shape[0], mosaic.grid);
    let rows = mosaic.rows(image, &pictures).unwrap();
    assert_eq!(rows.dim(0).unwrap(), mosaic.tokens(image).unwrap());
    rows.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn what_pads_an_image_is_cut_from_two_sides() {
    for (canvas, image, (top, left, height, width)) in [
        ((8, 8), (40, 60), (1, 0, 6, 8)),
        ((54, 54), (333, 500), (9, 0, 36, 54)),
        ((48, 72), (480, 640), (0, 4, 48, 64)),
        ((27, 54), (1000, 999), (0, 14, 27, 26)),
        ((48, 48), (999, 333), (0, 16, 48, 16)),
        // So long that nothing of them is left, or almost nothing.
        ((48, 48), (100_000, 1), (0, 24, 48, 0)),
        ((7, 7), (1, 100_000), (3, 0, 1, 7)),
        // A fraction that is short of a whole number by less than seven decimals.
        ((24, 24), (55, 88), (4, 0, 16, 24)),
        ((24, 27), (94, 94), (0, 1, 24, 25)),
        ((24, 27), (147, 98), (0, 5, 24, 17)),
    ] {
        let wanted = Window { top, left, height, width };
        assert_eq!(shown(canvas, image), wanted, "{image:?} in {canvas:?}");
    }
}

#[test]
fn patches_beyond_a_limit_are_shrunk_in_their_shape() {
    for (shape, most, wanted) in [
        ((16, 16), 64, (8, 8)),
        ((16, 16), 144, (12, 12)),
        ((54, 162), 9 * 729, (46, 140)),
        ((108, 162), 9 * 729, (66, 99)),
        ((12, 7), 64, (10, 6)),
        // A quotient that would be rounded up to a whole number.
        ((5, 80), 144, (2, 47)),
        ((7, 28), 144, (5, 23)),
    ] {
        assert_eq!(shrunk(shape, most), wanted, "{shape:?} of {most}");
    }
}

#[test]
fn tiles_lie_beside_one_another_and_every_row_ends_with_the_newline() {
    // Two tiles of 2 × 2 beside one another, filled by an image of that shape.
    let wide = image((1, 2), (10, 20));
    let whole = [0.0, 1.0, 2.0, 3.0];
    let lines = [4.0, 5.0, 8.0, 9.0, -1.0, 6.0, 7.0, 10.0, 11.0, -1.0];
    assert_eq!(rows(&mosaic(2, None), &wide), [&whole[..], &lines].concat());
    // Below one another, and an image whose sides are cut.
    let narrow = image((2, 1), (40, 2));
    let narrow = rows(&mosaic(4, None), &narrow);
    assert_eq!(narrow.len(), 16 + 8);
    assert!(narrow[16..].iter().all(|number| number.to_bits() == (-1f32).to_bits()));
}

#[test]
fn an_image_without_tiles_is_followed_by_the_newline() {
    let alone = rows(&mosaic(2, Some(9)), &image((0, 0), (10, 20)));
    assert_eq!(alone, [0.0, 1.0, 2.0, 3.0, -1.0]);
}

#[test]
fn there_are_as_many_rows_as_tokens_whatever_the_size() {
    for most_tiles in [None, Some(1), Some(4)] {
        for tiles in [(1, 1), (1, 3), (3, 1), (4, 4)] {
            for size in [(1, 1), (1, 400), (400, 1), (55, 88), (37, 41), (1, 100_000)] {
                let image = image(tiles, size);
                let mosaic = mosaic(4, most_tiles);
                assert_eq!(rows(&mosaic, &image).len(), mosaic.tokens(&image).unwrap());
            }
        }
    }
}

#[test]
fn axes_are_shortened_as_by_interpolate() {
    // torch.nn.functional.interpolate(x, size, mode="bilinear") of x = i^1.5, (4, 5).
    let numbers: Vec<f32> = (0..20u8).map(|number| f32::from(number).powf(1.5)).collect();
    let patches = Tensor::from_vec(numbers, (4, 5, 1), &Device::Cpu).unwrap();
    for ((height, width), wanted) in [
        ((3, 2), vec![2.927_965, 8.867_689, 24.542_82, 35.985_245, 57.981_052, 73.025_34]),
        (
            (4, 3),
            vec![
                0.333_333_3,
                2.828_427,
                7.065_383,
                12.352_539,
                18.520_26,
                25.542_473,
                33.242_81,
                41.569_218,
                50.546_19,
                60.063_167,
                70.092_8,
                80.668_55,
            ],
        ),
    ] {
        let found = resized(&patches, height, width).unwrap();
        let found: Vec<f32> = found.flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-4, "{found} {wanted}");
        }
    }
}

#[test]
fn images_of_other_families_are_refused() {
    let mut other = image((1, 2), (10, 20));
    other.layout = Layout::Tiles { rows: 1, columns: 2 };
    assert!(mosaic(2, None).tokens(&other).is_err());
    let mut fewer = image((1, 2), (10, 20));
    fewer.shape[0] = 2;
    assert!(mosaic(2, None).tokens(&fewer).is_err());
}
