//! Shared cases of the benchmarks.
