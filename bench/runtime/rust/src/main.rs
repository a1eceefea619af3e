//! The works of the benchmark on kube-rs, written as its documentation writes a controller.
//!
//!     bench-runtime noop|children|latency N
//!
//! It ends by itself when all N objects are done, and prints one line of JSON with the moment of that on the
//! machine's monotonic clock, which the driver shares.

mod children;
mod gadget;
mod latency;
mod noop;
mod tally;

use kube::{Client, runtime::watcher};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let work = arguments.next().unwrap_or_default();
    let count = arguments.next().unwrap_or_default().parse()?;
    let client = Client::try_default().await?;
    match work.as_str() {
        "noop" => noop::run(client, count).await,
        "children" => children::run(client, count).await,
        "latency" => latency::run(client, count).await,
        _ => return Err(format!("no such work: {work:?}").into()),
    }
    Ok(())
}

/// How everything is watched: the server streams the list, and the watch goes on over the same connection.
fn streaming() -> watcher::Config {
    watcher::Config::default().streaming_lists()
}
