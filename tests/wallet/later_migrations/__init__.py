"""The wallet's migrations, and one more that rebuilds its tables."""

from wallet import migrations

__path__ = [*__path__, *migrations.__path__]
