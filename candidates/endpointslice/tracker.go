package endpointslice

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/endpointslice/util"
	"stingy.invalid/driver"
)

type question struct {
	Namespace string  `json:"namespace"`
	Service   service `json:"service"`
	Pods      []pod   `json:"pods"`
}

type service struct {
	Name            string            `json:"name"`
	Created         instant           `json:"created"`
	Labels          map[string]string `json:"labels"`
	Annotations     map[string]string `json:"annotations"`
	Ports           []int32           `json:"ports"`
	ResourceVersion string            `json:"resource_version"`
}

type pod struct {
	Name       string      `json:"name"`
	UID        string      `json:"uid"`
	Conditions []condition `json:"conditions"`
}

type condition struct {
	Type           string  `json:"type"`
	Status         string  `json:"status"`
	LastTransition instant `json:"last_transition"`
}

type deleted struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

func newTracker(driver.Options) driver.Candidate {
	return driver.Candidate{Parts: []any{util.NewTriggerTimeTracker()}, End: func() {}}
}

func compute(tracker *util.TriggerTimeTracker, asked question) any {
	pods := []*v1.Pod{}
	for _, each := range asked.Pods {
		pods = append(pods, each.object(asked.Namespace))
	}
	return instant(tracker.ComputeEndpointLastChangeTriggerTime(asked.Namespace, asked.Service.object(asked.Namespace), pods))
}

func forget(tracker *util.TriggerTimeTracker, gone deleted) any {
	tracker.DeleteService(gone.Namespace, gone.Name)
	return nil
}

func (s service) object(namespace string) *v1.Service {
	object := &v1.Service{ObjectMeta: metav1.ObjectMeta{
		Namespace:         namespace,
		Name:              s.Name,
		CreationTimestamp: metav1.Time{Time: time.Time(s.Created)},
		Labels:            s.Labels,
		Annotations:       s.Annotations,
		ResourceVersion:   s.ResourceVersion,
	}}
	for _, port := range s.Ports {
		object.Spec.Ports = append(object.Spec.Ports, v1.ServicePort{Port: port})
	}
	return object
}

func (p pod) object(namespace string) *v1.Pod {
	object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: p.Name, UID: types.UID(p.UID)}}
	for _, each := range p.Conditions {
		object.Status.Conditions = append(object.Status.Conditions, v1.PodCondition{
			Type:               v1.PodConditionType(each.Type),
			Status:             v1.ConditionStatus(each.Status),
			LastTransitionTime: metav1.Time{Time: time.Time(each.LastTransition)},
		})
	}
	return object
}
