package kubeproxy

import (
	"reflect"
	"sync"
	"testing/synctest"

	dto "github.com/prometheus/client_model/go"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	"stingy.invalid/driver"
)

// Proxier is one of kube-proxy's, as its informers see it.
type Proxier[EndpointSlice any] interface {
	OnServiceSynced()
	OnEndpointSliceAdd(slice *EndpointSlice)
	OnEndpointSliceUpdate(old, slice *EndpointSlice)
	OnEndpointSliceDelete(slice *EndpointSlice)
	OnEndpointSlicesSynced()
}

// Latency is the metric that the proxier observes.
type Latency interface {
	// Observed is what has been observed since it was last asked for.
	Observed() []float64
	Metric() Histogram
}

type proxy[EndpointSlice any] struct {
	Latency
	proxier Proxier[EndpointSlice]
	kernel  *Kernel

	informer sync.Mutex // which tells of one slice after the other
	slices   map[types.NamespacedName]*EndpointSlice

	servicesSynced, slicesSynced bool
	completed                    func() // see complete
}

// NewProxy makes a candidate of a whole proxier, which has just been made with these tables, of which a Kernel is part.
//
// Its SyncLoop, which decides when to sync, is not run: that decision is the runner's. What the proxier asks of it goes to
// another one, which nobody runs, and which was made outside the bubble: the proxier can then be taken to another bubble.
func NewProxy[EndpointSlice any](
	proxier Proxier[EndpointSlice], tables interface{ kernel() *Kernel }, latency Latency, syncRunner any,
) driver.Candidate {
	Private(proxier, "syncRunner").Set(reflect.ValueOf(syncRunner))
	synctest.Wait() // until the tables are monitored
	return driver.Candidate{End: func() {}, Parts: []any{&proxy[EndpointSlice]{
		Latency: latency, proxier: proxier, kernel: tables.kernel(), slices: map[types.NamespacedName]*EndpointSlice{},
	}}}
}

func (p *proxy[EndpointSlice]) update(slice Slice) bool {
	p.informer.Lock()
	defer p.informer.Unlock()
	name := types.NamespacedName{Namespace: slice.Namespace, Name: slice.Name}
	told := object[EndpointSlice](slice)
	old, known := p.slices[name]
	p.slices[name] = told
	return changesPending(func() {
		if known {
			p.proxier.OnEndpointSliceUpdate(old, told)
		} else {
			p.proxier.OnEndpointSliceAdd(told)
		}
	})
}

func (p *proxy[EndpointSlice]) remove(slice Slice) bool {
	p.informer.Lock()
	defer p.informer.Unlock()
	delete(p.slices, types.NamespacedName{Namespace: slice.Namespace, Name: slice.Name})
	return changesPending(func() { p.proxier.OnEndpointSliceDelete(object[EndpointSlice](slice)) })
}

// changesPending says whether the proxier has taken something as a change. The handlers return nothing, but its tracker
// counts pending changes in a metric, and raises it exactly when it tells the proxier that there is something to sync.
func changesPending(notify func()) bool {
	before := pendingChanges()
	notify()
	return pendingChanges() > before
}

func pendingChanges() float64 {
	var gauge dto.Metric
	if err := metrics.EndpointChangesPending.Write(&gauge); err != nil {
		panic(err)
	}
	return gauge.GetGauge().GetValue()
}

func (p *proxy[EndpointSlice]) haveServices() {
	p.complete(&p.servicesSynced, p.slicesSynced, p.proxier.OnServiceSynced)
}

func (p *proxy[EndpointSlice]) haveSlices() {
	p.complete(&p.slicesSynced, p.servicesSynced, p.proxier.OnEndpointSlicesSynced)
}

// complete tells the proxier, once, that a list is complete. With the second list it syncs at once, of its own accord;
// but the protocol has syncs only where the runner asks for one, and says then how the programming goes. So the proxier
// hears of the second list at the beginning of the next sync, which is the one that it then does.
func (p *proxy[EndpointSlice]) complete(synced *bool, otherSynced bool, notify func()) {
	switch {
	case *synced: // kube-proxy's informers say it once in a lifetime
	case otherSynced:
		p.completed = notify
	default:
		notify()
	}
	*synced = true
}

// sync has the proxier sync once, and returns what it observed. If the rules are programmed, the informers tell of what
// arrives meanwhile before they are written.
func (p *proxy[EndpointSlice]) sync(program Program) []float64 {
	informer := newInformer()
	p.kernel.program = program
	p.kernel.arrive = func() { informer.tell(func() { p.take(program.Meanwhile) }) }
	defer informer.finish()
	if p.completed != nil {
		p.completed()
		p.completed = nil
	} else {
		p.kernel.Reload()
	}
	return p.Observed()
}

func (p *proxy[EndpointSlice]) take(arrivals []Arrival) {
	for _, arrival := range arrivals {
		if arrival.Op == "remove" {
			p.remove(*arrival.Slice)
		} else {
			p.update(*arrival.Slice)
		}
	}
}
