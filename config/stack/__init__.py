"""All of the many-process form on one machine, for a desk: `python -m config.stack`, or `make stack`.

PostgreSQL and Valkey out of packages, two web processes, Celery's worker and beat, behind one port. How a real house
runs them stands in config/deploy; nothing there needs this package.
"""
