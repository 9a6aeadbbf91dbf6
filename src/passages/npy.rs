//! Vectors that were made elsewhere, out of a `.npy` file.
//!
//! The format is NumPy's own (NEP 1): a magic number, a version, the length of a header and the header, a Python
//! literal that says type, order and shape; then the numbers.

use std::{
    io::{BufReader, Read},
    path::Path,
};

use half::f16;

use super::{PassageError, Vectors};
use crate::regular_file;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Most bytes of a header; NumPy writes 118 for a matrix.
const MOST_HEADER_BYTES: usize = 65_536;

/// Types of numbers that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberType {
    F16,
    F32,
    F64,
}

impl NumberType {
    fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn read(self, bytes: &[u8]) -> Vec<f32> {
        fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f32) -> Vec<f32> {
            bytes.as_chunks().0.iter().map(|bytes| read(*bytes)).collect()
        }
        match self {
            Self::F16 => each(bytes, |bytes| f16::from_le_bytes(bytes).to_f32()),
            Self::F32 => each(bytes, f32::from_le_bytes),
            Self::F64 => each(bytes, |bytes| f64::from_le_bytes(bytes) as f32),
        }
    }
}

impl Vectors {
    /// Reads a matrix of f16, f32 or f64 from a `.npy` file, a vector in each row. They need not have length 1.
    pub fn read_npy(path: &Path) -> Result<Self, PassageError> {
        let read = || {
            let file = regular_file::open(path).map_err(|error| error.to_string())?;
            Self::from_npy(&mut BufReader::with_capacity(1 << 20, file))
        };
        read().map_err(|problem| PassageError::VectorFile { path: path.to_owned(), problem })
    }

    fn from_npy(file: &mut dyn Read) -> Result<Self, String> {
        let (number, rows, width) = header(file)?;
        let mut vectors = Self::default();
        let mut bytes = vec![0; width * number.bytes()];
        for row in 0..rows {
            file.read_exact(&mut bytes)
                .map_err(|_| format!("it ends in row {} of {rows}", row + 1))?;
            let vector = vectors.push(number.read(&bytes));
            vector.map_err(|problem| format!("row {} is {problem}", row + 1))?;
        }
        if file.read(&mut [0]).is_ok_and(|more| more > 0) {
            return Err(format!("it goes on behind its {rows} rows"));
        }
        Ok(vectors)
    }
}

/// Type, rows and numbers of a row.
fn header(file: &mut dyn Read) -> Result<(NumberType, usize, usize), String> {
    let no_npy = || "it is no .npy file; write one with numpy.save".to_owned();
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(|_| no_npy())?;
    if !start.starts_with(MAGIC) {
        return Err(no_npy());
    }
    // Later versions have more room for the length.
    let mut length = [0; 4];
    let length_bytes = if start[6] == 1 { 2 } else { 4 };
    file.read_exact(&mut length[..length_bytes]).map_err(|_| no_npy())?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_HEADER_BYTES {
        return Err(no_npy());
    }
    let mut header = vec![0; length];
    file.read_exact(&mut header).map_err(|_| no_npy())?;
    let header = String::from_utf8_lossy(&header);
    let value = |name: &str| {
        let (_, rest) = header.split_once(&format!("'{name}':"))?;
        Some(rest.trim_start())
    };
    let number = match value("descr").and_then(|text| text.split('\'').nth(1)) {
        Some("<f2") => NumberType::F16,
        Some("<f4") => NumberType::F32,
        Some("<f8") => NumberType::F64,
        other => {
            let other = other.unwrap_or("something else");
            return Err(format!(
                "its numbers are {other}; expected float16, float32 or float64, little-endian"
            ));
        }
    };
    if !value("fortran_order").is_some_and(|text| text.starts_with("False")) {
        return Err("its columns stand one after the other; save numpy.ascontiguousarray(…)".into());
    }
    let shape = value("shape").and_then(|text| text.strip_prefix('(')?.split_once(')'));
    let sizes = shape.map(|(sizes, _)| sizes.split(',').map(str::trim).filter(|it| !it.is_empty()));
    let sizes: Option<Vec<usize>> =
        sizes.and_then(|sizes| sizes.map(|size| size.parse().ok()).collect());
    match sizes.as_deref() {
        Some(&[rows, width]) if rows > 0 && (1..=1 << 20).contains(&width) => {
            Ok((number, rows, width))
        }
        Some(sizes) => Err(format!("its shape is {sizes:?}; expected (vectors, numbers of each)")),
        None => Err("it does not say its shape".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, b"\x01\x00", &length, header.as_bytes(), numbers].concat()
    }

    fn read(file: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let vectors = Vectors::from_npy(&mut &*file)?;
        Ok(vectors.rows().map(<[f32]>::to_vec).collect())
    }

    #[test]
    fn each_width_of_number_is_read() {
        let single: Vec<u8> =
            [3.0_f32, 4.0, 0.0, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let double: Vec<u8> =
            [3.0_f64, 4.0, 0.0, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let half = [3.0, 4.0, 0.0, -2.0].map(|x| f16::from_f32(x).to_le_bytes()).concat();
        for (descr, numbers) in [("<f4", single), ("<f8", double), ("<f2", half)] {
            let rows = read(&npy(descr, "False", "(2, 2)", &numbers)).unwrap();
            assert_eq!(rows, [[0.6, 0.8], [0.0, -1.0]], "{descr}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told() {
        let four = 1.0_f32.to_le_bytes().repeat(4);
        let nan = f32::NAN.to_le_bytes().repeat(4);
        for (file, expected) in [
            (b"PK\x03\x04 and so on".to_vec(), "it is no .npy file"),
            (Vec::new(), "it is no .npy file"),
            (npy("<i8", "False", "(2, 2)", &four), "its numbers are <i8"),
            (npy(">f4", "False", "(2, 2)", &four), "its numbers are >f4"),
            (npy("<f4", "True", "(2, 2)", &four), "numpy.ascontiguousarray"),
            (npy("<f4", "False", "(4,)", &four), "its shape is [4]"),
            (npy("<f4", "False", "(0, 2)", &[]), "its shape is [0, 2]"),
            (npy("<f4", "False", "(2, 2", &four), "does not say its shape"),
            (npy("<f4", "False", "(3, 2)", &four), "it ends in row 3 of 3"),
            (npy("<f4", "False", "(1, 2)", &four), "it goes on behind its 1 rows"),
            (
                npy("<f4", "False", "(2, 2)", &nan),
                "row 1 is a vector with numbers that are not finite",
            ),
        ] {
            let error = read(&file).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
