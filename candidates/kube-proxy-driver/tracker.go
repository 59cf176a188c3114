package kubeproxy

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"stingy.invalid/driver"
	"stingy.invalid/driver/sched"
)

type tracker[EndpointSlice any] struct {
	changes interface {
		EndpointSliceUpdate(slice *EndpointSlice, remove bool) bool
	}
	checkout func() HandedOver
	proxier  sync.Mutex // which every proxier holds while it checks out
	handed   []HandedOver
}

// HandedOver returns the present content of an earlier checkout.
type HandedOver func() Changes

// NewTracker makes a candidate of kube-proxy's change tracker alone, which takes the EndpointSlices of some version of
// their API.
func NewTracker[EndpointSlice any](changes interface {
	EndpointSliceUpdate(slice *EndpointSlice, remove bool) bool
}, checkout func() HandedOver) driver.Candidate {
	return driver.Candidate{Parts: []any{&tracker[EndpointSlice]{changes: changes, checkout: checkout}}, End: func() {}}
}

func (t *tracker[EndpointSlice]) update(slice Slice) bool {
	return t.changes.EndpointSliceUpdate(object[EndpointSlice](slice), false)
}

func (t *tracker[EndpointSlice]) remove(slice Slice) bool {
	return t.changes.EndpointSliceUpdate(object[EndpointSlice](slice), true)
}

func (t *tracker[EndpointSlice]) checkOut() Changes {
	sched.Lock("", &t.proxier)
	defer sched.Unlock("", &t.proxier)
	handed := t.checkout()
	t.handed = append(t.handed, handed)
	return handed()
}

func (t *tracker[EndpointSlice]) readAgain(number int) Changes { return t.handed[number]() }

// Due is what a tracker hands over that does not name the services: those that were pending just before are, those of
// trigger times that have come since, and those that an update has given other endpoints in the map.
func Due[Port comparable, Endpoint any](
	pending []string, before, after map[Port][]Endpoint, service func(Port) types.NamespacedName,
	times map[types.NamespacedName][]time.Time,
) HandedOver {
	for name := range times {
		pending = append(pending, name.String())
	}
	for _, endpoints := range []map[Port][]Endpoint{before, after} {
		for port := range endpoints {
			if !reflect.DeepEqual(before[port], after[port]) {
				pending = append(pending, service(port).String())
			}
		}
	}
	slices.Sort(pending)
	due := slices.Compact(pending)
	return func() Changes { return NewChanges(due, times) }
}
