package kubeproxy

import (
	"context"
	"net"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/proxy"
	"k8s.io/kubernetes/pkg/proxy/apis/config"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/runner"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
	"stingy.invalid/driver"
)

func newTracker(family v1.IPFamily) driver.Candidate {
	changes, endpoints := proxy.NewEndpointsChangeTracker(family, kubeproxy.Host, nil, nil), proxy.EndpointsMap{}
	return kubeproxy.NewTracker(changes, func() kubeproxy.HandedOver {
		result := endpoints.Update(changes)
		return func() kubeproxy.Changes {
			return kubeproxy.NewChanges(result.UpdatedServices.UnsortedList(), result.LastChangeTriggerTimes)
		}
	})
}

// SyncRunner is one that nobody runs.
var SyncRunner = runner.NewBoundedFrequencyRunner(
	"", func() error { return nil }, kubeproxy.MinSyncPeriod, kubeproxy.SyncPeriod, kubeproxy.SyncPeriod)

// Configuration is what a proxier is started with.
func Configuration() *config.KubeProxyConfiguration {
	masqueradeBit, localhostNodePorts := int32(kubeproxy.MasqueradeBit), kubeproxy.LocalhostNodePorts
	return &config.KubeProxyConfiguration{
		SyncPeriod:    metav1.Duration{Duration: kubeproxy.SyncPeriod},
		MinSyncPeriod: metav1.Duration{Duration: kubeproxy.MinSyncPeriod},
		Linux:         config.KubeProxyLinuxConfiguration{MasqueradeAll: kubeproxy.MasqueradeAll},
		IPTables: config.KubeProxyIPTablesConfiguration{
			MasqueradeBit: &masqueradeBit, LocalhostNodePorts: &localhostNodePorts,
		},
		IPVS:     config.KubeProxyIPVSConfiguration{Scheduler: "rr"},
		NFTables: config.KubeProxyNFTablesConfiguration{MasqueradeBit: &masqueradeBit},
	}
}

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), NewLatency(family)
	proxier, err := iptables.NewProxier(
		klog.NewContext(context.Background(), logr.New(latency)), Configuration(), family, tables, sysctltest.NewFake(),
		proxyutil.NewNoOpLocalDetector(), kubeproxy.Host, nodeIP, nil, nil, kubeproxy.InitOnly)
	if err != nil {
		panic(err)
	}
	// Where the kernel has counters of packets, and the driver may, the proxier would add its own to those of the machine
	// that the driver runs on. They have no bearing on what is judged.
	kubeproxy.Private(proxier, "nfacct").SetZero()
	return kubeproxy.NewProxy(proxier, tables, latency, SyncRunner)
}
