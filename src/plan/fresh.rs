//! Fresh things for dry runs and tests: numbers that count up instead of chance.
//! It must not be used for keys that are sent.

use uuid::Uuid;

use super::intent::Fresh;

/// Counts up; every UUID is made of the count.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    count: u64,
}

impl Fresh for Counted {
    fn uuid_v4(&mut self) -> Uuid {
        self.count += 1;
        // spread over all bits so that texts made of it differ early
        let bits = u128::from(self.count).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
    }

    fn uuid_v7(&mut self) -> Uuid {
        let random = self.uuid_v4();
        let mut bytes = [0; 10];
        bytes.copy_from_slice(&random.as_bytes()[6..]);
        uuid::Builder::from_unix_timestamp_millis(self.count, &bytes).into_uuid()
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn now(&mut self) -> String {
        "Thu, 01 Jan 1970 00:00:00 GMT".to_owned()
    }
}
