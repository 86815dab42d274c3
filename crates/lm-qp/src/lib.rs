//! lm-qp solves the dual: support vector machines with evidence.
