//! lm-bounds computes numbers about learners: what theory says about a machine.
