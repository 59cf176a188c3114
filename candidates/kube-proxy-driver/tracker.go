package kubeproxy

import (
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
	checkout func() Changes
	proxier  sync.Mutex // which every proxier holds while it checks out
}

// NewTracker makes a candidate of kube-proxy's change tracker alone, which takes the EndpointSlices of some version of
// their API.
func NewTracker[EndpointSlice any](changes interface {
	EndpointSliceUpdate(slice *EndpointSlice, remove bool) bool
}, checkout func() Changes) driver.Candidate {
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
	return t.checkout()
}

// Due is what a tracker hands over that does not name the services: those that were pending just before are, and those of
// trigger times that have come since.
func Due(pending []string, times map[types.NamespacedName][]time.Time) Changes {
	for service := range times {
		if !slices.Contains(pending, service.String()) {
			pending = append(pending, service.String())
		}
	}
	return NewChanges(pending, times)
}
