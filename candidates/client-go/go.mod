module stingy.invalid/candidates/client-go

go 1.26.0

require (
	golang.org/x/time v0.15.0
	k8s.io/client-go v0.37.2
	stingy.invalid/candidates/client-go-driver v0.0.0
	stingy.invalid/driver v0.0.0
)

require (
	github.com/go-logr/logr v1.4.3 // indirect
	k8s.io/apimachinery v0.37.2 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
)

replace (
	stingy.invalid/candidates/client-go-driver => ../client-go-driver
	stingy.invalid/driver => ../../spec/stingy/starters/go/stingy
)
