package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Port is a number that both ends of a connection know.
// +kubebuilder:validation:Minimum=1
// +kubebuilder:validation:Maximum=65535
type Port int

// NumbersSpec has a bound of each kind.
type NumbersSpec struct {
	// At least one.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=1
	Least int `json:"least,omitempty"`
	// +kubebuilder:validation:Maximum=10
	Most *int `json:"most,omitempty"`
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:Maximum=1
	// +kubebuilder:validation:ExclusiveMaximum=true
	Share *float64 `json:"share,omitempty"`
	// +kubebuilder:validation:Minimum=0.5
	Half *float64 `json:"half,omitempty"`
	// +kubebuilder:validation:MultipleOf=5
	Fives *int   `json:"fives,omitempty"`
	Small *int32 `json:"small,omitempty"`
	Large *int64 `json:"large,omitempty"`
	// +kubebuilder:validation:Minimum=1024
	Unprivileged *Port `json:"unprivileged,omitempty"`
	Any          *Port `json:"any,omitempty"`
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=6
	// +kubebuilder:validation:items:MultipleOf=1
	Dice []int `json:"dice,omitempty"`
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:ExclusiveMinimum=true
	// +kubebuilder:validation:items:Maximum=1
	// +kubebuilder:validation:items:ExclusiveMaximum=true
	Shares []float64 `json:"shares,omitempty"`
	// +k8s:minimum=2
	// +k8s:maximum=8
	Declared *int `json:"declared,omitempty"`
}

// Numbers shows the markers of numbers.
type Numbers struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:default={}
	Spec NumbersSpec `json:"spec,omitempty"`
}
