package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"konverge.dev/bench/runtime/api"
)

const annotation = "bench.konverge.dev/sent"

// Latency tells how long ago each write was sent.
type Latency struct {
	client.Client
	count  int
	sent   map[string]string // the last write seen of each object; there is one worker
	delays []float64
}

// Reconcile compares the time in the object's annotation with now.
func (r *Latency) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	called := monotonic()
	var gadget api.Gadget
	if err := r.Get(ctx, req.NamespacedName, &gadget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	sent := gadget.Annotations[annotation]
	before, known := r.sent[gadget.Name]
	r.sent[gadget.Name] = sent
	if !known {
		if len(r.sent) == r.count {
			fmt.Fprintln(os.Stdout, `{"ready": true}`)
		}
	} else if sent != before {
		return ctrl.Result{}, r.note(called, sent)
	}
	return ctrl.Result{}, nil
}

func (r *Latency) note(called float64, sent string) error {
	moment, err := strconv.ParseFloat(sent, 64)
	if err != nil {
		return err
	}
	r.delays = append(r.delays, called-moment)
	if len(r.delays) == r.count {
		finish(r.delays)
	}
	return nil
}
