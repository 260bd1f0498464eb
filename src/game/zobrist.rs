//! The random numbers of Zobrist hashing: one for each thing that can be on a board.
//!
//! CITE: Zobrist, "A new hashing method with application for game playing", University of Wisconsin, 1970.

/// `N` random 64-bit numbers, the same in every build; another seed gives others.
pub(crate) const fn numbers<const N: usize>(seed: u64) -> [u64; N] {
    let mut numbers = [0; N];
    let (mut state, mut index) = (seed, 0);
    while index < N {
        // CITE: SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[index] = z ^ (z >> 31);
        index += 1;
    }
    numbers
}
