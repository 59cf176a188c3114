package kubeproxy

import (
	"maps"
	"net"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/proxy"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	proxyutiliptables "k8s.io/kubernetes/pkg/proxy/util/iptables"
	"k8s.io/kubernetes/pkg/util/async"
	sysctltest "k8s.io/kubernetes/pkg/util/sysctl/testing"
	exectest "k8s.io/utils/exec/testing"
	"stingy.invalid/driver"
	"stingy.invalid/driver/sched"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes := newChanges(family)
	endpoints := proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.HandedOver {
		services, before := pending(changes), maps.Clone(endpoints)
		times := endpoints.Update(changes).LastChangeTriggerTimes
		return kubeproxy.Due(services, before, endpoints, serviceOf, times)
	})
}

// pending is what PendingChanges says in later releases, and is told nowhere in this one: the services of the slices that
// wait to be checked out.
func pending(changes *proxy.EndpointChangeTracker) []string {
	cache := kubeproxy.Private(changes, "endpointSliceCache").Interface().(*proxy.EndpointSliceCache)
	lock := kubeproxy.Private(cache, "lock").Addr().Interface().(*sync.Mutex)
	sched.Lock("", lock)
	defer sched.Unlock("", lock)
	var services []string
	for its := kubeproxy.Private(cache, "trackerByServiceMap").MapRange(); its.Next(); {
		if its.Value().Elem().FieldByName("pending").Len() > 0 {
			services = append(services, its.Key().Interface().(types.NamespacedName).String())
		}
	}
	return services
}

func serviceOf(port proxy.ServicePortName) types.NamespacedName { return port.NamespacedName }

var syncRunner = async.NewBoundedFrequencyRunner(
	"", func() {}, kubeproxy.MinSyncPeriod, kubeproxy.SyncPeriod, 1)

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), kubeproxy.Unlabelled(&metrics.NetworkProgrammingLatency)
	proxier, err := iptables.NewProxier(
		tables, sysctltest.NewFake(), &exectest.FakeExec{}, kubeproxy.SyncPeriod, kubeproxy.MinSyncPeriod,
		kubeproxy.MasqueradeAll, kubeproxy.MasqueradeBit, proxyutiliptables.NewNoOpLocalDetector(), kubeproxy.Host,
		nodeIP, nil, nil, nil)
	if err != nil {
		panic(err)
	}
	return kubeproxy.NewProxy(proxier, tables, latency, syncRunner)
}
