"""What a complaint or its verdict is refused for. `code` is stable, `detail` is data for the words."""


class ComplaintError(Exception):
    """Refused, and nothing was written or moved."""

    def __init__(self, code: str, detail: object = "") -> None:
        super().__init__(f"{code}: {detail}" if detail != "" else code)
        self.code = code
        self.detail = detail


class Refused(ComplaintError):
    """A player's complaint, withdrawal or appeal is not taken."""


class NotAllowed(ComplaintError):
    """A member of staff may not do this: he sat there, took no part in it, or decided it before."""


class BadVerdict(ComplaintError):
    """The form of a verdict does not fit its case."""
