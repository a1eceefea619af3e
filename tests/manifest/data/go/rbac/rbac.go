// Package rbac has the declarations of tests/manifest/test_rules.py as controller-gen reads them.
package rbac

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=watch;get
// +kubebuilder:rbac:groups=apps,resources=statefulsets;replicasets,verbs=watch;list;get
// +kubebuilder:rbac:groups=batch;core,resources=jobs,verbs=create
// +kubebuilder:rbac:groups=core,resources=pods;secrets,verbs=*;get
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get,resourceNames=b;a
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get
// +kubebuilder:rbac:groups=b.example.com,resources=things,verbs=get;delete
// +kubebuilder:rbac:groups=a.example.com,resources=things,verbs=delete;get
// +kubebuilder:rbac:groups=a.example.com,resources=things/status,verbs=update
// +kubebuilder:rbac:urls=/metrics,verbs=get
// +kubebuilder:rbac:urls=/healthz;/livez,verbs=get
// +kubebuilder:rbac:groups=apps,namespace=shop,resources=deployments/scale,verbs=update
// +kubebuilder:rbac:groups="",namespace=shop,resources=events,verbs=create
