// Package v1beta1 holds an older version.
//
// +groupName=markers.konverge.dev
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSpec is what is wanted.
type WidgetSpec struct {
	Color *string `json:"color,omitempty"`
}

// Widget is an older version.
// +kubebuilder:resource:path=widgetry,singular=widgetone,scope=Cluster,shortName=wd;wdg,categories=all;shop
// +kubebuilder:deprecatedversion:warning="use markers.konverge.dev/v1"
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WidgetSpec `json:"spec,omitempty"`
}
