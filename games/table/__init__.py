"""The table machine: what happens around a deal, as pure functions over an append-only log of events.

`decide` turns a command into events, `evolve` folds events into state; neither touches a database, a clock or
dice. Standard library and the engine's public face only.
"""
