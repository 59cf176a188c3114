package kubeproxy

import (
	"context"
	"net"
	"reflect"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/proxy/nftables"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	current "stingy.invalid/candidates/kube-proxy"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
	"stingy.invalid/driver"
)

func newProxy(family v1.IPFamily, nodeIP net.IP) driver.Candidate {
	latency := current.NewLatency(family)
	var proxier *nftables.Proxier
	beforeAKernel(func() {
		var err error
		proxier, err = nftables.NewProxier(
			klog.NewContext(context.Background(), logr.New(latency)), current.Configuration(), family,
			proxyutil.NewNoOpLocalDetector(), kubeproxy.Host, nodeIP, nil, nil, kubeproxy.InitOnly)
		check(err)
	})
	runs := kubeproxy.Private(proxier, "syncRunner").Interface()
	table := newTable(family, kubeproxy.Private(runs, "fn").Interface().(func() error))
	kubeproxy.Private(proxier, "nftables").Set(reflect.ValueOf(table))
	return kubeproxy.NewProxy(proxier, table, latency, current.SyncRunner)
}
