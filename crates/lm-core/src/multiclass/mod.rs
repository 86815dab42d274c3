//! Multi-class.
