package api

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyInto copies a spec, as controller-gen would write it.
func (in *GadgetSpec) DeepCopyInto(out *GadgetSpec) {
	*out = *in
	out.Ports = slices.Clone(in.Ports)
	out.Resources = maps.Clone(in.Resources)
	out.Rules = slices.Clone(in.Rules)
	out.Selector = maps.Clone(in.Selector)
	out.Notify = slices.Clone(in.Notify)
}

// DeepCopyInto copies a gadget.
func (in *Gadget) DeepCopyInto(out *Gadget) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.DeepCopyInto(&out.Spec)
}

// DeepCopy copies a gadget.
func (in *Gadget) DeepCopy() *Gadget {
	if in == nil {
		return nil
	}
	out := new(Gadget)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject copies a gadget.
func (in *Gadget) DeepCopyObject() runtime.Object {
	if c := in.DeepCopy(); c != nil {
		return c
	}
	return nil
}

// DeepCopy copies a list.
func (in *GadgetList) DeepCopy() *GadgetList {
	if in == nil {
		return nil
	}
	out := new(GadgetList)
	*out = *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	if in.Items != nil {
		out.Items = make([]Gadget, len(in.Items))
		for i := range in.Items {
			in.Items[i].DeepCopyInto(&out.Items[i])
		}
	}
	return out
}

// DeepCopyObject copies a list.
func (in *GadgetList) DeepCopyObject() runtime.Object {
	if c := in.DeepCopy(); c != nil {
		return c
	}
	return nil
}
