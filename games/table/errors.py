"""The two ways the table machine says no: to a command (`Refusal`) and to a log it cannot read
(`FormatError`)."""

from __future__ import annotations


class TableMachineError(Exception):
    """The root of the machine's errors; `code` is for programs, words are made at the edge."""

    code = "table_error"


class Refusal(TableMachineError):
    """A command that was not taken. `decide` hands it back inside the decision, it never raises it.

    Codes: not_seated, seat_taken, wrong_phase, not_your_turn, stale_turn, illegal (detail: the engine's
    reason), not_allowed_here (detail: trustee | ask_leave | chat), already_asked, already_ready, already_set,
    nothing_to_answer, vote_running, table_closed, bad_nonce, bad_id, bad_text, too_fast, wrong_deal, bad_opening,
    unknown_command.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code if not detail else f"{code}: {detail}")
        self.code = code
        self.detail = detail


class FormatError(TableMachineError):
    """An event this version cannot read: unknown kind, unknown field, newer format or rules version."""

    code = "format"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail
