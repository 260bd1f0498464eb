//! Text from outside in messages.

/// Text from outside, cut so that an error stays a line.
pub(crate) fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.into()
    } else {
        text.chars().take(37).chain("...".chars()).collect()
    }
}
