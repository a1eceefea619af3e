package v1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Template is what objects are made from.
type Template struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Image             *string `json:"image,omitempty"`
}

// Open keeps what it does not know.
// +kubebuilder:pruning:PreserveUnknownFields
type Open struct {
	Known *string `json:"known,omitempty"`
}

// ShapesSpec has the types that are more than scalars.
type ShapesSpec struct {
	Either *intstr.IntOrString `json:"either,omitempty"`
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^(\d+|\d+%)$`
	Percent  *intstr.IntOrString             `json:"percent,omitempty"`
	Memory   *resource.Quantity              `json:"memory,omitempty"`
	Amounts  map[string]resource.Quantity    `json:"amounts,omitempty"`
	Interval *metav1.Duration                `json:"interval,omitempty"`
	When     *metav1.Time                    `json:"when,omitempty"`
	Exactly  *metav1.MicroTime               `json:"exactly,omitempty"`
	Raw      *runtime.RawExtension           `json:"raw,omitempty"`
	JSON     *apiextensionsv1.JSON           `json:"json,omitempty"`
	Values   map[string]apiextensionsv1.JSON `json:"values,omitempty"`
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	Object *runtime.RawExtension `json:"object,omitempty"`
	// +kubebuilder:validation:XEmbeddedResource
	Resource *runtime.RawExtension `json:"resource,omitempty"`
	// +kubebuilder:validation:XPreserveUnknownFields
	Kept *Template `json:"kept,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Schemaless *Template             `json:"schemaless,omitempty"`
	Template   *Template             `json:"template,omitempty"`
	Open       *Open                 `json:"open,omitempty"`
	Selector   *metav1.LabelSelector `json:"selector,omitempty"`
	// +kubebuilder:validation:items:XIntOrString
	Steps []intstr.IntOrString `json:"steps,omitempty"`
	// +kubebuilder:validation:items:XEmbeddedResource
	// +kubebuilder:validation:items:XPreserveUnknownFields
	Objects []runtime.RawExtension `json:"objects,omitempty"`
	// +kubebuilder:validation:items:Type=string
	Words []int `json:"words,omitempty"`
}

// ShapesStatus has conditions.
type ShapesStatus struct {
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Shapes shows the types that have a form of their own.
// +kubebuilder:subresource:status
type Shapes struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ShapesSpec   `json:"spec,omitempty"`
	Status ShapesStatus `json:"status,omitempty"`
}
