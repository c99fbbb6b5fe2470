"""The rules of the four games as pure functions over values.

Nothing here knows a database, a clock or chance: the standard library only, and neither `random` nor
`time`. Enter through `games.engine.rulesets.get(code)`; a rule set starts deals, verifies and applies
actions, tells each seat what it may know and settles what a deal was worth. `python -m games.engine` is the
same behind one JSON line.
"""
