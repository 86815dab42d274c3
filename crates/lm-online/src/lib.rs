//! lm-online sees one example at a time: error-correcting and descent procedures.
