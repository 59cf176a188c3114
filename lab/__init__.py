"""Tools for maintainers: the panel, the records, derived files, and a second run of failed tests.

Tests that need more than this process, such as compilers or a browser, are in ``lab/tests``.
"""
