//! Values of atomics as bits: the execution stores and compares the values of all atomics as `u64`.

use crate::control::memory::Values;

/// A value of an atomic. Two values are equal if and only if their bits are.
pub(super) trait Bits: Copy {
    /// What the bits mean, for reports.
    const VALUES: Values;

    fn to_bits(self) -> u64;

    fn from_bits(bits: u64) -> Self;
}

macro_rules! bits {
    ($values:ident: $($value:ident)*) => {
        $(
            impl Bits for $value {
                const VALUES: Values = Values::$values;

                #[inline]
                fn to_bits(self) -> u64 {
                    self as u64
                }

                #[inline]
                fn from_bits(bits: u64) -> $value {
                    from_bits::$value(bits)
                }
            }
        )*
    };
}

bits! { Bool: bool }
bits! { Signed: i8 i16 i32 i64 isize }
bits! { Unsigned: u8 u16 u32 u64 usize }

impl<T> Bits for *mut T {
    const VALUES: Values = Values::Pointer;

    #[inline]
    fn to_bits(self) -> u64 {
        // `from_bits` makes a pointer of these bits again, after they were in a store buffer.
        self.expose_provenance() as u64
    }

    #[inline]
    fn from_bits(bits: u64) -> *mut T {
        from_bits::pointer(bits)
    }
}

/// The functions behind [`Bits::from_bits`], for `into_inner`, which is `const`.
pub(super) mod from_bits {
    macro_rules! integers {
        ($($value:ident)*) => {
            $(
                #[inline]
                pub(in super::super) const fn $value(bits: u64) -> $value {
                    bits as $value
                }
            )*
        };
    }

    integers! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

    #[inline]
    pub(in super::super) const fn bool(bits: u64) -> bool {
        bits != 0
    }

    #[inline]
    pub(in super::super) const fn pointer<T>(bits: u64) -> *mut T {
        // The cast is `with_exposed_provenance_mut`, which is not `const`. `Bits::to_bits` has exposed the
        // pointer.
        bits as usize as *mut T
    }
}
