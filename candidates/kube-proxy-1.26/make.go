package kubeproxy

import (
	"maps"
	"net"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/proxy"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	"k8s.io/kubernetes/pkg/util/async"
	"stingy.invalid/driver"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointChangeTracker(kubeproxy.Host, nil, family, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.Changes {
		services, before := changes.PendingChanges().UnsortedList(), maps.Clone(endpoints)
		times := endpoints.Update(changes).LastChangeTriggerTimes
		return kubeproxy.Due(services, before, endpoints, serviceOf, times)
	})
}

func serviceOf(port proxy.ServicePortName) types.NamespacedName { return port.NamespacedName }

var syncRunner = async.NewBoundedFrequencyRunner(
	"", func() {}, kubeproxy.MinSyncPeriod, kubeproxy.SyncPeriod, 1)

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), kubeproxy.Unlabelled(&metrics.NetworkProgrammingLatency)
	proxier, err := newProxier(family, tables, nodeIP)
	if err != nil {
		panic(err)
	}
	return kubeproxy.NewProxy(proxier, tables, latency, syncRunner)
}
