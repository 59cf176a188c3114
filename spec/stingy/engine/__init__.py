"""Control of a candidate's threads: one runs at a time, in virtual time, in a chosen order.

Words of these modules:

- The *candidate* is the work queue that is judged. A *session* is the life of one instance of it.
- A *controlled* thread is started by the candidate or the suite, and runs when the engine lets it.
  The *driving thread* runs the rule, and is not controlled.
- At a *scheduling point*, the engine may let another thread run. What a thread does between two of
  its scheduling points is a *step*. A *turn* lasts until another thread runs.
- An *order* is the sequence of turns of a run. A *strategy* chooses it.
"""
