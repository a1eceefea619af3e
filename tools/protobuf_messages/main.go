// Prints how the built-in kinds are written as protobuf, and what becomes of that as JSON, as one line of JSON; with
// the argument "zeros", objects of each kind instead, once with nothing set and once with a zero in every place.
// tools/capture_protobuf.py runs it and keeps what it prints.
//
// The numbers of the modules' generated.proto files stand in the tags of Go's structs as well. The structs are read,
// since they also say what the files do not: the names and rules of JSON, and which fields are pointers.
package main

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admission "k8s.io/api/admission/v1"
	admissionbeta "k8s.io/api/admission/v1beta1"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	apidiscoverybeta "k8s.io/api/apidiscovery/v2beta1"
	imagepolicy "k8s.io/api/imagepolicy/v1alpha1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	metabeta "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Message is a struct, by the fields that protobuf knows.
type Message map[string]Field

// Field is one of them; its number is its key.
type Field struct {
	Name    string `json:"name,omitempty"` // in JSON; empty: its content takes the place of the message, or stands beside the other fields
	Go      string `json:"go,omitempty"`   // where it is not the name in JSON with a capital
	Type    string `json:"type"`           // string, int32, int64, bool, double, bytes, or the name of a message
	Many    string `json:"many,omitempty"` // list, map
	Pointer bool   `json:"pointer,omitempty"`
	Omit    string `json:"omit,omitempty"` // empty, zero
	At      int    `json:"at,omitempty"`   // its place among the fields, in which JSON has them
}

// Output is what is printed.
type Output struct {
	Kinds    map[string]string  `json:"kinds"`
	Messages map[string]Message `json:"messages"`
}

// Types with a form of their own in JSON; what reads them knows their fields.
var special = map[string]bool{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                 true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 true,
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 true,
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               true,
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": true,
}

var output = Output{Kinds: map[string]string{}, Messages: map[string]Message{}}

type marshaler interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func main() {
	// Those that client-go's own scheme does not have.
	more := []func(*runtime.Scheme) error{
		admission.AddToScheme, admissionbeta.AddToScheme, imagepolicy.AddToScheme,
		apidiscovery.AddToScheme, apidiscoverybeta.AddToScheme,
		apiextensions.AddToScheme, apiregistration.AddToScheme,
		meta.AddMetaToScheme, metabeta.AddMetaToScheme,
	}
	for _, add := range more {
		if err := add(scheme.Scheme); err != nil {
			panic(err)
		}
	}
	types := map[string]reflect.Type{}
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if _, ok := reflect.New(goType).Interface().(marshaler); ok && gvk.Version != "__internal" {
			types[gvk.GroupVersion().String()+"/"+gvk.Kind] = goType
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "zeros" {
		show(zeros(types))
		return
	}
	for name, goType := range types {
		output.Kinds[name] = message(goType)
	}
	show(output)
}

func show(value any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		panic(err)
	}
}

func nameOf(goType reflect.Type) string { return goType.PkgPath() + "." + goType.Name() }

// message notes a type and those in it, and returns its name.
func message(goType reflect.Type) string {
	name := nameOf(goType)
	if _, known := output.Messages[name]; known || special[name] {
		return name
	}
	fields := Message{}
	output.Messages[name] = fields
	if goType.Kind() == reflect.Slice { // a message of its own, so that none and empty differ
		fields["1"] = Field{Type: element(goType.Elem()), Many: "list"}
		return name
	}
	for i := range goType.NumField() {
		add(fields, goType.Field(i), i)
	}
	return name
}

func add(fields Message, field reflect.StructField, at int) {
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		return
	}
	if _, err := strconv.Atoi(tag[1]); err != nil {
		panic(field.Name)
	}
	jsonTag := strings.Split(field.Tag.Get("json"), ",")
	if jsonTag[0] == "-" {
		return
	}
	found := Field{Name: jsonTag[0], At: at}
	for _, option := range jsonTag[1:] {
		if option == "omitzero" || option == "omitempty" && found.Omit == "" {
			found.Omit = strings.TrimPrefix(option, "omit")
		}
	}
	if found.Name == "" && !field.Anonymous {
		found.Name = field.Name
	}
	if found.Name == "" || strings.ToUpper(found.Name[:1])+found.Name[1:] != field.Name {
		found.Go = field.Name
	}
	goType := field.Type
	if goType.Kind() == reflect.Pointer {
		found.Pointer = true
		goType = goType.Elem()
	}
	_, own := reflect.New(goType).Interface().(marshaler)
	switch {
	case own:
		found.Type = message(goType)
	case goType.Kind() == reflect.Map:
		found.Many = "map"
		if goType.Key().Kind() != reflect.String {
			panic(field.Name)
		}
		found.Type = element(goType.Elem())
	case goType.Kind() == reflect.Slice && goType.Elem().Kind() != reflect.Uint8:
		found.Many = "list"
		found.Type = element(goType.Elem())
	default:
		found.Type = element(goType)
	}
	fields[tag[1]] = found
}

func element(goType reflect.Type) string {
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	switch goType.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32, reflect.Uint32:
		return "int32"
	case reflect.Int64, reflect.Int, reflect.Uint64:
		return "int64"
	case reflect.Float64:
		return "double"
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return message(goType)
	case reflect.Struct:
		return message(goType)
	}
	panic(goType.String())
}

// Pair is one object in both forms.
type Pair struct {
	Kind     string          `json:"kind"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

func zeros(types map[string]reflect.Type) []Pair {
	pairs := []Pair{}
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		goType := types[kind]
		nothing, everything := reflect.New(goType), reflect.New(goType)
		fill(everything.Elem(), map[reflect.Type]int{})
		pairs = append(pairs, pair(kind, nothing), pair(kind, everything))
	}
	return pairs
}

// pair encodes an object, and what comes back of that as JSON, which is what a server sees.
func pair(kind string, object reflect.Value) Pair {
	sent, err := object.Interface().(marshaler).Marshal()
	if err != nil {
		panic(err)
	}
	read := reflect.New(object.Type().Elem())
	if err := read.Interface().(marshaler).Unmarshal(sent); err != nil {
		panic(err)
	}
	text, err := json.Marshal(read.Interface())
	if err != nil {
		panic(err)
	}
	return Pair{Kind: kind, Protobuf: sent, JSON: text}
}

// fill puts a zero wherever something may be absent.
func fill(value reflect.Value, within map[reflect.Type]int) {
	goType := value.Type()
	if special[nameOf(goType)] || within[goType] > 0 {
		return
	}
	within[goType]++
	defer func() { within[goType]-- }()
	switch goType.Kind() {
	case reflect.Struct:
		for i := range goType.NumField() {
			if goType.Field(i).Tag.Get("protobuf") != "" {
				fill(value.Field(i), within)
			}
		}
	case reflect.Pointer:
		value.Set(reflect.New(goType.Elem()))
		fill(value.Elem(), within)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(goType, 1, 1))
		fill(value.Index(0), within)
	case reflect.Map:
		value.Set(reflect.MakeMap(goType))
		value.SetMapIndex(reflect.Zero(goType.Key()), reflect.Zero(goType.Elem()))
	}
}
