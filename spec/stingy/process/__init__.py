"""Services of the running process: signals, imports from the current folder, writing files."""
