package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Limits has defaults of its own.
type Limits struct {
	// +kubebuilder:default=3
	Retries int `json:"retries,omitempty"`
}

// PresenceSpec has required, optional, defaulted and nullable fields.
type PresenceSpec struct {
	// +required
	Required string `json:"required,omitempty"`
	// +kubebuilder:validation:Required
	Wanted string `json:"wanted,omitempty"`
	// +k8s:required
	// +kubebuilder:validation:MinLength=1
	Filled string `json:"filled,omitempty"`
	// +optional
	Optional string `json:"optional"`
	// +kubebuilder:validation:Optional
	Unwanted string `json:"unwanted"`
	// +k8s:optional
	Left string `json:"left"`
	// +nullable
	Nullable *string `json:"nullable,omitempty"`
	// +kubebuilder:default="yes: no"
	Text string `json:"text,omitempty"`
	// +default="true"
	Quoted string `json:"quoted,omitempty"`
	// +kubebuilder:default=true
	Flag bool `json:"flag,omitempty"`
	// +kubebuilder:default={80,443}
	Ports []int `json:"ports,omitempty"`
	// +kubebuilder:default={team: "a"}
	Labels map[string]string `json:"labels,omitempty"`
	// +kubebuilder:default={}
	Limits Limits `json:"limits,omitempty"`
}

// Presence shows what must be there.
type Presence struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PresenceSpec `json:"spec"`
}
