//! Gives each object a ConfigMap and says so in its status.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ObjectMeta, PartialObjectMeta, PostParams},
    runtime::{
        WatchStreamExt,
        controller::{self, Action, Controller},
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};

use crate::{
    gadget::{Gadget, GadgetStatus},
    streaming,
    tally::{Tally, finish},
};

const WORKERS: u16 = 32;

struct Context {
    client: Client,
    children: Store<PartialObjectMeta<ConfigMap>>,
    done: Tally,
}

/// Children are watched by their metadata, as `Controller::owns` does it, and kept: the reconciler asks for them.
pub async fn run(client: Client, count: usize) {
    let (children, writer) = reflector::store();
    let watched = watcher(Api::<PartialObjectMeta<ConfigMap>>::all(client.clone()), streaming())
        .default_backoff()
        .reflect(writer)
        .touched_objects();
    let context = Context {
        client: client.clone(),
        children,
        done: Tally::new(count),
    };
    Controller::new(Api::<Gadget>::all(client), streaming())
        .with_config(controller::Config::default().concurrency(WORKERS))
        .owns_stream(watched)
        .run(reconcile, error_policy, Arc::new(context))
        .for_each(|_| std::future::ready(()))
        .await;
}

async fn reconcile(gadget: Arc<Gadget>, context: Arc<Context>) -> Result<Action, kube::Error> {
    let name = gadget.name_any();
    let namespace = gadget.namespace().unwrap_or_default();
    let parameters = PostParams::default();
    if context
        .children
        .get(&ObjectRef::new(&name).within(&namespace))
        .is_none()
    {
        let children = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
        children.create(&parameters, &child_of(&gadget)).await?;
    }
    if gadget.status.as_ref().and_then(|status| status.phase.as_deref()) != Some("Ready") {
        let gadgets = Api::<Gadget>::namespaced(context.client.clone(), &namespace);
        let mut changed = (*gadget).clone();
        changed.status = Some(GadgetStatus {
            child: Some(name.clone()),
            phase: Some("Ready".into()),
        });
        gadgets.replace_status(&name, &parameters, &changed).await?;
    }
    if context.done.add(name) {
        finish(&[]);
    }
    Ok(Action::await_change())
}

fn child_of(gadget: &Gadget) -> ConfigMap {
    let data = [("image", &gadget.spec.image), ("schedule", &gadget.spec.schedule)];
    ConfigMap {
        metadata: ObjectMeta {
            name: gadget.metadata.name.clone(),
            namespace: gadget.metadata.namespace.clone(),
            owner_references: Some(gadget.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some(
            data.map(|(key, value)| (key.into(), value.clone()))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
        ),
        ..ConfigMap::default()
    }
}

fn error_policy(_: Arc<Gadget>, error: &kube::Error, _: Arc<Context>) -> Action {
    eprintln!("reconcile failed: {error}");
    Action::requeue(Duration::from_secs(1))
}
