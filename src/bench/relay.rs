//! A relay that plays a network: each connection's bytes are held up by a random time, independently of the others.
//! It must not know what it carries.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Listens on a free loopback port and carries what comes to `to`, each chunk held up by an exponential time of this mean.
/// It serves for as long as the process lives.
///
/// # Errors
/// If it cannot listen.
pub fn start(to: SocketAddr, mean: Duration) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for (number, from) in (1_u64..).zip(listener.incoming()) {
            let (Ok(from), Ok(there)) = (from, TcpStream::connect(to)) else {
                continue;
            };
            let (Ok(back), Ok(from_there)) = (from.try_clone(), there.try_clone()) else {
                continue;
            };
            // where it fails, chunks are only later
            let _ = (from.set_nodelay(true), there.set_nodelay(true));
            let chance = Chance(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            std::thread::spawn(move || carry(from, there, Some((chance, mean))));
            std::thread::spawn(move || carry(from_there, back, None));
        }
    });
    Ok(address)
}

fn carry(mut from: TcpStream, mut to: TcpStream, mut late: Option<(Chance, Duration)>) {
    crate::sandbox::window::ask_for_fine_timers();
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(length) = from.read(&mut chunk) {
        if length == 0 {
            break;
        }
        if let Some((chance, mean)) = &mut late {
            std::thread::sleep(mean.mul_f64(chance.exponential()));
        }
        if to.write_all(&chunk[..length]).is_err() {
            break;
        }
    }
    // the other side may be gone already
    let _ = to.shutdown(Shutdown::Write);
}

/// Numbers that look random and are the same in every run (xorshift).
struct Chance(u64);

impl Chance {
    /// From an exponential distribution of mean 1, at most 20.
    #[expect(clippy::cast_precision_loss, reason = "a share between 0 and 1")]
    fn exponential(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let share = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        (-(1.0 - share).ln()).min(20.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_have_the_mean_that_they_should_have() {
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        let total: f64 = (0..20_000).map(|_| chance.exponential()).sum();
        let mean = total / 20_000.0;
        assert!((0.95..1.05).contains(&mean), "{mean}");
    }

    #[test]
    fn bytes_come_through() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let relay = start(listener.local_addr().unwrap(), Duration::from_micros(10)).unwrap();
        let mut client = TcpStream::connect(relay).unwrap();
        client.write_all(b"ping").unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let mut read = [0; 4];
        server.read_exact(&mut read).unwrap();
        server.write_all(b"pong").unwrap();
        client.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"pong");
    }
}
