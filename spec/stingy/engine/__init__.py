"""Control of a candidate's threads: one runs at a time, in virtual time, in a chosen order.

The candidate is the work queue that is judged.
"""
