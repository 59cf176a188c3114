package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// instead says what is called in the place of what; the receiver becomes an argument.
var instead = map[string]string{
	"(*sync.Mutex).Lock": "Lock", "(*sync.RWMutex).Lock": "Lock", "(sync.Locker).Lock": "Lock",
	"(*sync.Mutex).Unlock": "Unlock", "(*sync.RWMutex).Unlock": "Unlock", "(sync.Locker).Unlock": "Unlock",
	"(*sync.Mutex).TryLock": "TryLock", "(*sync.RWMutex).TryLock": "TryLock", "(*sync.RWMutex).TryRLock": "TryRLock",
	"(*sync.RWMutex).RLock": "RLock", "(*sync.RWMutex).RUnlock": "RUnlock",
	"(*sync.Cond).Wait": "CondWait", "(*sync.Cond).Signal": "CondSignal", "(*sync.Cond).Broadcast": "CondBroadcast",
	"(*sync.WaitGroup).Add": "WaitGroupAdd", "(*sync.WaitGroup).Done": "WaitGroupDone", "(*sync.WaitGroup).Wait": "WaitGroupWait",
	"(*sync.WaitGroup).Go": "WaitGroupGo", "(*sync.Once).Do": "OnceDo",
}

// functions are those that are called with the same arguments.
var functions = map[string]string{"time.Sleep": "Sleep", "runtime.Gosched": "Gosched"}

// readings are those of the time, which have no monotonic clock in a bubble of Go's own, and of the number of processors, of which
// a candidate under control has one.
var readings = map[string]string{"time.Now": "Now", "time.Since": "Since", "time.Until": "Until", "runtime.GOMAXPROCS": "GOMAXPROCS"}

// reads has these read as they are outside, called here or handed on; that is no operation that goroutines meet in.
func (f *file) reads(n *ast.SelectorExpr) bool {
	its, ok := f.info.Uses[n.Sel].(*types.Func)
	if !ok || readings[its.FullName()] == "" {
		return false
	}
	f.imported[f.text[int(n.Pos())-f.base:int(n.End())-f.base]] = true
	f.replace(n.Pos(), n.End(), false, func() string { return through + "." + readings[its.FullName()] })
	return true
}

func (f *file) call(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	if f.cancels(fun) {
		f.insert(n.Pos(), false, through+".Cancel("+f.at(n, "cancel")+", ")
		f.insert(n.Fun.End(), true, ")")
		return
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok && b.Name() == "close" {
			at := f.at(n, "close")
			f.replace(n.Pos(), n.Lparen+1, false, func() string { return through + ".Close(" + at + ", " })
		}
		return
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	called, ok := f.info.Uses[sel.Sel].(*types.Func)
	if !ok || called.Pkg() == nil {
		return
	}
	if called.Pkg().Path() == "sync" && strings.HasPrefix(called.Name(), "Once") && called.Name() != "Once" {
		f.refuse(n, called.FullName()) // OnceFunc, OnceValue, OnceValues: they have a Once of their own
	}
	name, atomic := called.FullName(), called.Pkg().Path() == "sync/atomic"
	switch {
	case f.calledInstead(sel, called) != "":
		its := f.calledInstead(sel, called)
		amp, fields := f.receiver(sel)
		at := f.at(n, called.Name())
		if its == "WaitGroupGo" {
			at = f.place(n, f.started(n.Args[0]), "go")
		}
		f.insert(n.Pos(), false, through+"."+its+"("+at+", "+amp)
		comma := ""
		if len(n.Args) > 0 {
			comma = ", "
		}
		f.replace(sel.X.End(), n.Lparen+1, true, func() string { return fields + comma })
	case functions[name] != "":
		comma := ""
		if len(n.Args) > 0 {
			comma = ", "
		}
		at := f.at(n, called.Name())
		f.imported[f.text[int(sel.Pos())-f.base:int(sel.End())-f.base]] = true
		f.replace(n.Pos(), n.Lparen+1, false, func() string { return through + "." + functions[name] + "(" + at + comma })
	case atomic && f.info.Selections[sel] == nil:
		f.insert(n.Args[0].Pos(), false, through+".Before("+f.at(n, called.Name())+", ")
		f.insert(n.Args[0].End(), true, ")")
	case atomic || strings.HasPrefix(name, "(*sync.Map)"):
		amp, fields := f.receiver(sel)
		f.insert(n.Pos(), false, through+".Before("+f.at(n, called.Name())+", "+amp)
		f.insert(sel.X.End(), true, fields+")")
	}
}

// calledInstead is what is called in the place of a method. An interface with the methods of a locker is one.
func (f *file) calledInstead(sel *ast.SelectorExpr, called *types.Func) string {
	if its := instead[called.FullName()]; its != "" {
		return its
	}
	chosen := f.info.Selections[sel]
	if chosen == nil || called.Name() != "Lock" && called.Name() != "Unlock" || len(chosen.Index()) > 1 {
		return ""
	}
	if its, ok := chosen.Recv().Underlying().(*types.Interface); ok && types.Implements(its, locker) {
		return called.Name()
	}
	return ""
}

// locker is the type of sync.Locker.
var locker = func() *types.Interface {
	plain := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	methods := []*types.Func{types.NewFunc(0, nil, "Lock", plain), types.NewFunc(0, nil, "Unlock", plain)}
	return types.NewInterfaceType(methods, nil).Complete()
}()

// cancels is whether this is the function that ends a context.
func (f *file) cancels(fun ast.Expr) bool {
	value, ok := f.info.Types[fun]
	if !ok || !value.IsValue() {
		return false
	}
	named, ok := value.Type.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "CancelFunc"
}

// value names what is handed on, and called somewhere else.
func (f *file) value(n *ast.SelectorExpr) {
	its, ok := f.info.Uses[n.Sel].(*types.Func)
	if !ok || its.Pkg() == nil {
		return
	}
	if name := its.FullName(); instead[name] != "" || functions[name] != "" {
		f.refuse(n, name+" as a value")
	}
}

// receiver tells how to take the address of what has the method: it may be embedded.
func (f *file) receiver(sel *ast.SelectorExpr) (amp, path string) {
	t := f.info.TypeOf(sel.X)
	index := f.info.Selections[sel].Index()
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		path += "." + field.Name()
		t = field.Type()
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return "", path
	}
	return "&", path
}
