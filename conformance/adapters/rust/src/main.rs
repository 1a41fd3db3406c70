//! The ports in one adapter:  loopstone test -- target/release/all

mod command;
mod fingerprint;
mod history;
mod loopstone;
mod python;

fn main() -> std::io::Result<()> {
    loopstone::serve("loopstone-rust", "1.0", &[fingerprint::PORT, history::PORT])
}
