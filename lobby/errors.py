"""Why the lobby does not seat somebody. Words for it are made at the edge (`lobby.words`)."""

from datetime import datetime

from wallet.errors import ServiceError


class LobbyError(ServiceError):
    """A wish the lobby does not grant."""

    code = "lobby_error"


class NotSignedIn(LobbyError):
    """Only people with an account sit down."""

    code = "not_signed_in"


class MayNotPlay(LobbyError):
    """The account is banned."""

    code = "may_not_play"


class Suspended(LobbyError):
    """A verdict keeps somebody from every table; `until` when, None: for good."""

    code = "suspended"

    def __init__(self, *, until: datetime | None) -> None:
        super().__init__(f"until {until}")
        self.until = until


class Owes(LobbyError):
    """Who owes coins from a verdict gets no seat where coins move; `owed` in all."""

    code = "owes"

    def __init__(self, *, owed: int) -> None:
        super().__init__(f"owes {owed}")
        self.owed = owed


class UnknownTier(LobbyError):
    """There is no tier of that code."""

    code = "unknown_tier"


class TierClosed(LobbyError):
    """Staff closed the tier."""

    code = "tier_closed"


class EntryLimit(LobbyError):
    """The balance is not above the entry limit; `needed` is the least balance that is."""

    code = "entry_limit"

    def __init__(self, *, needed: int) -> None:
        super().__init__(f"needs {needed}")
        self.needed = needed


class AlreadySeated(LobbyError):
    """One person, one seat; `table_code` is where it is."""

    code = "already_seated"

    def __init__(self, table_code: str) -> None:
        super().__init__(table_code)
        self.table_code = table_code


class BadNonce(LobbyError):
    """A nonce is up to 64 hexadecimal digits, small letters."""

    code = "bad_nonce"


class SeatRefused(LobbyError):
    """The table said no; `code` is the table's: seat_taken, table_full, table_closed …"""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code = code
        super().__init__(detail)
