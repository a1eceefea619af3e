package main

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"konverge.dev/bench/runtime/api"
)

// Noop reads the object and does nothing.
type Noop struct {
	client.Client
	done *tally
}

// Reconcile reads the object from the cache.
func (r *Noop) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var gadget api.Gadget
	if err := r.Get(ctx, req.NamespacedName, &gadget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.done.add(gadget.Name) {
		finish(nil)
	}
	return ctrl.Result{}, nil
}
