//! Text from outside, as messages quote it.

/// Text from outside, shortened so that the message stays on one line.
pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.into()
    } else {
        text.chars().take(37).chain("...".chars()).collect()
    }
}
