// The works of the benchmark on controller-runtime, written as its documentation writes a controller.
//
//	main [-priority-queue=false] noop|children|latency N
//
// It ends by itself when all N objects are done, and prints one line of JSON with the moment of that on the machine's
// monotonic clock, which the driver shares.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"konverge.dev/bench/runtime/api"
)

const workers = 32

func main() {
	priorityQueue := flag.Bool("priority-queue", true, "as it comes, or off")
	flag.Parse()
	count, err := strconv.Atoi(flag.Arg(1))
	if err != nil {
		fatal(err)
	}
	ctrl.SetLogger(zap.New())

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(api.AddToScheme(scheme))
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		fatal(err)
	}
	options := controller.Options{UsePriorityQueue: priorityQueue}
	if err := complete(mgr, flag.Arg(0), count, options); err != nil {
		fatal(err)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		fatal(err)
	}
}

func complete(mgr ctrl.Manager, work string, count int, options controller.Options) error {
	var reconciler reconcile.Reconciler
	build := ctrl.NewControllerManagedBy(mgr).For(&api.Gadget{})
	switch work {
	case "noop":
		reconciler = &Noop{Client: mgr.GetClient(), done: newTally(count)}
	case "latency":
		reconciler = &Latency{Client: mgr.GetClient(), count: count, sent: map[string]string{}}
	case "children":
		build = build.Owns(&corev1.ConfigMap{})
		options.MaxConcurrentReconciles = workers
		reconciler = &Children{Client: mgr.GetClient(), scheme: mgr.GetScheme(), done: newTally(count)}
	default:
		return fmt.Errorf("no such work: %q", work)
	}
	return build.WithOptions(options).Complete(reconciler)
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
