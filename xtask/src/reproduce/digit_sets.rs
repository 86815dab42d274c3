//! Sets of handwritten digits that are too large for the repository: MNIST and USPS, from a folder that the user names.

use std::fs::File;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lm_core::{ClassLabels, Dense, Examples};
use lm_data::svmlight;

use crate::idx;

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
        let (images, shape) = idx::read(&folder.join(format!("{name}-images-idx3-ubyte")), 3)?;
        let (labels, _) = idx::read(&folder.join(format!("{name}-labels-idx1-ubyte")), 1)?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
