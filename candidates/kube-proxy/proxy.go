package driver

import (
	"context"
	"errors"
	"log"
	"net"
	"reflect"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	dto "github.com/prometheus/client_model/go"
	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"
	basemetrics "k8s.io/component-base/metrics"
	sysctltest "k8s.io/component-helpers/node/util/sysctl/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/metrics"
	proxyutil "k8s.io/kubernetes/pkg/proxy/util"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	iptablestest "k8s.io/kubernetes/pkg/util/iptables/testing"
)

// wholeProxy is kube-proxy's iptables proxier, which programs upstream's stand-in for the kernel's tables. Its SyncLoop,
// which decides when to sync, is not run: that decision is the runner's.
type wholeProxy struct {
	proxier  *iptables.Proxier
	family   v1.IPFamily
	tables   *tables
	observed observations
	slices   map[types.NamespacedName]*discovery.EndpointSlice // as an informer stores them

	servicesSynced, slicesSynced bool
	completed                    func() // see complete
}

func newProxy(family v1.IPFamily) candidate {
	metrics.NetworkProgrammingLatency.Reset() // it is the whole process's
	p := &wholeProxy{
		family: family,
		tables: &tables{FakeIPTables: iptablestest.NewFake()},
		slices: map[types.NamespacedName]*discovery.EndpointSlice{},
	}
	nodeIP := net.IPv4(192, 0, 2, 1)
	if family == v1.IPv6Protocol {
		p.tables.FakeIPTables, nodeIP = iptablestest.NewIPv6Fake(), net.IPv6loopback
	}
	const (
		syncPeriod, minSyncPeriod = 30 * time.Second, time.Second // for the SyncLoop
		masqueradeAll             = false
		localhostNodePorts        = false
		masqueradeBit             = 14
		initOnly                  = false
	)
	proxier, err := iptables.NewProxier(
		klog.NewContext(context.Background(), logr.New(&p.observed)), family, p.tables, sysctltest.NewFake(),
		syncPeriod, minSyncPeriod, masqueradeAll, localhostNodePorts, masqueradeBit,
		proxyutil.NewNoOpLocalDetector(), host, nodeIP, nil, nil, nil, initOnly)
	if err != nil {
		panic(err)
	}
	p.proxier = proxier
	withoutKernel(proxier)
	synctest.Wait() // until the tables are monitored
	return p
}

// withoutKernel lets the proxier find no packet counters in the kernel. Where there are some, and the driver may, it
// would add its own to those of the machine that the driver runs on. They have no bearing on what is judged.
func withoutKernel(proxier *iptables.Proxier) {
	counters := reflect.ValueOf(proxier).Elem().FieldByName("nfacct")
	reflect.NewAt(counters.Type(), counters.Addr().UnsafePointer()).Elem().SetZero()
}

func (p *wholeProxy) call(req request) (any, *failure) {
	switch req.Op {
	case "update":
		return changesPending(func() { p.update(req.Slice.object()) }), nil
	case "remove":
		return changesPending(func() { p.remove(req.Slice.object()) }), nil
	case "services_synced":
		p.complete(&p.servicesSynced, p.slicesSynced, p.proxier.OnServiceSynced)
		return nil, nil
	case "slices_synced":
		p.complete(&p.slicesSynced, p.servicesSynced, p.proxier.OnEndpointSlicesSynced)
		return nil, nil
	case "sync":
		return p.sync(*req.Program), nil
	case "metric":
		return p.metric(), nil
	}
	return nil, unsupported("op " + req.Op + " of proxy")
}

func (p *wholeProxy) update(slice *discovery.EndpointSlice) {
	name := types.NamespacedName{Namespace: slice.Namespace, Name: slice.Name}
	old, known := p.slices[name]
	p.slices[name] = slice
	if known {
		p.proxier.OnEndpointSliceUpdate(old, slice)
	} else {
		p.proxier.OnEndpointSliceAdd(slice)
	}
}

func (p *wholeProxy) remove(slice *discovery.EndpointSlice) {
	delete(p.slices, types.NamespacedName{Namespace: slice.Namespace, Name: slice.Name})
	p.proxier.OnEndpointSliceDelete(slice)
}

// changesPending says whether the proxier has taken something as a change. The handlers return nothing, but its tracker
// counts pending changes in a metric, and raises it exactly when it tells the proxier that there is something to sync.
func changesPending(notify func()) bool {
	before := pendingChanges()
	notify()
	return pendingChanges() > before
}

func pendingChanges() float64 {
	var gauge dto.Metric
	if err := metrics.EndpointChangesPending.Write(&gauge); err != nil {
		panic(err)
	}
	return gauge.GetGauge().GetValue()
}

// complete tells the proxier, once, that a list is complete. With the second list it syncs at once, of its own accord;
// but the protocol has syncs only where the runner asks for one, and says then how the programming goes. So the proxier
// hears of the second list at the beginning of the next sync, which is the one that it then does.
func (p *wholeProxy) complete(synced *bool, otherSynced bool, notify func()) {
	switch {
	case *synced: // kube-proxy's informers say it once in a lifetime
	case otherSynced:
		p.completed = notify
	default:
		notify()
	}
	*synced = true
}

// sync has the proxier sync once, and returns what it observed.
func (p *wholeProxy) sync(program program) []float64 {
	before := p.metric().Count
	p.tables.program = program
	p.observed.latencies = []float64{}
	if p.completed != nil {
		p.completed()
		p.completed = nil
	} else {
		p.tables.reload()
	}
	if count := p.metric().Count - before; count != uint64(len(p.observed.latencies)) {
		log.Fatalf("%d latencies were observed, and %d logged: this driver cannot read the log of this kube-proxy",
			count, len(p.observed.latencies))
	}
	return p.observed.latencies
}

// tables stands in for the kernel's tables. Changing them takes its time, and may fail.
type tables struct {
	*iptablestest.FakeIPTables
	program program
	reload  func() // has the proxier sync at once, as if somebody else had flushed the tables
}

func (t *tables) Monitor(_ utiliptables.Chain, _ []utiliptables.Table, reload func(), _ time.Duration, _ <-chan struct{}) {
	t.reload = reload
}

func (t *tables) RestoreAll(data []byte, flush utiliptables.FlushFlag, counters utiliptables.RestoreCountersFlag) error {
	time.Sleep(time.Duration(t.program.TakesNS))
	if !t.program.OK {
		return errors.New("the runner wants it to fail")
	}
	return t.FakeIPTables.RestoreAll(data, flush, counters)
}

// observations picks each latency out of the proxier's log, which has a line for every observation: a histogram does
// not tell them apart.
type observations struct {
	latencies []float64
}

func (o *observations) Init(logr.RuntimeInfo)                 {}
func (o *observations) Enabled(level int) bool                { return level <= 4 }
func (o *observations) WithValues(...any) logr.LogSink        { return o }
func (o *observations) WithName(string) logr.LogSink          { return o }
func (o *observations) Error(err error, msg string, _ ...any) { log.Print(msg, ": ", err) }

func (o *observations) Info(_ int, msg string, keysAndValues ...any) {
	if msg != "Network programming" {
		return
	}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		if latency, ok := keysAndValues[i+1].(float64); ok && keysAndValues[i] == "elapsed" {
			o.latencies = append(o.latencies, latency)
		}
	}
}

var registry = basemetrics.NewKubeRegistry()

func init() { // until they are registered, they count nothing
	registry.MustRegister(metrics.NetworkProgrammingLatency, metrics.EndpointChangesPending)
}

// metric is what a scrape shows. Before the first observation that would be nothing at all: so the series is made first.
func (p *wholeProxy) metric() histogram {
	metrics.NetworkProgrammingLatency.WithLabelValues(string(p.family))
	families, err := registry.Gather()
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

func scraped(family *dto.MetricFamily) histogram {
	given := family.GetMetric()[0].GetHistogram()
	out := histogram{Name: family.GetName(), Kind: "histogram", Count: given.GetSampleCount(), Sum: given.GetSampleSum()}
	for _, b := range given.GetBucket() {
		out.Buckets = append(out.Buckets, bucket{b.GetUpperBound(), b.GetCumulativeCount()})
	}
	out.Buckets = append(out.Buckets, bucket{nil, out.Count}) // which the format leaves out
	return out
}
