//go:build unix

package driver

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"stingy.invalid/driver/sched"
)

// patience is how much of the processors' time a goroutine may take to come to its next operation: a thousand times what any
// candidate needs, however slow the machine is. The runner gives up later than that, and then cannot say who is at fault.
const patience = 2 * time.Second

// watch ends the program once the candidate goes round and round in code of its own that is under control, without coming to
// any operation and without a look at the clock. Nobody else can go on then, and nothing can be told any more; this tells why.
func watch() {
	var last int64
	began := consumed()
	for {
		time.Sleep(patience / 10)
		name, soFar := sched.Turning()
		if name == "" || soFar != last {
			last, began = soFar, consumed()
			continue
		}
		if consumed()-began < patience {
			continue
		}
		if stack := looping(); stack != "" {
			fmt.Fprintf(os.Stderr, "fatal error: %s goes round and round, and comes to no operation\n\n%s\n", name, stack)
			os.Exit(2)
		}
		began = consumed()
	}
}

// consumed is how much of the processors' time this program has had so far.
func consumed() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

var busy = regexp.MustCompile(`^goroutine \d+ (\S+=\S+ )*\[(running|runnable)`)

// looping is the stack of the goroutine that runs code under control; empty if what runs is something else.
func looping() string {
	told := make([]byte, 1<<20)
	stacks := strings.Split(string(told[:runtime.Stack(told, true)]), "\n\n")
	for _, stack := range stacks[1:] { // the first is who asks
		if busy.MatchString(stack) && slices.ContainsFunc(sched.Packages(), func(path string) bool {
			return strings.HasPrefix(innermost(stack), path+".")
		}) {
			return stack
		}
	}
	return ""
}

// innermost is the function that runs, unless it is one of Go's own: then who called that.
func innermost(stack string) string {
	for n, line := range strings.Split(stack, "\n") {
		first, _, longer := strings.Cut(line, "/")
		if n%2 == 1 && longer && strings.Contains(first, ".") {
			return line
		}
	}
	return ""
}
