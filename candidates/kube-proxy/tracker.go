package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/proxy"
)

const host = "node"

// tracker is kube-proxy's change tracker alone.
type tracker struct {
	changes   *proxy.EndpointsChangeTracker
	endpoints proxy.EndpointsMap
}

func newTracker(family v1.IPFamily) candidate {
	return &tracker{proxy.NewEndpointsChangeTracker(family, host, nil, nil), proxy.EndpointsMap{}}
}

func (t *tracker) call(req request) (any, *failure) {
	switch req.Op {
	case "update":
		return t.changes.EndpointSliceUpdate(req.Slice.object(), false), nil
	case "remove":
		return t.changes.EndpointSliceUpdate(req.Slice.object(), true), nil
	case "checkout":
		return t.checkout(), nil
	}
	return nil, unsupported("op " + req.Op + " of change_tracker")
}

func (t *tracker) checkout() changes {
	result := t.endpoints.Update(t.changes)
	out := changes{Services: []string{}, TriggerTimes: map[string][]json.Number{}}
	for service := range result.UpdatedServices {
		out.Services = append(out.Services, service.String())
	}
	for service, times := range result.LastChangeTriggerTimes {
		for _, t := range times {
			out.TriggerTimes[service.String()] = append(out.TriggerTimes[service.String()], nanoseconds(t))
		}
	}
	return out
}

func nanoseconds(t time.Time) json.Number {
	ns := big.NewInt(t.Unix())
	ns.Mul(ns, big.NewInt(int64(time.Second))).Add(ns, big.NewInt(int64(t.Nanosecond())))
	return json.Number(ns.String())
}

// object is the slice as an informer would deliver it. Nothing is shared with any other: the tracker compares them.
func (s *endpointSlice) object() *discovery.EndpointSlice {
	labels := maps.Clone(s.Labels)
	if s.Service != nil {
		if labels == nil {
			labels = map[string]string{}
		}
		labels[discovery.LabelServiceName] = *s.Service
	}
	slice := &discovery.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       s.Namespace,
			Name:            s.Name,
			ResourceVersion: s.ResourceVersion,
			Labels:          labels,
			Annotations:     s.Annotations,
		},
		AddressType: discovery.AddressType(s.AddressType),
	}
	for _, port := range s.Ports {
		slice.Ports = append(slice.Ports, discovery.EndpointPort{
			Name: new(fmt.Sprint("p", port)), Protocol: new(v1.ProtocolTCP), Port: &port,
		})
	}
	for _, address := range s.Endpoints {
		slice.Endpoints = append(slice.Endpoints, discovery.Endpoint{Addresses: []string{address}})
	}
	return slice
}
