"""Deterministic fault testing: whole houses of processes, people and failing machines on one thread and one clock.

`python -m tests.simulation --help`. Everything that is drawn comes from the seed and everything that waits waits in one
queue, so that a seed tells the same story each time, to the digest of each event.
"""
