"""Controllers.

Workers that reconcile the keys of a work queue, and what becomes of a key when they have.
"""
