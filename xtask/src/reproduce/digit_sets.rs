//! Sets of handwritten digits that are too large for the repository: MNIST and USPS, from a folder that the user names.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use lm_core::{ClassLabels, Dense, Examples};
use lm_data::svmlight;

/// An error with a sentence.
type Found<T> = Result<T, Box<dyn std::error::Error>>;

/// Images, as rows of pixels, and the digits that they show.
pub(crate) struct Digits {
    /// One row for an image.
    pub(crate) images: Dense<'static, f32>,
    /// The digits.
    pub(crate) labels: ClassLabels,
}

/// Images to learn from and images to be tested on.
pub(crate) struct DigitSet {
    /// The images to learn from.
    pub(crate) train: Digits,
    /// The others.
    pub(crate) test: Digits,
}

/// MNIST: 28 × 28 pixels from 0 to 1, in the four IDX files as they are published, compressed or not. None, if `folder` has
/// no folder `mnist`.
pub(crate) fn mnist(folder: &Path) -> Found<Option<DigitSet>> {
    let folder = folder.join("mnist");
    if !folder.is_dir() {
        return Ok(None);
    }
    let part = |name: &str| -> Found<Digits> {
        let (images, shape) = idx(&folder.join(format!("{name}-images-idx3-ubyte")), 3)?;
        let (labels, _) = idx(&folder.join(format!("{name}-labels-idx1-ubyte")), 1)?;
        let pixels = images.iter().map(|&pixel| f32::from(pixel) / 255.0).collect();
        Ok(Digits {
            images: Dense::new(pixels, shape[0], shape[1] * shape[2])?,
            labels: ClassLabels::from_integers(
                &labels.iter().map(|&label| i64::from(label)).collect::<Vec<_>>(),
            )?,
        })
    };
    Ok(Some(DigitSet { train: part("train")?, test: part("t10k")? }))
}

/// USPS: 16 × 16 pixels from −1 to 1, in the format of LIBSVM, compressed. None, if `folder` has no folder `usps`.
pub(crate) fn usps(folder: &Path) -> Found<Option<DigitSet>> {
    let folder = folder.join("usps");
    if !folder.is_dir() {
        return Ok(None);
    }
    let part = |name: &str| -> Found<Digits> {
        let path = folder.join(format!("{name}.svm.gz"));
        let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let options = svmlight::Options::default().with_dim(256);
        let read = svmlight::read::<f32>(MultiGzDecoder::new(file), &options)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let mut pixels = vec![0.0_f32; read.labels.len() * 256];
        let mut row = vec![0.0; 256];
        for (index, place) in pixels.chunks_exact_mut(256).enumerate() {
            row.fill(0.0);
            read.examples.add_scaled(index, 1.0, &mut row);
            place.iter_mut().zip(&row).for_each(|(pixel, &value)| *pixel = value as f32);
        }
        Ok(Digits { images: Dense::new(pixels, read.labels.len(), 256)?, labels: read.classes()? })
    };
    Ok(Some(DigitSet { train: part("train")?, test: part("test")? }))
}

/// The bytes of an IDX file and its sizes; `dimensions` of them are expected.
fn idx(path: &Path, dimensions: usize) -> Found<(Vec<u8>, Vec<usize>)> {
    let bytes = contents(path)?;
    parse(&bytes, dimensions).map_err(|what| format!("{}: {what}", path.display()).into())
}

/// Takes an IDX file of bytes apart.
fn parse(bytes: &[u8], dimensions: usize) -> Result<(Vec<u8>, Vec<usize>), String> {
    let head = 4 + 4 * dimensions;
    let kind = [0, 0, 8, dimensions as u8];
    if bytes.len() < head || bytes[..4] != kind {
        return Err(format!("not an IDX file of bytes with {dimensions} dimensions"));
    }
    let sizes: Vec<usize> = bytes[4..head]
        .chunks_exact(4)
        .map(|size| u32::from_be_bytes([size[0], size[1], size[2], size[3]]) as usize)
        .collect();
    let needed = sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    if needed != Some(bytes.len() - head) {
        return Err(format!(
            "{} bytes after the head, where its sizes {sizes:?} say otherwise",
            bytes.len() - head
        ));
    }
    Ok((bytes[head..].to_vec(), sizes))
}

/// The bytes of a file, or of its compressed form beside it.
fn contents(path: &Path) -> Found<Vec<u8>> {
    let mut bytes = Vec::new();
    if path.is_file() {
        File::open(path)?.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    let file = File::open(&packed).map_err(|error| format!("{}: {error}", packed.display()))?;
    MultiGzDecoder::new(file)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{}: {error}", packed.display()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idx_file_is_taken_apart_and_a_broken_one_is_told() {
        let file = [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6];
        assert_eq!(parse(&file, 2).unwrap(), (vec![1, 2, 3, 4, 5, 6], vec![2, 3]));
        assert!(parse(&file, 3).unwrap_err().contains("3 dimensions"));
        assert!(parse(&file[..17], 2).unwrap_err().contains("5 bytes after the head"));
        assert!(parse(&[], 1).is_err());
        let huge = [0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255];
        assert!(parse(&huge, 2).is_err());
    }

    #[test]
    fn a_folder_without_the_sets_has_none_and_one_without_files_says_which() {
        let folder = std::env::temp_dir().join(format!("lm-digit-sets-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("mnist")).unwrap();
        assert!(usps(&folder).unwrap().is_none());
        let error = mnist(&folder).err().unwrap().to_string();
        assert!(error.contains("train-images-idx3-ubyte.gz"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
