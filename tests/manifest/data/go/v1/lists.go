package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Endpoint is an item with keys.
type Endpoint struct {
	Name string `json:"name"`
	// +kubebuilder:default=TCP
	Protocol string `json:"protocol,omitempty"`
	Port     *int   `json:"port,omitempty"`
}

// Credentials are one whole.
// +structType=atomic
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=2
type Credentials struct {
	User     *string `json:"user,omitempty"`
	Password *string `json:"password,omitempty"`
}

// ListsSpec has lists and maps of each kind.
type ListsSpec struct {
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	// +listType=atomic
	Whole []string `json:"whole"`
	// +listType=set
	Distinct []string `json:"distinct,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +listMapKey=protocol
	Endpoints []Endpoint `json:"endpoints,omitempty"`
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=3
	Declared []Endpoint `json:"declared,omitempty"`
	// +kubebuilder:validation:items:MinItems=1
	// +kubebuilder:validation:items:MaxItems=2
	Nested [][]int `json:"nested,omitempty"`
	// +kubebuilder:validation:items:MinProperties=1
	// +kubebuilder:validation:items:MaxProperties=2
	Maps []map[string]string `json:"maps,omitempty"`
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=9
	// +mapType=atomic
	Config map[string]string `json:"config,omitempty"`
	// +mapType=granular
	Labels map[string]string `json:"labels,omitempty"`
	Ports  map[string]int    `json:"ports,omitempty"`
	// +structType=granular
	Endpoint    *Endpoint    `json:"endpoint,omitempty"`
	Credentials *Credentials `json:"credentials,omitempty"`
}

// Lists shows the markers of lists, maps and structs.
type Lists struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ListsSpec `json:"spec"`
}
