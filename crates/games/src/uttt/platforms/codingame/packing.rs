//! Numbers in as few characters as possible, for source files whose length is limited.
//!
//! A binary arithmetic coder writes each value as a few yes-or-no questions: whether it is zero, its sign, its length in bits,
//! its bits. The chance of each answer is learned while coding, by context. The contexts are made for the fitted values of
//! patterns: a value resembles those of the same pattern for other degrees of worth.
//!
//! The bits are written as characters that a platform counts once each and no normal form changes: 15 bits are one of 32,768
//! Chinese ideographs and Korean syllables. The bots in this folder unpack them.
//!
//! Source: Witten, Neal, Cleary, "Arithmetic coding for data compression", Communications of the ACM 30, 1987.

/// How far back the values lie that make the context of a value.
const BACK: [usize; 3] = [94_824, 2_862, 14_310];

/// Where the contexts of each kind of question begin. There are 104 of the magnitude of the values nearby.
const SIGN: usize = 104;
const LENGTH: usize = SIGN + 27;
const BITS: usize = LENGTH + 104 * 16;
const CONTEXTS: usize = 2048;

pub(super) fn pack(values: &[i16]) -> String {
    let chances = vec![[1 << 15; 2]; CONTEXTS];
    let mut coder =
        Coder { text: String::new(), bits: 0, count: 0, low: 0, high: u32::MAX, chances };
    for (index, &value) in values.iter().enumerate() {
        coder.code_value(
            BACK.map(|back| index.checked_sub(back).map_or(0, |place| values[place])),
            value,
        );
    }
    coder.finish()
}

/// A binary arithmetic coder. It writes bits, fifteen a character.
struct Coder {
    text: String,
    bits: u32,
    count: u32,
    low: u32,
    high: u32,
    /// By context: two estimates of the chance of a yes in 65,536ths, one quick to learn and one slow.
    chances: Vec<[u32; 2]>,
}

impl Coder {
    fn code_value(&mut self, near: [i16; 3], value: i16) {
        let sum: u32 = near.iter().map(|value| u32::from(value.unsigned_abs())).sum();
        let level = 32 - sum.leading_zeros() as usize;
        let zero = near.iter().fold(0, |set, &value| 2 * set + usize::from(value != 0));
        let sign = near.iter().fold(0, |set, &value| 3 * set + (value.signum() + 1) as usize);
        let magnitude = zero * 13 + level.min(12);
        self.code(magnitude, value != 0);
        if value == 0 {
            return;
        }
        self.code(SIGN + sign, value < 0);
        let size = usize::from(value.unsigned_abs());
        let length = (usize::BITS - size.leading_zeros()) as usize;
        for bits in 1..=length {
            self.code(LENGTH + 16 * magnitude + bits.min(15), bits < length);
        }
        for place in (0..length - 1).rev() {
            let before = size >> (place + 1);
            let prefix = if before < 8 { before } else { 0 };
            self.code(BITS + 8 * length + prefix, size >> place & 1 == 1);
        }
    }

    fn code(&mut self, context: usize, answer: bool) {
        let [quick, slow] = &mut self.chances[context];
        let range = u64::from(self.high - self.low) * u64::from((*quick + *slow) / 2);
        let middle = self.low + (range >> 16) as u32;
        if answer {
            self.high = middle;
            *quick += (65_536 - *quick) >> 4;
            *slow += (65_536 - *slow) >> 7;
        } else {
            self.low = middle + 1;
            *quick -= *quick >> 4;
            *slow -= *slow >> 7;
        }
        // The highest bits of the interval are known.
        while (self.low ^ self.high) >> 31 == 0 {
            self.write(self.low >> 31);
            self.low <<= 1;
            self.high = self.high << 1 | 1;
        }
    }

    fn write(&mut self, bit: u32) {
        self.bits = self.bits << 1 | bit;
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

    /// Writes a number of the last interval, `low` rounded up, and fills up the last character. All bits that are not
    /// written are read as zeros.
    fn finish(mut self) -> String {
        debug_assert!(self.low < 1 << 31);
        self.write(1);
        while self.count > 0 {
            self.write(0);
        }
        self.text
    }
}
