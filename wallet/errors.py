"""What the ledger refuses. Each error has a code for the edge to word and a detail for the log."""


class ServiceError(Exception):
    """What a service refuses: `code` is stable, `detail` is for the log; words are made at the edge."""

    code = "service_error"

    def __init__(self, detail: str = "") -> None:
        super().__init__(f"{self.code}: {detail}" if detail else self.code)
        self.detail = detail


class WalletError(ServiceError):
    """A wallet operation was refused and nothing was written."""

    code = "wallet_error"


class BadAmount(WalletError):
    """An amount is no whole number of coins, or out of bounds."""

    code = "bad_amount"


class BadReference(WalletError):
    """A code or reference is empty or too long."""

    code = "bad_reference"


class UnbalancedLegs(WalletError):
    """The legs do not sum to 0, or fewer than two of them move coins."""

    code = "unbalanced_legs"


class UnknownWallet(WalletError):
    """There is no wallet of that user or code."""

    code = "unknown_wallet"


class InsufficientFunds(WalletError):
    """A debit or a hold exceeds what is available; `user_id` is None for a wallet of the house."""

    code = "insufficient_funds"

    def __init__(self, *, user_id: int | None, needed: int, available: int) -> None:
        super().__init__(f"needs {needed}, has {available} available")
        self.user_id = user_id
        self.needed = needed
        self.available = available


class ReferenceReused(WalletError):
    """The reference already stands for something else."""

    code = "reference_reused"


class UnknownHold(WalletError):
    """There is no hold of that reference."""

    code = "unknown_hold"


class HoldClosed(WalletError):
    """The hold was closed before, by something else."""

    code = "hold_closed"


class NotAMirror(WalletError):
    """A reversal must move exactly the opposite of what it reverses."""

    code = "not_a_mirror"


class AlreadyReversed(WalletError):
    """The transaction was reversed before, under another reference."""

    code = "already_reversed"
