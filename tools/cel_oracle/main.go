// Command cel_oracle asks the real engine what expressions and rules give: the golden data of tests/cluster/apiserver/cel.
//
// It reads JSON lines and writes them back with the results: {"expr": …} an expression's type, value or error and cost,
// {"rules": true, "schema": …, "self": …, "old": …} what x-kubernetes-validations say of a value. A "fixture" names a
// schema, a value and an old value in the file that -fixtures gives.
//
// In a module that requires k8s.io/apiextensions-apiserver v0.36.3 and github.com/google/cel-go v0.26.0:
//
//	go run . -fixtures data/evaluation_fixtures.json < data/evaluations.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	apiextinternal "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/warning"
)

type in struct {
	Expr     string          `json:"expr,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	Self     json.RawMessage `json:"self,omitempty"`
	Old      json.RawMessage `json:"old,omitempty"`
	Rules    bool            `json:"rules,omitempty"`
	Root     bool            `json:"root,omitempty"`
	Budget   *int64          `json:"budget,omitempty"`
	Limit    *uint64         `json:"limit,omitempty"`
	Optional bool            `json:"optional,omitempty"`
	Fixture  string          `json:"fixture,omitempty"`
	WithOld  bool            `json:"withOld,omitempty"`
}

type fixture struct {
	Schema json.RawMessage `json:"schema"`
	Self   json.RawMessage `json:"self"`
	Old    json.RawMessage `json:"old"`
}

func structural(raw json.RawMessage) *structuralschema.Structural {
	var props apiext.JSONSchemaProps
	if err := json.Unmarshal(raw, &props); err != nil {
		panic(err)
	}
	internal := apiextinternal.JSONSchemaProps{}
	if err := apiext.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		panic(err)
	}
	s, err := structuralschema.NewStructural(&internal)
	if err != nil {
		panic(err)
	}
	return s
}

func decode(raw json.RawMessage) interface{} {
	if len(raw) == 0 {
		return nil
	}
	var v interface{}
	if err := utiljson.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

func value(v ref.Val) interface{} {
	switch t := v.(type) {
	case types.Bool:
		return bool(t)
	case types.Int:
		return map[string]interface{}{"int": fmt.Sprint(int64(t))}
	case types.Uint:
		return map[string]interface{}{"uint": fmt.Sprint(uint64(t))}
	case types.Double:
		f := float64(t)
		if math.IsNaN(f) {
			return map[string]interface{}{"double": "nan"}
		}
		if math.IsInf(f, 1) {
			return map[string]interface{}{"double": "inf"}
		}
		if math.IsInf(f, -1) {
			return map[string]interface{}{"double": "-inf"}
		}
		return map[string]interface{}{"double": fmt.Sprintf("%.17g", f)}
	case types.String:
		return string(t)
	case types.Bytes:
		return map[string]interface{}{"bytes": base64.StdEncoding.EncodeToString(t)}
	case types.Null:
		return nil
	case types.Timestamp:
		return map[string]interface{}{"timestamp": t.Time.Format("2006-01-02T15:04:05.999999999Z07:00")}
	case types.Duration:
		return map[string]interface{}{"duration": fmt.Sprint(int64(t.Duration))}
	case *types.Optional:
		if t.HasValue() {
			return map[string]interface{}{"optional": value(t.GetValue())}
		}
		return map[string]interface{}{"none": true}
	case *types.Type:
		return map[string]interface{}{"type": t.TypeName()}
	case traits.Lister:
		out := []interface{}{}
		n := int(t.Size().(types.Int))
		for i := 0; i < n; i++ {
			out = append(out, value(t.Get(types.Int(i))))
		}
		return map[string]interface{}{"list": out}
	case traits.Mapper:
		out := [][]interface{}{}
		for it := t.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			if k == nil {
				continue
			}
			out = append(out, []interface{}{value(k), value(t.Get(k))})
		}
		sort.Slice(out, func(i, j int) bool {
			a, _ := json.Marshal(out[i][0])
			b, _ := json.Marshal(out[j][0])
			return string(a) < string(b)
		})
		return map[string]interface{}{"map": out}
	case apiservercel.Quantity:
		return map[string]interface{}{"quantity": t.Quantity.String()}
	case *apiservercel.Quantity:
		return map[string]interface{}{"quantity": t.Quantity.String()}
	case apiservercel.URL:
		return map[string]interface{}{"url": t.URL.String()}
	case apiservercel.IP:
		return map[string]interface{}{"ip": t.Addr.String()}
	case apiservercel.CIDR:
		return map[string]interface{}{"cidr": t.Prefix.String()}
	case apiservercel.Semver:
		return map[string]interface{}{"semver": t.Version.String()}
	case apiservercel.Format:
		return map[string]interface{}{"format": t.Name}
	}
	return map[string]interface{}{"other": fmt.Sprintf("%T", v)}
}

type activation struct {
	self, old ref.Val
	hasOld    bool
}

func (a *activation) ResolveName(name string) (interface{}, bool) {
	switch name {
	case "self":
		return a.self, true
	case "oldSelf":
		return a.old, a.hasOld
	}
	return nil, false
}
func (a *activation) Parent() interpreter.Activation { return nil }

func main() {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 1<<24), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	path := flag.String("fixtures", "", "the file with the fixtures")
	dump := flag.Bool("ast", false, "show the checked syntax tree as well")
	flag.Parse()
	fixtures := map[string]fixture{}
	if *path != "" {
		content, err := os.ReadFile(*path)
		if err != nil {
			panic(err)
		}
		if err := json.Unmarshal(content, &fixtures); err != nil {
			panic(err)
		}
	}
	for scanner.Scan() {
		line := scanner.Bytes()
		if len(strings.TrimSpace(string(line))) == 0 {
			continue
		}
		var i in
		if err := json.Unmarshal(line, &i); err != nil {
			panic(fmt.Errorf("%s: %w", line, err))
		}
		res := map[string]interface{}{}
		_ = json.Unmarshal(line, &res)
		for _, name := range []string{"issues", "program", "value", "error", "cost", "type", "errors", "remaining", "warnings"} {
			delete(res, name)
		}
		if f, ok := fixtures[i.Fixture]; ok {
			i.Schema, i.Self = f.Schema, f.Self
			if i.WithOld {
				i.Old = f.Old
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					res["panic"] = fmt.Sprint(r)
				}
			}()
			if i.Rules {
				rules(i, res)
			} else {
				expr(base, i, res, *dump)
			}
		}()
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(res); err != nil {
			panic(err)
		}
	}
}

type warner struct{ texts []string }

func (w *warner) AddWarning(agent, text string) { w.texts = append(w.texts, text) }

func rules(i in, res map[string]interface{}) {
	s := structural(i.Schema)
	limit := uint64(celconfig.PerCallLimit)
	if i.Limit != nil {
		limit = *i.Limit
	}
	budget := int64(celconfig.RuntimeCELCostBudget)
	if i.Budget != nil {
		budget = *i.Budget
	}
	v := schemacel.NewValidator(s, i.Root, limit)
	w := &warner{}
	ctx := warning.WithWarningRecorder(context.Background(), w)
	self, old := decode(i.Self), decode(i.Old)
	var opts []schemacel.Option
	if old != nil {
		opts = append(opts, schemacel.WithRatcheting(common.NewCorrelatedObject(self, old, &model.Structural{Structural: s})))
	}
	var path *field.Path
	errs, remaining := v.Validate(ctx, path, s, self, old, budget, opts...)
	list := []map[string]string{}
	for _, e := range errs {
		list = append(list, map[string]string{"type": string(e.Type), "field": e.Field, "body": e.ErrorBody()})
	}
	sort.SliceStable(list, func(a, b int) bool { return list[a]["field"] < list[b]["field"] })
	res["errors"] = list
	res["remaining"] = remaining
	sort.Strings(w.texts)
	if len(w.texts) > 0 {
		res["warnings"] = w.texts
	}
}

func expr(base *environment.EnvSet, i in, res map[string]interface{}, dump bool) {
	var root *apiservercel.DeclType
	act := &activation{}
	set := base
	if len(i.Schema) > 0 {
		s := structural(i.Schema)
		root = model.SchemaDeclType(s, i.Root).MaybeAssignTypeName("selfType")
		oldType := root.CelType()
		if i.Optional {
			oldType = types.NewOptionalType(oldType)
		}
		var err error
		set, err = base.Extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0),
			EnvOptions: []celgo.EnvOption{celgo.Variable("self", root.CelType()), celgo.Variable("oldSelf", oldType)},
			DeclTypes:  []*apiservercel.DeclType{root}})
		if err != nil {
			panic(err)
		}
		if i.Root {
			s = model.WithTypeAndObjectMeta(s)
		}
		act.self = schemacel.UnstructuredToVal(decode(i.Self), s)
		if len(i.Old) > 0 {
			act.hasOld = true
			act.old = schemacel.UnstructuredToVal(decode(i.Old), s)
			if i.Optional {
				act.old = types.OptionalOf(act.old)
			}
		} else if i.Optional {
			act.hasOld = true
			act.old = types.OptionalNone
		}
	}
	env := set.StoredExpressionsEnv()
	checked, issues := env.Compile(i.Expr)
	if issues != nil {
		res["issues"] = issues.String()
		return
	}
	res["type"] = checked.OutputType().String()
	if dump {
		res["ast"] = node(checked.NativeRep().Expr())
		refs := map[string]interface{}{}
		for id, r := range checked.NativeRep().ReferenceMap() {
			refs[fmt.Sprint(id)] = map[string]interface{}{"name": r.Name, "overloads": r.OverloadIDs}
		}
		res["refs"] = refs
		ts := map[string]interface{}{}
		for id, t := range checked.NativeRep().TypeMap() {
			ts[fmt.Sprint(id)] = t.String()
		}
		res["types"] = ts
	}
	est := &library.CostEstimator{}
	limit := uint64(celconfig.PerCallLimit)
	if i.Limit != nil {
		limit = *i.Limit
	}
	prog, err := env.Program(checked, celgo.CostLimit(limit), celgo.CostTracking(est), celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		res["program"] = err.Error()
		return
	}
	v, details, err := prog.ContextEval(context.Background(), act)
	if details != nil && details.ActualCost() != nil {
		res["cost"] = *details.ActualCost()
	}
	if err != nil {
		res["error"] = err.Error()
		return
	}
	res["value"] = value(v)
}

func node(e ast.Expr) interface{} {
	m := map[string]interface{}{"id": e.ID()}
	list := func(es []ast.Expr) []interface{} {
		o := []interface{}{}
		for _, x := range es {
			o = append(o, node(x))
		}
		return o
	}
	switch e.Kind() {
	case ast.LiteralKind:
		m["k"] = "literal"
		m["v"] = value(e.AsLiteral())
	case ast.IdentKind:
		m["k"] = "ident"
		m["name"] = e.AsIdent()
	case ast.SelectKind:
		s := e.AsSelect()
		m["k"] = "select"
		m["operand"] = node(s.Operand())
		m["field"] = s.FieldName()
		m["test"] = s.IsTestOnly()
	case ast.CallKind:
		c := e.AsCall()
		m["k"] = "call"
		m["function"] = c.FunctionName()
		m["args"] = list(c.Args())
		if c.IsMemberFunction() {
			m["target"] = node(c.Target())
		}
	case ast.ListKind:
		l := e.AsList()
		m["k"] = "list"
		m["elements"] = list(l.Elements())
		m["optional"] = l.OptionalIndices()
	case ast.MapKind:
		m["k"] = "map"
		o := []interface{}{}
		for _, x := range e.AsMap().Entries() {
			y := x.AsMapEntry()
			o = append(o, map[string]interface{}{"id": x.ID(), "key": node(y.Key()), "value": node(y.Value()), "optional": y.IsOptional()})
		}
		m["entries"] = o
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		m["k"] = "fold"
		m["range"] = node(c.IterRange())
		m["var"] = c.IterVar()
		m["var2"] = c.IterVar2()
		m["accu"] = c.AccuVar()
		m["init"] = node(c.AccuInit())
		m["cond"] = node(c.LoopCondition())
		m["step"] = node(c.LoopStep())
		m["result"] = node(c.Result())
	default:
		m["k"] = "other"
	}
	return m
}
