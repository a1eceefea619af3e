// Prints src/konverge/cluster/apiserver/apply/empty_objects.json: what each built-in kind is when nobody set anything,
// as Go's structs have it, for the kinds where that is more than empty metadata.
//
// In a module that requires k8s.io/client-go, k8s.io/apimachinery, k8s.io/apiextensions-apiserver and
// k8s.io/kube-aggregator, all at the version of Kubernetes that is embedded:
//
//	go run . > empty_objects.json
package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Bindings, evictions and scales are never stored, and nobody owns anything of them; a review tells who asked what.
var transient = []string{"Binding", "Eviction", "Scale"}

func main() {
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(scheme.Scheme); err != nil {
			panic(err)
		}
	}
	lines := []string{}
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if strings.ContainsAny(strings.TrimPrefix(gvk.Version, "v"), "ab_") || isTransient(gvk.Kind) {
			continue
		}
		object, err := scheme.Scheme.New(gvk)
		if err != nil {
			panic(err)
		}
		if _, stored := object.(metav1.Object); !stored {
			continue
		}
		text, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		if string(text) != `{"metadata":{}}` {
			lines = append(lines, fmt.Sprintf("  %q: %s", gvk.GroupVersion().String()+"/"+gvk.Kind, text))
		}
	}
	sort.Strings(lines)
	fmt.Printf("{\n%s\n}\n", strings.Join(lines, ",\n"))
}

func isTransient(kind string) bool {
	for _, end := range transient {
		if strings.HasSuffix(kind, end) && kind != "RoleBinding" && kind != "ClusterRoleBinding" && !strings.HasPrefix(kind, "Mutating") && !strings.HasPrefix(kind, "Validating") {
			return true
		}
	}
	return false
}
