// A client that reads and writes protobuf and nothing else: each verb of client-go once, with what came of it.
// tests/conformance/clients/test_go_protobuf.py builds and runs it, with the kubeconfig as its argument.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	return value
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	config.ContentType = runtime.ContentTypeProtobuf
	client := must(kubernetes.NewForConfig(config))
	maps := client.CoreV1().ConfigMaps("default")

	made := must(maps.Create(ctx, &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: "go-protobuf", Labels: map[string]string{"by": "go"}},
		Data:       map[string]string{"a": "1"},
		BinaryData: map[string][]byte{"b": {0, 1, 2}},
	}, meta.CreateOptions{}))
	fmt.Println("created", made.Name, made.Data["a"], made.BinaryData["b"], made.UID != "", !made.CreationTimestamp.IsZero())

	watch := must(maps.Watch(ctx, meta.ListOptions{ResourceVersion: made.ResourceVersion, LabelSelector: "by=go"}))
	defer watch.Stop()
	made.Data["a"] = "2"
	updated := must(maps.Update(ctx, made, meta.UpdateOptions{}))
	fmt.Println("updated", updated.Data["a"], updated.ResourceVersion != made.ResourceVersion)
	patch := []byte(`{"data":{"c":"3"}}`)
	patched := must(maps.Patch(ctx, "go-protobuf", types.MergePatchType, patch, meta.PatchOptions{}))
	fmt.Println("patched", patched.Data["c"])
	fmt.Println("read", must(maps.Get(ctx, "go-protobuf", meta.GetOptions{})).Data)
	fmt.Println("listed", len(must(maps.List(ctx, meta.ListOptions{LabelSelector: "by=go"})).Items))
	_, err := maps.Update(ctx, made, meta.UpdateOptions{})
	fmt.Println("conflict", errors.IsConflict(err))
	_, err = maps.Get(ctx, "none", meta.GetOptions{})
	fmt.Println("absent", errors.IsNotFound(err), err)

	deployments(ctx, client)
	informed(ctx, client)

	if err := maps.Delete(ctx, "go-protobuf", meta.DeleteOptions{}); err != nil {
		must(0, err)
	}
	for range 3 {
		event := <-watch.ResultChan()
		fmt.Println("seen", event.Type, event.Object.(*core.ConfigMap).Data)
	}
	groups := must(client.Discovery().ServerGroups())
	fmt.Println("groups", len(groups.Groups) > 10)
}

func deployments(ctx context.Context, client *kubernetes.Clientset) {
	replicas := int32(2)
	labels := map[string]string{"app": "go"}
	wanted := &apps.Deployment{
		ObjectMeta: meta.ObjectMeta{Name: "go-protobuf"},
		Spec: apps.DeploymentSpec{
			Replicas: &replicas,
			Selector: &meta.LabelSelector{MatchLabels: labels},
			Template: core.PodTemplateSpec{
				ObjectMeta: meta.ObjectMeta{Labels: labels},
				Spec:       core.PodSpec{Containers: []core.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
	made := must(client.AppsV1().Deployments("default").Create(ctx, wanted, meta.CreateOptions{}))
	fmt.Println("deployment", *made.Spec.Replicas, made.Spec.Strategy.RollingUpdate.MaxSurge, made.Generation)
	scale := must(client.AppsV1().Deployments("default").GetScale(ctx, "go-protobuf", meta.GetOptions{}))
	fmt.Println("scale", scale.Spec.Replicas, scale.Status.Selector)
}

func informed(ctx context.Context, client *kubernetes.Clientset) {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Namespaces().Informer()
	factory.Start(ctx.Done())
	fmt.Println("informer", cache.WaitForCacheSync(ctx.Done(), informer.HasSynced), len(informer.GetStore().List()) >= 4)
}
