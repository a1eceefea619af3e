// Reads objects of built-in kinds, one JSON text a line, and prints each as the real server gives it back: defaulted,
// stored and read again. A line that cannot be read prints {"error": ...}.
//
// In a module that requires k8s.io/kubernetes at the version of Kubernetes that is embedded (as tools/kube/kubernetes):
//
//	go build -o defaults . && python tools/capture_builtin_defaults.py ./defaults
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		text, err := back(lines.Bytes())
		if err != nil {
			text, _ = json.Marshal(map[string]string{"error": err.Error()})
		}
		fmt.Fprintln(out, string(bytes.TrimSpace(text)))
	}
}

func back(text []byte) ([]byte, error) {
	var kind struct{ APIVersion, Kind string }
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, err
	}
	version, err := schema.ParseGroupVersion(kind.APIVersion)
	if err != nil {
		return nil, err
	}
	internal := schema.GroupVersion{Group: version.Group, Version: "__internal"}
	object, _, err := legacyscheme.Codecs.UniversalDecoder(internal).Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	// As it is stored, and read back from there.
	storage, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	var stored bytes.Buffer
	if err := legacyscheme.Codecs.EncoderForVersion(storage.Serializer, version).Encode(object, &stored); err != nil {
		return nil, err
	}
	object, _, err = legacyscheme.Codecs.UniversalDecoder(internal).Decode(stored.Bytes(), nil, nil)
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	err = legacyscheme.Codecs.LegacyCodec(version).Encode(object, &written)
	return written.Bytes(), err
}
