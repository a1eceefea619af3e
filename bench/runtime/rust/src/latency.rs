//! Tells how long ago each write was sent.

use std::{
    collections::HashMap,
    num::ParseFloatError,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt;
use kube::{
    Api, Client, ResourceExt,
    runtime::controller::{Action, Controller},
};

use crate::{
    gadget::Gadget,
    streaming,
    tally::{finish, monotonic},
};

const ANNOTATION: &str = "bench.konverge.dev/sent";

struct Context {
    count: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    sent: HashMap<String, String>, // the last write seen of each object
    delays: Vec<f64>,
}

pub async fn run(client: Client, count: usize) {
    let context = Context {
        count,
        seen: Mutex::default(),
    };
    Controller::new(Api::<Gadget>::all(client), streaming())
        .run(reconcile, error_policy, Arc::new(context))
        .for_each(|_| std::future::ready(()))
        .await;
}

/// Compares the time in the object's annotation with now.
async fn reconcile(gadget: Arc<Gadget>, context: Arc<Context>) -> Result<Action, ParseFloatError> {
    let called = monotonic();
    let sent = gadget.annotations().get(ANNOTATION).cloned().unwrap_or_default();
    let mut seen = context.seen.lock().expect("no holder of the lock panics");
    match seen.sent.insert(gadget.name_any(), sent.clone()) {
        None if seen.sent.len() == context.count => println!(r#"{{"ready": true}}"#),
        Some(before) if before != sent => seen.delays.push(called - sent.parse::<f64>()?),
        _ => (),
    }
    if seen.delays.len() == context.count {
        finish(&seen.delays);
    }
    Ok(Action::await_change())
}

fn error_policy(_: Arc<Gadget>, _: &ParseFloatError, _: Arc<Context>) -> Action {
    Action::requeue(Duration::from_secs(1))
}
