package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Name is the name of a thing.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
type Name string

// TextsSpec has a marker of each kind for strings.
type TextsSpec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Bounded string `json:"bounded"`
	// +kubebuilder:validation:Pattern=`^[a-z]+(: [a-z]+)?$`
	Matched *string `json:"matched,omitempty"`
	// +kubebuilder:validation:Format=email
	Mail *string `json:"mail,omitempty"`
	// The name of its owner, which is a longer text so that it does not fit into one line of characters.
	Owner *Name `json:"owner,omitempty"`
	Thing *Name `json:"thing,omitempty"`
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=9
	// +kubebuilder:validation:items:Pattern=`^x`
	// +kubebuilder:validation:items:Format=hostname
	Tags []string `json:"tags,omitempty"`
	Blob []byte   `json:"blob,omitempty"`
	// +kubebuilder:title="The Title"
	// +kubebuilder:example="an example: with a colon"
	// +kubebuilder:externalDocs:url="https://konverge.dev/docs",description="More to read"
	Documented *string `json:"documented,omitempty"`
	// First line of a text.
	// Its second line.
	//
	// A new paragraph, with `code`, "quotes" and a # sign.
	Long *string `json:"long,omitempty"`
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	Overridden *int `json:"overridden,omitempty"`
}

// Texts shows the markers of strings.
// +kubebuilder:title="All of Texts"
// +kubebuilder:externalDocs:url="https://konverge.dev"
type Texts struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec TextsSpec `json:"spec"`
}
