//! How requests leave, against small servers on loopback that note what arrives.

mod burst;
mod server;
mod wire;
