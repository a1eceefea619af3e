//! The kind that the controllers reconcile.

use std::collections::BTreeMap;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "bench.konverge.dev",
    version = "v1",
    kind = "Gadget",
    namespaced,
    status = "GadgetStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct GadgetSpec {
    pub image: String,
    pub replicas: i32,
    #[serde(default)]
    pub paused: bool,
    pub schedule: String,
    pub description: String,
    pub ports: Vec<Port>,
    pub resources: BTreeMap<String, String>,
    pub rules: Vec<Rule>,
    pub selector: BTreeMap<String, String>,
    pub notify: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct Port {
    pub name: String,
    pub port: i32,
    pub protocol: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct Rule {
    pub host: String,
    pub path: String,
    pub weight: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct GadgetStatus {
    pub child: Option<String>,
    pub phase: Option<String>,
}
