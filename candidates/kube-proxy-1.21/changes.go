package kubeproxy

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/proxy"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

const endpointSlicesEnabled = true // as it is by default

func newChanges(family v1.IPFamily) *proxy.EndpointChangeTracker {
	return proxy.NewEndpointChangeTracker(kubeproxy.Host, nil, family, nil, endpointSlicesEnabled, nil)
}
