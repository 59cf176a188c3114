"""Executable rules of the Kubernetes workqueue and of kube-proxy's programming latency."""
