package kubeproxy

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/proxy"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointChangeTracker(kubeproxy.Host, nil, family, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.HandedOver {
		services, before := changes.PendingChanges().UnsortedList(), maps.Clone(endpoints)
		times := endpoints.Update(changes).LastChangeTriggerTimes
		return kubeproxy.Due(services, before, endpoints, serviceOf, times)
	})
}

func serviceOf(port proxy.ServicePortName) types.NamespacedName { return port.NamespacedName }
