module stingy.invalid/candidates/client-go-0.20

go 1.26.0

require (
	golang.org/x/time v0.0.0-20200630173020-3af7569d3a1e
	k8s.io/client-go v0.20.15
	stingy.invalid/candidates/client-go-driver v0.0.0
	stingy.invalid/driver v0.0.0
)

require (
	github.com/go-logr/logr v0.2.0 // indirect
	k8s.io/apimachinery v0.20.15 // indirect
	k8s.io/klog/v2 v2.4.0 // indirect
)

replace (
	stingy.invalid/candidates/client-go-driver => ../client-go-driver
	stingy.invalid/driver => ../../spec/stingy/starters/go/stingy
)
