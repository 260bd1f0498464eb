//! Enums whose variants have names in text.

/// An enum whose variants have names in text: `Display` writes them, `FromStr` reads them, and its error
/// lists them.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident, $default:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// The names of all variants.
            const NAMES: &[&str] = &[$($text),*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(Self::NAMES[*self as usize])
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(Self::NAMES.join(", ")),
                }
            }
        }
    };
}

pub(super) use named;
