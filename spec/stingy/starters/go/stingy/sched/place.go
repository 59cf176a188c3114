package sched

import "strings"

// A Place is a point in the candidate's code as the rewriter wrote it down there: file and line, the function, what is done,
// and the line's own text, each parted from the next by Between.
type Place = string

// Between parts what a Place tells.
const Between = "\x1f"

// Spot is a Place, read.
type Spot struct {
	At   string `json:"at"` // file:line
	In   string `json:"in"` // the function
	Op   string `json:"op"`
	Line string `json:"line"`

	After bool `json:"after,omitempty"` // it has been done
}

func spot(at Place) Spot {
	parts := append(strings.Split(at, Between), "", "", "")
	return Spot{At: parts[0], In: parts[1], Op: parts[2], Line: parts[3]}
}

var (
	rewritten, uncontrolled []string
	where                   = "sync"
)

// Rewritten is told by each package whose operations go through this one, with where the points are, and what does not.
func Rewritten(path, points string, not ...string) bool {
	rewritten, uncontrolled, where = append(rewritten, path), append(uncontrolled, not...), points
	return true
}

// Packages are those whose operations go through this one.
func Packages() []string { return rewritten }

// Points is where they can be made to wait: "sync", before each operation, or "fields", before each access to a field, too.
func Points() string { return where }

// Uncontrolled are the operations of theirs that do not.
func Uncontrolled() []string { return uncontrolled }
