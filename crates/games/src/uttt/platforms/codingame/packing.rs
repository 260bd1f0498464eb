//! Numbers in as few characters as possible, for source files whose length is limited.
//!
//! A binary arithmetic coder writes each value as a few yes-or-no questions: whether it is zero, its sign, its length in bits,
//! its bits. The chance of each answer is learned while coding, by context. The contexts are made for the fitted values of
//! patterns: a value resembles those of the same pattern for other degrees of worth. Any values can be packed.
//!
//! The bits are written as characters that a platform counts once each and no normal form changes: 15 bits are one of 32,768
//! Chinese ideographs and Korean syllables. The bots in this folder unpack them.
//!
//! CITE: Witten, Neal, Cleary, "Arithmetic coding for data compression", Communications of the ACM 30, 1987.

/// How far back the values lie that make the context of a value.
const BACK: [usize; 3] = [94_824, 2_862, 14_310];

/// Where the contexts of each kind of question begin. There are 104 of the magnitude of the values nearby.
const SIGN: usize = 104;
const LENGTH: usize = SIGN + 27;
const BITS: usize = LENGTH + 104 * 16;
const CONTEXTS: usize = 2048;

/// The values as text.
pub(super) fn pack(values: &[i16]) -> String {
    let mut coder = Coder::new(Writer::default());
    for index in 0..values.len() {
        code_value(&mut coder, &values[..index], values[index]);
    }
    coder.side.finish(coder.low)
}

/// Codes a value after those before it, and gives it back. (What is read does not depend on `value`.)
fn code_value(coder: &mut Coder<impl Side>, before: &[i16], value: i16) -> i16 {
    let at = |back: usize| before.len().checked_sub(back).map_or(0, |place| before[place]);
    let near = BACK.map(at);
    let sum: u32 = near.iter().map(|value| u32::from(value.unsigned_abs())).sum();
    let level = 32 - sum.leading_zeros() as usize;
    let zero = near.iter().fold(0, |set, &value| 2 * set + usize::from(value != 0));
    let sign = near.iter().fold(0, |set, &value| 3 * set + (value.signum() + 1) as usize);
    let magnitude = zero * 13 + level.min(12);
    if !coder.code(magnitude, value != 0) {
        return 0;
    }
    let is_negative = coder.code(SIGN + sign, value < 0);
    let size = i32::from(value).unsigned_abs();
    let bits = 32 - size.leading_zeros() as usize;
    let mut length = 1;
    while coder.code(LENGTH + 16 * magnitude + length.min(15), length < bits) {
        length += 1;
    }
    let mut found = 1;
    for place in (0..length - 1).rev() {
        let prefix = if found < 8 { found as usize } else { 0 };
        let bit = coder.code(BITS + 8 * length + prefix, size >> place & 1 == 1);
        found = 2 * found + i32::from(bit);
    }
    (if is_negative { -found } else { found }) as i16
}

/// The writing or the reading side of a coder.
trait Side {
    /// Whether the answer is yes, given the last code of a yes.
    fn answer(&self, middle: u32, answer: bool) -> bool;
    /// The highest bit of the interval is known.
    fn shift(&mut self, bit: bool);
}

/// A binary arithmetic coder.
struct Coder<S> {
    side: S,
    low: u32,
    high: u32,
    /// By context: two estimates of the chance of a yes in 65,536ths, one quick to learn and one slow.
    chances: Vec<[u32; 2]>,
}

impl<S: Side> Coder<S> {
    fn new(side: S) -> Self {
        Self { side, low: 0, high: u32::MAX, chances: vec![[1 << 15; 2]; CONTEXTS] }
    }

    fn code(&mut self, context: usize, answer: bool) -> bool {
        let [quick, slow] = &mut self.chances[context];
        let range = u64::from(self.high - self.low) * u64::from((*quick + *slow) / 2);
        let middle = self.low + (range >> 16) as u32;
        let answer = self.side.answer(middle, answer);
        if answer {
            self.high = middle;
            *quick += (65_536 - *quick) >> 4;
            *slow += (65_536 - *slow) >> 7;
        } else {
            self.low = middle + 1;
            *quick -= *quick >> 4;
            *slow -= *slow >> 7;
        }
        while (self.low ^ self.high) >> 31 == 0 {
            self.side.shift(self.low >> 31 == 1);
            self.low <<= 1;
            self.high = self.high << 1 | 1;
        }
        answer
    }
}

/// Writes bits, fifteen a character.
#[derive(Default)]
struct Writer {
    text: String,
    bits: u32,
    count: u32,
}

impl Writer {
    /// Writes a number of the last interval, and fills up the last character.
    fn finish(mut self, low: u32) -> String {
        // All bits that are not written are read as zeros: the number is `low` rounded up.
        self.shift(true);
        debug_assert!(low < 1 << 31);
        while self.count > 0 {
            self.shift(false);
        }
        self.text
    }
}

impl Side for Writer {
    fn answer(&self, _: u32, answer: bool) -> bool {
        answer
    }

    fn shift(&mut self, bit: bool) {
        self.bits = self.bits << 1 | u32::from(bit);
        self.count += 1;
        if self.count == 15 {
            // Ideographs from U+3400 to U+9FFF, then syllables from U+AC00.
            let code = match self.bits {
                bits @ ..0x6c00 => 0x3400 + bits,
                bits => 0xac00 - 0x6c00 + bits,
            };
            self.text.extend(char::from_u32(code));
            (self.bits, self.count) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::uttt::evaluation::patterns::PatternValues;

    /// Reads what [`Writer`] wrote.
    struct Reader {
        bits: Vec<bool>,
        next: usize,
        code: u32,
    }

    impl Side for Reader {
        fn answer(&self, middle: u32, _: bool) -> bool {
            self.code <= middle
        }

        fn shift(&mut self, _: bool) {
            let bit = self.bits.get(self.next).is_some_and(|&bit| bit);
            self.code = self.code << 1 | u32::from(bit);
            self.next += 1;
        }
    }

    fn unpack(text: &str, count: usize) -> Vec<i16> {
        let number = |c: char| match u32::from(c) {
            code @ 0x3400..0xa000 => code - 0x3400,
            code @ 0xac00..0xc000 => code - 0xac00 + 0x6c00,
            code => panic!("U+{code:X}"),
        };
        let fifteen = |c| (0..15).rev().map(move |bit| number(c) >> bit & 1 == 1);
        let bits = text.chars().flat_map(fifteen).collect();
        let mut reader = Reader { bits, next: 0, code: 0 };
        (0..32).for_each(|_| reader.shift(false));
        let mut coder = Coder::new(reader);
        let mut values = Vec::new();
        for _ in 0..count {
            let value = code_value(&mut coder, &values, 0);
            values.push(value);
        }
        values
    }

    #[test]
    fn the_built_in_values_are_read_back_from_few_characters() {
        let values = PatternValues::built_in();
        let text = pack(values.all());
        assert_eq!(unpack(&text, values.all().len()), values.all());
        assert!(text.chars().count() < 60_000, "{} characters", text.chars().count());
        assert!(!text.contains(['"', '\\']));
    }

    proptest! {
        #[test]
        fn any_values_are_read_back(
            values in prop::collection::vec(prop_oneof![Just(0), -3..3_i16, any::<i16>()], 0..300),
        ) {
            prop_assert_eq!(unpack(&pack(&values), values.len()), values);
        }
    }
}
