package kubeproxy

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/proxy"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

// newTracker is checked out as the proxier does that: a partial sync programs the services that are named by PendingChanges.
func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointChangeTracker(kubeproxy.Host, nil, family, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.Changes {
		services := changes.PendingChanges()
		return kubeproxy.NewChanges(services.UnsortedList(), endpoints.Update(changes).LastChangeTriggerTimes)
	})
}
