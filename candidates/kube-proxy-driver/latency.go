package kubeproxy

import (
	dto "github.com/prometheus/client_model/go"
	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/kubernetes/pkg/proxy/metrics"
)

// Registry exposes the metrics that a driver reads. Until they are registered, they count nothing.
var Registry = basemetrics.NewKubeRegistry()

func init() { Registry.MustRegister(metrics.EndpointChangesPending) }

// Scrape reads the histogram off what is exposed.
func Scrape() Histogram {
	families, err := Registry.Gather()
	if err != nil {
		panic(err)
	}
	for _, family := range families {
		if family.GetType() == dto.MetricType_HISTOGRAM {
			return scraped(family)
		}
	}
	panic("no histogram is exposed")
}

func scraped(family *dto.MetricFamily) Histogram {
	series := family.GetMetric()[0]
	given := series.GetHistogram()
	out := Histogram{
		Name: family.GetName(), Kind: "histogram", Labels: map[string]string{},
		Count: given.GetSampleCount(), Sum: given.GetSampleSum(),
	}
	for _, label := range series.GetLabel() {
		out.Labels[label.GetName()] = label.GetValue()
	}
	for _, b := range given.GetBucket() {
		out.Buckets = append(out.Buckets, Bucket{b.GetUpperBound(), b.GetCumulativeCount()})
	}
	out.Buckets = append(out.Buckets, Bucket{nil, out.Count}) // which the format leaves out
	return out
}

// unlabelled is a histogram that notes what is observed.
type unlabelled struct {
	basemetrics.ObserverMetric
	observed []float64
}

// Unlabelled reads a metric without labels, which kube-proxy's was before 1.33. It is the whole process's, and cannot be
// reset: so another takes its place, which has been made alike.
func Unlabelled(metric **basemetrics.Histogram) Latency {
	if (*metric).IsCreated() { // for a candidate before this one
		Registry.Unregister(*metric)
	}
	*metric = basemetrics.NewHistogram((*metric).HistogramOpts)
	Registry.MustRegister(*metric)
	latency := &unlabelled{(*metric).ObserverMetric, []float64{}}
	(*metric).ObserverMetric = latency
	return latency
}

func (l *unlabelled) Observe(seconds float64) {
	l.ObserverMetric.Observe(seconds)
	l.observed = append(l.observed, seconds)
}

func (l *unlabelled) Observed() []float64 {
	observed := l.observed
	l.observed = []float64{}
	return observed
}

func (l *unlabelled) Metric() Histogram { return Scrape() }
