//! Files in the IDX format, in which MNIST is published.

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

/// The bytes of an IDX file and its sizes; `dimensions` of them are expected.
pub(crate) fn read(path: &Path, dimensions: usize) -> Result<(Vec<u8>, Vec<usize>), Box<dyn Error>> {
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
fn contents(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
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
}
