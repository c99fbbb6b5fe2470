"""The engine's errors: a code for machines, a reason where the rules name one, a detail for developers.

Words for players are made at the edge, from `code` and `reason`, in the reader's language (RULES §6 lists
both).
"""

from __future__ import annotations

BAD_REQUEST = "bad_request"
BAD_CARD = "bad_card"
DUPLICATE_CARD = "duplicate_card"
UNKNOWN_RULESET = "unknown_ruleset"
BAD_RECORD = "bad_record"
ILLEGAL_ACTION = "illegal_action"


class EngineError(Exception):
    """Anything the engine refuses. `at` is the index of the refused action when a record is replayed."""

    def __init__(
        self, code: str, detail: str = "", *, reason: str | None = None, at: int | None = None
    ) -> None:
        super().__init__(code, reason, detail)
        self.code = code
        self.reason = reason
        self.detail = detail
        self.at = at

    def as_json(self) -> dict[str, object]:
        """Return the console's error object: `code`, and `reason`, `detail`, `at` where there are any."""
        answer: dict[str, object] = {"code": self.code}
        if self.reason is not None:
            answer["reason"] = self.reason
        if self.detail:
            answer["detail"] = self.detail
        if self.at is not None:
            answer["at"] = self.at
        return answer


class IllegalAction(EngineError):
    """A well-formed action that the rules refuse; `reason` is the first that applies (RULES §7)."""

    def __init__(self, reason: str, detail: str = "", *, at: int | None = None) -> None:
        super().__init__(ILLEGAL_ACTION, detail, reason=reason, at=at)
