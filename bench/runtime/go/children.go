package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"konverge.dev/bench/runtime/api"
)

// Children gives each object a ConfigMap and says so in its status.
type Children struct {
	client.Client
	scheme *runtime.Scheme
	done   *tally
}

// Reconcile creates the child if it is missing, and updates the status if it differs.
func (r *Children) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var gadget api.Gadget
	if err := r.Get(ctx, req.NamespacedName, &gadget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var child corev1.ConfigMap
	err := r.Get(ctx, req.NamespacedName, &child)
	if apierrors.IsNotFound(err) {
		err = r.create(ctx, &gadget)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if gadget.Status.Phase != "Ready" {
		gadget.Status = api.GadgetStatus{Child: gadget.Name, Phase: "Ready"}
		if err := r.Status().Update(ctx, &gadget); err != nil {
			return ctrl.Result{}, err
		}
	}
	if r.done.add(gadget.Name) {
		finish(nil)
	}
	return ctrl.Result{}, nil
}

func (r *Children) create(ctx context.Context, gadget *api.Gadget) error {
	child := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: gadget.Name, Namespace: gadget.Namespace},
		Data:       map[string]string{"image": gadget.Spec.Image, "schedule": gadget.Spec.Schedule},
	}
	if err := ctrl.SetControllerReference(gadget, child, r.scheme); err != nil {
		return err
	}
	return r.Create(ctx, child)
}
