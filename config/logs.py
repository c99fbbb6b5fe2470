"""How the product logs: one line an event, readable at a desk and JSON in production.

The rule kept: no card, seed or secret reaches a line. Names that carry them are blanked, and a traceback shows no
local variables.
"""

from typing import Any

import structlog

# Names under which cards, what decides them, or what opens an account could be logged by mistake.
HIDDEN = frozenset(
    {
        "action", "bottom", "cards", "cookie", "deck", "hand", "hands", "nonce", "nonces", "password", "plays",
        "secret", "secrets", "seed", "state", "view",
    }
)  # fmt: skip


def hide_secrets(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Blank every value that may show a card or open an account."""
    for name in HIDDEN & event.keys():
        event[name] = "(hidden)"
    return event


# What happens to each event before it is rendered, whether it came through structlog or the standard library.
_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.ExtraAdder(),
    hide_secrets,
]


def configure() -> None:
    """Send structlog's events through the standard library, where LOGGING renders them."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def logging_settings(*, as_json: bool, requests: str = "INFO") -> dict[str, Any]:
    """Return Django's LOGGING: everything to standard error, requests from the given level up."""
    if as_json:
        rendering = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        plain = structlog.dev.plain_traceback
        rendering = [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            # Django would add handlers of its own, and print each request a second time.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            "django_structlog": {"level": requests},
            "django.request": {"level": "ERROR"},
            # Scanners send any Host; the answer 400 says all there is to say.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "daphne": {"level": "WARNING"},
        },
    }
