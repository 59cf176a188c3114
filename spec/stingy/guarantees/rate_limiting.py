"""Trying again, later each time.

AddRateLimited asks a rate limiter how long an item has to wait that has failed, and adds it then. Forget
lets the rate limiter begin anew.
"""
