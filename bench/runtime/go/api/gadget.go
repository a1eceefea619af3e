// Package api has the kind that the controllers reconcile, as kubebuilder lays it out.
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the kind.
var GroupVersion = schema.GroupVersion{Group: "bench.konverge.dev", Version: "v1"}

// AddToScheme makes the kind known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Gadget{}, &GadgetList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// Port is one of a gadget.
type Port struct {
	Name     string `json:"name,omitempty"`
	Port     int32  `json:"port,omitempty"`
	Protocol string `json:"protocol,omitempty"`
}

// Rule is one of a gadget.
type Rule struct {
	Host   string `json:"host,omitempty"`
	Path   string `json:"path,omitempty"`
	Weight int32  `json:"weight,omitempty"`
}

// GadgetSpec is what is wanted.
type GadgetSpec struct {
	Image       string            `json:"image,omitempty"`
	Replicas    int32             `json:"replicas,omitempty"`
	Paused      bool              `json:"paused,omitempty"`
	Schedule    string            `json:"schedule,omitempty"`
	Description string            `json:"description,omitempty"`
	Ports       []Port            `json:"ports,omitempty"`
	Resources   map[string]string `json:"resources,omitempty"`
	Rules       []Rule            `json:"rules,omitempty"`
	Selector    map[string]string `json:"selector,omitempty"`
	Notify      []string          `json:"notify,omitempty"`
}

// GadgetStatus is what is.
type GadgetStatus struct {
	Child string `json:"child,omitempty"`
	Phase string `json:"phase,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Gadget is the kind.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GadgetSpec   `json:"spec,omitempty"`
	Status GadgetStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// GadgetList is a list of gadgets.
type GadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gadget `json:"items"`
}
