//! Choices of a scenario file.

/// Declares a choice: variants with the names that scenario files use.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        pub enum $choice:ident { $($(#[$about:meta])* $variant:ident = $name:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $choice { $($(#[$about])* $variant,)* }

        impl $choice {
            /// All, in the order of help texts.
            pub const ALL: [$choice; [$($name),*].len()] = [$($choice::$variant),*];

            /// The name that scenario files use.
            pub fn name(self) -> &'static str {
                match self {
                    $($choice::$variant => $name),*
                }
            }
        }
    };
}
pub(super) use choice;
