//! Words that are the same on the wire, in the record and in results.

/// Declares an enum whose words are one column and one field of results.
macro_rules! wire {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $text)] $word,)+
        }

        impl $name {
            /// All of them, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$word),+];

            /// The word as it stands on the wire and in the record.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }

            /// Reads what [`Self::as_str`] wrote.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }
        }
    };
}
pub(crate) use wire;
