//! A stand-in until the sparse rows arrive.
#![allow(unused_variables, dead_code)]
use super::arithmetic::Element;
use super::coefficients::Coefficients;
use super::elementary::Real;
use super::epilogue::Epilogue;
use super::simd::Instructions;
use crate::gram::Columns;
use crate::{Examples, Result};
#[derive(Debug)]
pub(crate) struct SparseSet<T: Real + Element> {
    norms: Vec<T>,
}
impl<T: Real + Element> SparseSet<T> {
    pub(crate) fn new<E: Examples + ?Sized>(
        instructions: Instructions,
        examples: &E,
        factor: f64,
        epilogue: Epilogue<T>,
        norm: fn(T) -> T,
    ) -> Result<Self> {
        Ok(Self { norms: vec![] })
    }
    pub(crate) fn queries<E: Examples + ?Sized>(
        &self,
        examples: &E,
        first: usize,
        count: usize,
    ) -> Result<Self> {
        Ok(Self { norms: vec![] })
    }
    pub(crate) fn norms(&self) -> &[T] {
        &self.norms
    }
    pub(crate) fn longest(&self) -> usize {
        0
    }
    pub(crate) fn hot_columns(&self) -> usize {
        0
    }
    pub(crate) fn fill<O: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [O],
    ) -> Result<()> {
        Ok(())
    }
    pub(crate) fn diagonal(&self, instructions: Instructions, out: &mut [f64]) {}
    pub(crate) fn expand(
        &self,
        instructions: Instructions,
        queries: &Self,
        coefficients: &Coefficients,
        out: &mut [f64],
    ) {
    }
}
