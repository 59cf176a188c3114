module stingy.invalid/candidates/client-go-driver

go 1.26.0

// Nothing of Kubernetes is required here: that decides the driver, so that all of them compile the same files.
