"""Priorities.

controller-runtime's queue hands out first what is most urgent.
"""
