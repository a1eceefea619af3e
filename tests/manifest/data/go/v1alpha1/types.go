// Package v1alpha1 holds a version that is not served any more.
//
// +groupName=markers.konverge.dev
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSpec is what is wanted.
type WidgetSpec struct {
	Color *string `json:"color,omitempty"`
}

// Widget is the oldest version.
// +kubebuilder:resource:path=widgetry,singular=widgetone,scope=Cluster,shortName=wd;wdg,categories=all;shop
// +kubebuilder:unservedversion
// +kubebuilder:deprecatedversion
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WidgetSpec `json:"spec,omitempty"`
}
