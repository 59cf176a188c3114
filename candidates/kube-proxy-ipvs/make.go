package kubeproxy

import (
	"context"
	"net"
	"reflect"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/proxy/ipvs"
	ipsettest "k8s.io/kubernetes/pkg/proxy/ipvs/ipset/testing"
	netlinktest "k8s.io/kubernetes/pkg/proxy/ipvs/testing"
	ipvstest "k8s.io/kubernetes/pkg/proxy/ipvs/util/testing"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	current "stingy.invalid/candidates/kube-proxy"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
	"stingy.invalid/driver"
)

const versionOfIPSet = "7.0"

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	tables, latency := kubeproxy.NewTables(family), current.NewLatency(family)
	// Whoever removes, once a minute, what no connection uses any more would go on for ever, and has nothing to remove here.
	atOnce := make(chan struct{})
	close(atOnce)
	defer func(never <-chan struct{}) { wait.NeverStop = never }(wait.NeverStop)
	wait.NeverStop = atOnce
	proxier, err := ipvs.NewProxier(
		klog.NewContext(context.Background(), logr.New(latency)), current.Configuration(), family, tables, ipvstest.NewFake(),
		ipsettest.NewFake(versionOfIPSet), sysctltest.NewFake(), proxyutil.NewNoOpLocalDetector(), kubeproxy.Host, nodeIP,
		nil, nil, kubeproxy.InitOnly)
	if err != nil {
		panic(err)
	}
	devices := netlinktest.NewFakeNetlinkHandle(family == v1.IPv6Protocol)
	kubeproxy.Private(proxier, "netlinkHandle").Set(reflect.ValueOf(devices))
	sync := kubeproxy.Private(kubeproxy.Private(proxier, "syncRunner").Interface(), "fn").Interface().(func() error)
	tables.Reload = func() { _ = sync() } // an error means that the runner would try again
	return kubeproxy.NewProxy(proxier, tables, latency, current.SyncRunner)
}
