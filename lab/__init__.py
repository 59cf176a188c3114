"""Tools for maintainers: a second look at failures, the panel, the renewal of records, and the tests that need more than this process."""
