//! Numbers written with the fewest digits that name them.

/// The shortest decimal of a number: positional for everyday sizes, with an exponent for others.
pub(crate) struct Shortest<T>(pub(crate) T);

macro_rules! shortest {
    ($($type:ty),*) => {$(
        impl std::fmt::Display for Shortest<$type> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let size = self.0.abs();
                if size == 0.0 || (1e-5..1e16).contains(&size) {
                    write!(f, "{}", self.0)
                } else {
                    write!(f, "{:e}", self.0)
                }
            }
        }
    )*};
}

shortest!(f32, f64);
