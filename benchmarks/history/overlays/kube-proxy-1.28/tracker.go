package kubeproxy

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/proxy"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointChangeTracker(kubeproxy.Host, nil, family, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.Changes {
		result := endpoints.Update(changes)
		return kubeproxy.NewChanges(result.UpdatedServices.UnsortedList(), result.LastChangeTriggerTimes)
	})
}
