package driver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stingy.invalid/driver/sched"
)

func TestMain(m *testing.M) { Main(m) }

// served are candidates of this file's own; TestDriver is the driver that the tests talk to, in a process of its own.
var served = Driver{
	Name: "candidates of its own",
	Ops: Queue.With(Delay, Running, Ops{
		"began":  On(func(c *clocked, _ Request) any { return c.began.UnixNano() }),
		"passed": On(func(c *clocked, _ Request) any { return sched.Since(c.began).Nanoseconds() }),
	}),
	Impls:   map[string]func(Options) Candidate{"proxy": newClocked, "delaying_queue": newChanneled},
	Passive: []string{"proxy"},
}

func TestDriver(t *testing.T) { Serve(t, &served) }

// clocked has noted when it was made.
type clocked struct{ began time.Time }

func newClocked(Options) Candidate {
	return Candidate{Parts: []any{&clocked{sched.Now()}}, End: func() {}}
}

// channeled is a queue of a channel: it knows neither dirty nor processing, but who waits, waits.
type channeled struct {
	items chan string
	ended atomic.Bool
	end   func()
}

func newChanneled(Options) Candidate {
	q := &channeled{items: make(chan string, 100)}
	q.end = sync.OnceFunc(func() { q.ended.Store(true); close(q.items) })
	return Candidate{Parts: []any{q}, End: q.end}
}

func (q *channeled) Add(item string) {
	fmt.Println("candidates may print") // which must not come between the answers
	if item == "panics" {
		panic("it was to")
	}
	q.items <- item
}

func (q *channeled) AddAfter(item string, delay time.Duration) {
	time.AfterFunc(delay, func() {
		if !q.ended.Load() {
			q.Add(item)
		}
	})
}

func (q *channeled) Get() (string, bool) {
	item, ok := <-q.items
	return item, !ok
}

func (q *channeled) Done(string)        {}
func (q *channeled) Len() int           { return len(q.items) }
func (q *channeled) ShutDown()          { q.end() }
func (q *channeled) ShuttingDown() bool { return q.ended.Load() }

// asked is a driver that is asked line by line.
type asked struct {
	t       *testing.T
	lines   io.Writer
	answers *bufio.Scanner
	ids     int
}

func ask(t *testing.T) *asked {
	t.Helper()
	driver := exec.Command(os.Args[0], "-test.run=^TestDriver$")
	driver.Stderr = os.Stderr
	lines, err := driver.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		lines.Close()
		if err := driver.Wait(); err != nil {
			t.Error("the driver ends with ", err)
		}
	})
	return &asked{t: t, lines: lines, answers: bufio.NewScanner(answers)}
}

// asks for an op with these keys, and tells what is answered.
func (a *asked) asks(op, keys string, val any) *errorKind {
	a.t.Helper()
	a.ids++
	if keys != "" {
		keys = ", " + keys
	}
	fmt.Fprintf(a.lines, "{\"id\": %d, \"op\": %q%s}\n", a.ids, op, keys)
	if !a.answers.Scan() {
		a.t.Fatalf("%s is not answered", op)
	}
	answer := struct {
		ID    int
		OK    bool
		Val   any
		Error *errorKind
	}{Val: val}
	if err := json.Unmarshal(a.answers.Bytes(), &answer); err != nil || answer.ID != a.ids || answer.OK != (answer.Error == nil) {
		a.t.Fatalf("%s is answered with %s", op, a.answers.Bytes())
	}
	return answer.Error
}

// ns is the reading, or the number of nanoseconds, that is answered.
func (a *asked) ns(op, keys string) (ns int64) {
	a.t.Helper()
	var val json.RawMessage
	if bad := a.asks(op, keys, &val); bad != nil {
		a.t.Fatalf("%s is refused: %s", op, bad.Text)
	}
	var reading struct {
		NowNS *int64 `json:"now_ns"`
	}
	if json.Unmarshal(val, &reading) == nil && reading.NowNS != nil {
		return *reading.NowNS
	}
	if err := json.Unmarshal(val, &ns); err != nil {
		a.t.Fatal(err)
	}
	return ns
}

const lane = `"lane": "w1"`

func TestNoCandidateBeginsOnAWholeSecondOrWhereTheOneBeforeBegan(t *testing.T) {
	driver, seen := ask(t), map[int64]bool{}
	if first := driver.ns("settle", ""); first%int64(time.Second) == 0 {
		t.Errorf("the first clock shows %d", first)
	}
	for range 3 {
		told := driver.ns("new", `"impl": "proxy", "options": {}`)
		if began := driver.ns("began", lane); began != told || seen[began] {
			t.Errorf("it began at %d, and is said to have begun at %d; those before: %v", began, told, seen)
		}
		if told%int64(time.Microsecond) == 0 {
			t.Errorf("%d is a round reading", told)
		}
		seen[told] = true
	}
}

func TestAStepSetsTheWallClockAlone(t *testing.T) {
	driver := ask(t)
	for _, by := range []time.Duration{time.Hour, -2 * time.Hour, 1} {
		began := driver.ns("new", `"impl": "proxy", "options": {}`)
		driver.ns("advance", fmt.Sprint(`"ns": `, int64(3*time.Second)))
		set := driver.ns("step", fmt.Sprint(`"ns": `, int64(by)))
		if moved := time.Duration(set - began); moved != by+3*time.Second {
			t.Errorf("set by %v after 3 s, the wall clock has moved by %v", by, moved)
		}
		if passed := time.Duration(driver.ns("passed", lane)); passed != 3*time.Second {
			t.Errorf("set by %v after 3 s, the monotonic clock has moved by %v", by, passed)
		}
	}
}

const (
	aQueue = `"impl": "delaying_queue", "options": {}`
	aProxy = `"impl": "proxy", "options": {}`
)

// kind is that of the error with which it is refused; empty if it is not.
func (a *asked) kind(op, keys string) string {
	a.t.Helper()
	if bad := a.asks(op, keys, new(any)); bad != nil {
		return bad.Kind
	}
	return ""
}

func TestWhatMakesNoSenseOrIsNotOfferedIsRefusedAsThat(t *testing.T) {
	driver := ask(t)
	for _, each := range []struct{ op, keys, kind string }{
		{"len", lane, "protocol"}, // there is no candidate yet
		{"burst", `"programs": {}`, "protocol"},
		{"", "", "protocol"},
		{"levitate", "", "unsupported"},
		{"new", `"impl": "perpetuum_mobile"`, "unsupported"},
		{"len", lane, "protocol"},
		{"new", aQueue, ""},
		{"len", "", "protocol"}, // no lane
		{"add", lane, "protocol"},
		{"began", lane, "unsupported"}, // of this impl
		{"advance", `"ns": -1`, "protocol"},
		{"add", lane + `, "item": 7`, "protocol"},
		{"add", lane + `, "item": "panics"`, "raised"},
		{"step", `"ns": 1`, "unsupported"}, // it may do something by itself
		{"new", `"impl": "delaying_queue", "options": {"ip_family": "IPv5"}`, "protocol"},
		{"len", lane, "protocol"}, // the one before is gone
		{"new", `"impl": "delaying_queue", "options": {"ip_family": "IPv6"}`, ""},
		{"new", `"impl": "delaying_queue", "options": {"ip_family": "IPv4"}`, ""},
		{"burst", `"programs": {"a": [["levitate"]]}`, "unsupported"},
		{"burst", `"programs": {"a": [[]]}`, "protocol"},
		{"burst", `"programs": {"a": [["add", "x", "y"]]}`, "protocol"},
		{"burst", `"programs": {"a": [["add", 7]]}`, "protocol"},
		{"burst", `"programs": {"a": [["add", "x"]]}, "schedule": {"strategy": "fair"}`, "unsupported"},
		{"new", aProxy, ""},
		{"step", fmt.Sprint(`"ns": `, -30*year), "unsupported"},
		{"step", fmt.Sprint(`"ns": `, 220*year), "unsupported"},
		{"settle", "", ""},
	} {
		if kind := driver.kind(each.op, each.keys); kind != each.kind {
			t.Errorf("%s %s is answered with %q, and not %q", each.op, each.keys, kind, each.kind)
		}
	}
}

// burst tells each call as its lane, op, item and answer, in the order of their stamps.
func (a *asked) burst(keys string) (calls []string) {
	a.t.Helper()
	var told struct{ Calls []toldCall }
	if bad := a.asks("burst", keys, &told); bad != nil {
		a.t.Fatalf("it is refused: %s", bad.Text)
	}
	last := int64(-1)
	for _, c := range told.Calls {
		text := c.Lane + " " + c.Op
		if c.Item != nil {
			text += " " + *c.Item
		}
		switch val, _ := c.Val.(map[string]any); {
		case c.Error != nil:
			text += " raises"
		case c.End == nil:
			text += " waits"
		case val != nil && val["shutdown"] == true:
			text += " is over"
		case val != nil:
			text += fmt.Sprint(" is ", val["item"])
		}
		if c.Start <= last || c.End != nil && *c.End <= c.Start {
			a.t.Errorf("the stamps of %s are %d and %v, after %d", text, c.Start, c.End, last)
		}
		last = c.Start
		calls = append(calls, text)
	}
	return calls
}

func TestALaneOfABurstDoesWhatItsProgramSays(t *testing.T) {
	for program, want := range map[string]string{
		`[["add"], ["done"], ["len"]]`: "w len", // it holds nothing
		`[["add", "x"], ["add", "y"], ["get"], ["get"], ["done"], ["done"], ["done"]]`: "w add x, w add y, w get is x, w get is y, w done x, w done y",
		`[["add", "x"], ["get"], ["add"], ["done"], ["add"]]`:                          "w add x, w get is x, w add x, w done x",
		`[["add", "x"], ["add", "y"], ["get"], ["get"], ["done", "y"], ["done"]]`:      "w add x, w add y, w get is x, w get is y, w done y, w done x",
		`[["add", "x"], ["get"], ["done", "z"], ["done"]]`:                             "w add x, w get is x, w done z, w done x",
		`[["shut_down"], ["get"], ["len"]]`:                                            "w shut_down, w get is over", // the worker goes home
		`[["get"], ["len"]]`:                                                           "w get waits",
		`[["add", {"item": "x"}], ["get"]]`:                                            "w add x, w get is x",
		`[["add", "panics"], ["len"]]`:                                                 "w add panics raises, w len",
		`[["add_after", {"item": "x", "ns": 3}], ["get"], ["done"]]`:                   "w add_after x, w get is x, w done x",
		`[["add_after", {"item": "x", "ns": 2000000000}], ["get"]]`:                    "w add_after x, w get waits",
		`[]`: "",
	} {
		driver := ask(t)
		driver.kind("new", aQueue)
		if told := strings.Join(driver.burst(`"programs": {"w": `+program+`}, "ns": 3`), ", "); told != want {
			t.Errorf("%s: %s", program, told)
		}
	}
}

func TestALaneThatPausesGoesOnWhenSoMuchTimeHasPassed(t *testing.T) {
	driver := ask(t)
	driver.kind("new", aQueue)
	programs := `"programs": {"a": [["pause", {"ns": 1000000000}], ["len"]], "b": [["add", "x"]]}, "ns": 2000000000`
	if told := strings.Join(driver.burst(programs), ", "); told != "a pause, b add x, a len" {
		t.Error("it tells of ", told)
	}
}

func TestLanesOfABurstAreAllRunAndOnesThatAreBusyAreNot(t *testing.T) {
	driver := ask(t)
	driver.kind("new", aQueue)
	told := driver.burst(`"seed": 3, "programs": {"b": [["get"], ["get"]], "a": [["len"], ["add", "x"], ["len"]]}`)
	lanes := map[string]int{}
	for _, call := range told {
		lanes[call[:1]]++
	}
	if !reflect.DeepEqual(lanes, map[string]int{"a": 3, "b": 2}) {
		t.Error("it tells of ", told)
	}
	if kind := driver.kind("burst", `"programs": {"b": [["len"]]}`); kind != "protocol" {
		t.Error("a lane that waits is given something to do: ", kind)
	}
	if told := driver.burst(`"programs": {"a": [["add", "y"]]}`); len(told) != 1 {
		t.Error("another one tells of ", told)
	}
}

func TestNothingOfACandidateIsLeftWithTheNextOne(t *testing.T) {
	driver := ask(t)
	for range 3 {
		driver.kind("new", aQueue)
		driver.burst(`"programs": {"w": [["add_after", {"item": "late", "ns": 5000}], ["get"]]}`)
		if running := driver.ns("running", `"lane": "w2"`); running != 0 {
			t.Errorf("%d goroutines of its own are running", running)
		}
	}
	driver.kind("new", aQueue)
	driver.kind("advance", `"ns": 10000`)
	if told := driver.burst(`"programs": {"w": [["len"], ["get"]]}`); !reflect.DeepEqual(told, []string{"w len", "w get waits"}) {
		t.Error("it tells of ", told)
	}
}

func TestHelloNamesWhatThereIs(t *testing.T) {
	var told identity
	ask(t).asks("hello", `"protocol": 1`, &told)
	can := told.Capabilities
	if told.Protocol != 1 || told.Language != "go" || told.Name != served.Name || told.Version != "" || told.Kubernetes != "" {
		t.Errorf("%+v", told)
	}
	if !can.VirtualClock || !can.Settle || !can.Burst || !can.Step || can.Cancel || can.Meanwhile || can.ResolutionNS != 1 || can.Schedules != nil {
		t.Errorf("%+v", can)
	}
	if len(told.Ops) != len(served.Ops) || !strings.Contains(told.Build, "go1.") || strings.Contains(told.Build, "unknown") {
		t.Errorf("%+v", told)
	}
}
