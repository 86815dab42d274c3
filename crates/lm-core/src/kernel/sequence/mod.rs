//! Kernels on sequences: text as characters or bytes, or slices of anything that can be ordered.
//!
//! [`Spectrum`] counts the contiguous pieces that two sequences share, [`GapWeighted`] the subsequences with gaps,
//! each gap costing a factor. Both grow with the length of the sequences:
//! [`Normalised`](crate::kernel::algebra::Normalised) removes that.

mod embedding;
mod gap_weighted;
mod spectrum;

pub use embedding::SpectrumEmbedding;
pub use gap_weighted::GapWeighted;
pub use spectrum::Spectrum;

/// Implements a kernel on slices for vectors, and on characters for text.
macro_rules! on_sequences {
    ($kernel:ty) => {
        impl<T: Ord + Sync> Kernel<[T]> for $kernel {
            fn value(&self, a: &[T], b: &[T]) -> f64 {
                self.of(a, b)
            }
        }

        impl<T: Ord + Sync> Kernel<Vec<T>> for $kernel {
            fn value(&self, a: &Vec<T>, b: &Vec<T>) -> f64 {
                self.of(a, b)
            }
        }

        impl Kernel<str> for $kernel {
            /// The value of two texts as sequences of characters. Use `as_bytes` for bytes.
            fn value(&self, a: &str, b: &str) -> f64 {
                self.of(&a.chars().collect::<Vec<char>>(), &b.chars().collect::<Vec<char>>())
            }
        }

        impl Kernel<&str> for $kernel {
            fn value(&self, a: &&str, b: &&str) -> f64 {
                Kernel::<str>::value(self, a, b)
            }
        }

        impl Kernel<String> for $kernel {
            fn value(&self, a: &String, b: &String) -> f64 {
                Kernel::<str>::value(self, a, b)
            }
        }
    };
}

use on_sequences;
