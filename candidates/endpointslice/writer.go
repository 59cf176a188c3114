package endpointslice

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/endpointslice"
	"k8s.io/endpointslice/util"
	"k8s.io/klog/v2"
	"stingy.invalid/driver"
)

const (
	namespace  = "shop"
	controller = "endpointslice-controller.k8s.io"
	node       = "node"
	perSlice   = 100
	mark       = "stingy.invalid/mark" // an annotation of the driver's own
)

type moment struct {
	Instant instant `json:"instant"`
}

// writer is a reconciler with a Service whose slice it keeps, in an API server that is only pretended.
type writer struct {
	client     *fake.Clientset
	reconciler *endpointslice.Reconciler
	service    *v1.Service
	written    int
}

func newWriter(driver.Options) driver.Candidate {
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if err := nodes.Add(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}); err != nil {
		panic(err)
	}
	client := fake.NewClientset()
	w := &writer{
		client: client,
		reconciler: endpointslice.NewReconciler(client, corelisters.NewNodeLister(nodes), perSlice,
			util.NewEndpointSliceTracker(), nil, record.NewFakeRecorder(perSlice), controller),
		service: &v1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", UID: "web"},
			Spec: v1.ServiceSpec{
				Ports:      []v1.ServicePort{{Name: "http", Port: 80, Protocol: v1.ProtocolTCP, TargetPort: intstr.FromInt32(80)}},
				Selector:   map[string]string{"app": "web"},
				IPFamilies: []v1.IPFamily{v1.IPv4Protocol},
			},
		},
	}
	return driver.Candidate{Parts: []any{w}, End: func() {}}
}

// format has the reconciler write the slice with this trigger time: create it at first, and then update what is there, for
// each time one Pod of the Service has another address. The other one stays, and so does the slice: without it, a new one
// would be written in its place, with no annotation to be cleared.
func format(w *writer, asked moment) any {
	w.written++
	pods := []*v1.Pod{w.pod("stays", "10.1.0.1"), w.pod("moves", w.address())}
	if err := w.reconciler.Reconcile(klog.Background(), w.service, pods, w.slices(), time.Time(asked.Instant)); err != nil {
		panic(err)
	}
	kept := w.slices()
	if len(kept) != 1 || len(kept[0].Endpoints) != len(pods) || !slices.ContainsFunc(kept[0].Endpoints, w.hasMoved) {
		panic(fmt.Sprintf("the slice has not been written, but is %v", kept))
	}
	if w.written > 1 && kept[0].Annotations[mark] == "" {
		panic("another slice has been written in the place of the one that was there: it had no annotation to be cleared")
	}
	w.mark(kept[0])
	if text, ok := kept[0].Annotations[v1.EndpointsLastChangeTriggerTime]; ok {
		return text
	}
	return nil
}

func (w *writer) slices() []*discovery.EndpointSlice {
	list, err := w.client.DiscoveryV1().EndpointSlices(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	kept := []*discovery.EndpointSlice{}
	for i := range list.Items {
		kept = append(kept, &list.Items[i])
	}
	return kept
}

// mark has a slice known again.
func (w *writer) mark(slice *discovery.EndpointSlice) {
	marked := slice.DeepCopy()
	if marked.Annotations == nil {
		marked.Annotations = map[string]string{}
	}
	marked.Annotations[mark] = "known"
	if _, err := w.client.DiscoveryV1().EndpointSlices(namespace).Update(context.Background(), marked, metav1.UpdateOptions{}); err != nil {
		panic(err)
	}
}

func (w *writer) pod(name, address string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Labels: w.service.Spec.Selector},
		Spec:       v1.PodSpec{NodeName: node},
		Status: v1.PodStatus{
			PodIP:      address,
			PodIPs:     []v1.PodIP{{IP: address}},
			Conditions: []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}},
		},
	}
}

// hasMoved is whether this is the Pod that moves, where it is now.
func (w *writer) hasMoved(endpoint discovery.Endpoint) bool {
	return endpoint.Addresses[0] == w.address()
}

// address is where the Pod that moves is now.
func (w *writer) address() string {
	return fmt.Sprintf("10.0.%d.%d", w.written/250, w.written%250+1)
}
