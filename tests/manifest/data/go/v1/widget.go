package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSpec is what is wanted.
type WidgetSpec struct {
	// +kubebuilder:default=1
	Replicas int32   `json:"replicas,omitempty"`
	Color    *string `json:"color,omitempty"`
}

// WidgetStatus is what is there.
type WidgetStatus struct {
	Replicas *int32       `json:"replicas,omitempty"`
	Selector *string      `json:"selector,omitempty"`
	Since    *metav1.Time `json:"since,omitempty"`
}

// Widget shows the markers of a kind.
// +kubebuilder:resource:path=widgetry,singular=widgetone,scope=Cluster,shortName=wd;wdg,categories=all;shop
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`,format=int32,description="How many: wanted"
// +kubebuilder:printcolumn:name="Color",type=string,JSONPath=`.spec.color`,priority=1
// +kubebuilder:printcolumn:name="Since",type=date,JSONPath=`.status.since`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:selectablefield:JSONPath=`.spec.color`
// +kubebuilder:selectablefield:JSONPath=`.spec.replicas`
// +kubebuilder:metadata:labels="part=shop",annotations="example.com/note=a: b"
// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:default={}
	Spec   WidgetSpec   `json:"spec,omitempty"`
	Status WidgetStatus `json:"status,omitempty"`
}
