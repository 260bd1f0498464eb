//! What is written around a plot, and why there may be none.

use thiserror::Error;

use super::axis::Axis;

/// Why there is no figure.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum FigureError {
    /// No value can be drawn: there is none, or none that is finite and, on a logarithmic axis, above 0.
    #[error("\"{0}\" has no value that can be drawn")]
    Empty(String),
    /// What the drawing library says.
    #[error("\"{title}\" cannot be drawn: {cause}")]
    Drawing {
        /// The title of the figure.
        title: String,
        /// What is wrong.
        cause: String,
    },
}

/// What is written around a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below it.
    pub x: Axis<'a>,
    /// Beside it. A linear axis begins at 0, unless there are values below.
    pub y: Axis<'a>,
}
