//! lm-closed solves linear systems, and fits the models made of them.
