//! The host guard: every address of every host that the run may speak to, checked before anything is sent and pinned for the run.
//! It must not know what is sent there.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use url::{Host, Url};

/// Hosts that may be spoken to, with the addresses that they keep for the run.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    pins: BTreeMap<String, Vec<IpAddr>>,
    allowed: Vec<String>,
}

/// A host that may not be spoken to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}\n{remedy}")]
pub struct Refused {
    /// Why.
    pub why: String,
    /// What to do.
    pub remedy: String,
}

/// Whether an address belongs to this machine.
#[must_use]
pub fn is_loopback(ip: IpAddr) -> bool {
    let ip = ip.to_canonical();
    ip.is_loopback() || ip.is_unspecified()
}

/// Whether an address belongs to this machine or to a private network. Link-local addresses do not:
/// clouds serve their credentials there.
#[must_use]
pub fn is_near(ip: IpAddr) -> bool {
    is_loopback(ip)
        || match ip.to_canonical() {
            IpAddr::V4(ip) => ip.is_private(),
            IpAddr::V6(ip) => ip.is_unique_local(),
        }
}

impl Hosts {
    /// Looks up the hosts of all URLs and refuses those that are neither near nor allowed by name.
    pub fn check<'a>(
        urls: impl IntoIterator<Item = &'a Url>,
        allowed: &[String],
    ) -> Result<Self, Refused> {
        let mut hosts = Self {
            pins: BTreeMap::new(),
            allowed: allowed
                .iter()
                .map(|name| name.trim_matches(['[', ']']).to_lowercase())
                .collect(),
        };
        for url in urls {
            hosts.add(url)?;
        }
        Ok(hosts)
    }

    fn add(&mut self, url: &Url) -> Result<(), Refused> {
        let Some(name) = name_of(url) else {
            return Err(Refused {
                why: format!("`{url}` names no host"),
                remedy: "give a URL such as http://127.0.0.1:8080".to_owned(),
            });
        };
        let port = url.port_or_known_default().unwrap_or(80);
        let addresses = match literal(url) {
            Some(ip) => vec![ip],
            None => {
                let found = (name.as_str(), port)
                    .to_socket_addrs()
                    .map_err(|error| Refused {
                        why: format!("the host `{name}` has no address: {error}"),
                        remedy: "check the URL and the name's spelling".to_owned(),
                    })?;
                let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
                addresses.dedup();
                addresses
            }
        };
        self.admit(&name, &addresses)?;
        self.pins.insert(name, addresses);
        Ok(())
    }

    /// Whether a host with these addresses may be spoken to.
    pub fn admit(&self, name: &str, addresses: &[IpAddr]) -> Result<(), Refused> {
        if self.allowed.iter().any(|other| other == name) {
            return Ok(());
        }
        match addresses.iter().find(|ip| !is_near(**ip)) {
            None => Ok(()),
            Some(far) => Err(Refused {
                why: format!(
                    "the host `{name}` ({far}) is neither on this machine nor in a private network, and nobody allowed it"
                ),
                remedy: format!(
                    "if it is yours to test, allow it by name: --allow-host {name}; drills make real payments, orders and load"
                ),
            }),
        }
    }

    /// The pinned addresses of a host.
    #[must_use]
    pub fn addresses(&self, name: &str) -> Option<&[IpAddr]> {
        let name = name.trim_matches(['[', ']']).to_lowercase();
        self.pins.get(&name).map(Vec::as_slice)
    }

    /// Whether a URL leads to a host that was checked. It is asked before each send: an address in a URL needs no look-up.
    pub fn admits(&self, url: &Url) -> Result<(), String> {
        let name = name_of(url).ok_or_else(|| format!("`{url}` names no host"))?;
        match self.addresses(&name) {
            Some(_) => Ok(()),
            None => Err(format!("the host `{name}` was not checked before the run")),
        }
    }

    /// The pinned socket addresses of a URL.
    #[must_use]
    pub fn sockets(&self, url: &Url) -> Vec<SocketAddr> {
        let port = url.port_or_known_default().unwrap_or(80);
        let addresses = name_of(url).and_then(|name| self.addresses(&name).map(<[_]>::to_vec));
        addresses
            .unwrap_or_default()
            .into_iter()
            .map(|ip| SocketAddr::new(ip, port))
            .collect()
    }

    /// Whether all hosts are on this machine.
    #[must_use]
    pub fn all_on_this_machine(&self) -> bool {
        self.pins.values().flatten().all(|ip| is_loopback(*ip))
    }
}

fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
        Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
        Host::Domain(_) => None,
    }
}

fn name_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    (!host.is_empty()).then(|| host.trim_matches(['[', ']']).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn near_addresses_need_no_permission() {
        for text in [
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://10.1.2.3",
            "http://192.168.0.9",
            "http://172.20.0.2",
            "http://[fd00::1]",
            "http://[::ffff:10.0.0.1]",
            "http://localhost:1",
        ] {
            assert!(Hosts::check([&url(text)], &[]).is_ok(), "{text}");
        }
    }

    #[test]
    fn far_addresses_are_refused_until_they_are_named() {
        for (text, name) in [
            ("http://93.184.216.34", "93.184.216.34"),
            ("http://[2606:2800:220:1::1]", "2606:2800:220:1::1"),
            ("http://169.254.169.254", "169.254.169.254"),
            ("http://[::ffff:8.8.8.8]", "::ffff:808:808"),
            ("http://172.32.0.1", "172.32.0.1"),
        ] {
            let refused = Hosts::check([&url(text)], &[]).unwrap_err();
            assert!(
                refused.remedy.contains(&format!("--allow-host {name}")),
                "{refused}"
            );
            assert!(
                Hosts::check([&url(text)], &[name.to_owned()]).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn one_far_address_among_near_ones_is_enough_to_refuse() {
        let mixed = ["10.0.0.1".parse().unwrap(), "8.8.8.8".parse().unwrap()];
        assert!(Hosts::default().admit("shop", &mixed).is_err());
        assert!(Hosts::default().admit("shop", &mixed[..1]).is_ok());
    }

    #[test]
    fn a_host_that_was_not_checked_is_not_spoken_to() {
        let hosts = Hosts::check([&url("http://127.0.0.1:1/a")], &[]).unwrap();
        assert!(hosts.admits(&url("http://127.0.0.1:2/b")).is_ok());
        assert!(
            hosts
                .admits(&url("http://127.0.0.2/"))
                .unwrap_err()
                .contains("127.0.0.2")
        );
        assert!(hosts.all_on_this_machine());
    }
}
