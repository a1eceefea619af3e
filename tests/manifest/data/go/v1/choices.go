package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Policy says what happens to the rest.
// +kubebuilder:validation:Enum=Keep;Delete
type Policy string

// Level is one of a few.
// +k8s:enum
type Level string

const (
	LevelHigh Level = "High"
	LevelLow  Level = "Low"
)

// Source is one of three.
// +kubebuilder:validation:ExactlyOneOf=configMap;secretRef
// +kubebuilder:validation:AtMostOneOf=url;secretRef
// +kubebuilder:validation:AtLeastOneOf=url;configMap;secretRef
type Source struct {
	ConfigMap *string `json:"configMap,omitempty"`
	SecretRef *string `json:"secretRef,omitempty"`
	URL       *string `json:"url,omitempty"`
}

// ChoicesSpec has choices and rules of each kind.
// +kubebuilder:validation:XValidation:rule="self.policy != 'Delete' || has(self.reason)",message="a deletion needs a reason",reason=FieldValueRequired,fieldPath=".reason"
// +kubebuilder:validation:XValidation:rule="size(self.policy) < 99",messageExpression="'too long: ' + self.policy"
type ChoicesSpec struct {
	// +kubebuilder:default=Keep
	Policy Policy `json:"policy,omitempty"`
	Level  *Level `json:"level,omitempty"`
	// +kubebuilder:validation:Enum=1;2;4
	Lanes  *int    `json:"lanes,omitempty"`
	Reason *string `json:"reason,omitempty"`
	// +kubebuilder:validation:Enum=north;south
	Side *string `json:"side,omitempty"`
	// +kubebuilder:validation:items:Enum=a;b
	Letters []string `json:"letters,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="it cannot be changed"
	Fixed string `json:"fixed"`
	// +kubebuilder:validation:XValidation:rule="!oldSelf.hasValue() || oldSelf.value() <= self",optionalOldSelf=true
	Growing *int `json:"growing,omitempty"`
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:XValidation:rule="self != 'x'"
	// +kubebuilder:validation:items:MaxLength=10
	Checked []string `json:"checked,omitempty"`
	// +k8s:immutable
	Region *string `json:"region,omitempty"`
	// +k8s:immutable
	// +required
	Zone   string  `json:"zone"`
	Source *Source `json:"source,omitempty"`
}

// Choices shows enums, rules and one-ofs.
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'root'",message="not root"
type Choices struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ChoicesSpec `json:"spec"`
}
