package kubeproxy

import (
	"log"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	kubeproxy "stingy.invalid/candidates/kube-proxy-driver"
)

// latency picks each observation out of the proxier's log, which has a line for every one of them: a histogram does not
// tell them apart.
type latency struct {
	family  v1.IPFamily
	logged  []float64
	counted uint64
}

func init() { kubeproxy.Registry.MustRegister(metrics.NetworkProgrammingLatency) }

// Latency reads the metric and, as the sink of its log, the proxier; it can be asked for what was observed.
type Latency interface {
	logr.LogSink
	kubeproxy.Latency
}

// NewLatency reads what a proxier of this family observes, whatever its kind.
func NewLatency(family v1.IPFamily) Latency {
	metrics.NetworkProgrammingLatency.Reset() // it is the whole process's
	return &latency{family: family, logged: []float64{}}
}

func (l *latency) Observed() []float64 {
	observed := l.logged
	l.logged = []float64{}
	l.counted += uint64(len(observed))
	if count := l.Metric().Count; count != l.counted {
		log.Fatalf("%d latencies were observed, and %d logged: this driver cannot read the log of this kube-proxy",
			count, l.counted)
	}
	return observed
}

// Metric is what a scrape shows. Before the first observation that would be nothing at all: so the series is made first.
func (l *latency) Metric() kubeproxy.Histogram {
	metrics.NetworkProgrammingLatency.WithLabelValues(string(l.family))
	return kubeproxy.Scrape()
}

func (l *latency) Init(logr.RuntimeInfo)                 {}
func (l *latency) Enabled(level int) bool                { return level <= 4 }
func (l *latency) WithValues(...any) logr.LogSink        { return l }
func (l *latency) WithName(string) logr.LogSink          { return l }
func (l *latency) Error(err error, msg string, _ ...any) { log.Print(msg, ": ", err) }

func (l *latency) Info(_ int, msg string, keysAndValues ...any) {
	if msg != "Network programming" {
		return
	}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		if seconds, ok := keysAndValues[i+1].(float64); ok && keysAndValues[i] == "elapsed" {
			l.logged = append(l.logged, seconds)
		}
	}
}
