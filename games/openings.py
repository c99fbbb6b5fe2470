"""Opening a deal: who may play on and can pay, which cards, what is reserved, and the commitment of the deal after it.

Called by `tables` under the table's lock, in the transaction that appends the opening event.
"""

from __future__ import annotations

from django.db import connection

from accounts import restrictions
from games import dealing, log, settling
from games.engine import rulesets
from games.models import Deal
from games.table import commands as cmd
from games.table.events import DealClosed, DealOpened
from games.table.state import TableState
from games.table.terms import engine_terms
from wallet import debts
from wallet import services as wallet


def next_command(table_id: int, state: TableState) -> cmd.OpenDeal | cmd.DeclineDeal:
    """Return the command that opens the deal a table waits for, or stands up who may not play or cannot pay for it.

    Locks the wallets of a coin table in id order and holds what each seat can lose.
    """
    users = settling.users_of(state)
    balances = _balances(state, users)
    rules, terms = rulesets.get(state.ruleset), engine_terms(state.terms)
    barred = _barred(state, users)
    if balances is not None:
        short = {seat: "balance" for seat, have in enumerate(balances) if not rules.can_play_on(terms, have)}
        barred = {**short, **barred}
    if barred:
        return cmd.DeclineDeal(barred)
    if balances is not None:
        reserved = settling.reservations(
            deal_id=state.next_deal, rules=rules, terms=terms, users=users, balances=balances
        )
        wallet.hold_all(reservations=reserved)
    nonces = state.nonces
    dealing.SECRETS.learn(state.next_deal, nonces, rules.deck_size)
    draw = dealing.draw(state.next_deal, nonces)
    deck = draw.deck(rules.deck_size)
    next_deal, next_commitment = dealing.make_secret(table_id=table_id)
    return cmd.OpenDeal(
        deal_id=state.next_deal,
        number=state.number + 1,
        commitment=state.next_commitment,
        next_deal_id=next_deal,
        next_commitment=next_commitment,
        nonces=nonces,
        balances=balances,
        opening=rules.next_opening(state.previous_deal, draw, deck),
        rules_version=rules.version,
    )


def _barred(state: TableState, users: list[int | None]) -> dict[int, str]:
    """Return which seats may not play the next deal: suspended, or in debt where coins move.

    A redeal belongs to the deal before it: who began that plays on.
    """
    if state.carry is not None:
        return {}
    people = [user for user in users if user is not None]
    suspended = restrictions.under("suspension", people)
    owing = debts.owed_by_each(people) if state.terms.currency == "coins" else {}
    reasons = {**dict.fromkeys(owing, "owes"), **dict.fromkeys(suspended, "suspended")}
    return {seat: reasons[user] for seat, user in enumerate(users) if user in reasons}


def _balances(state: TableState, users: list[int | None]) -> tuple[int, ...] | None:
    """Return what each seat can spend, under lock; None where no coins move."""
    if state.terms.currency != "coins":
        return None
    have = wallet.balances([user for user in users if user is not None], for_update=True)
    return tuple(have[user].available if user is not None else 0 for user in users)


def record(table_id: int, seq: int, event: DealOpened) -> None:
    """Write the Deal row of an opening event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO games_deal (id, table_id, number, ruleset, rules_version, opened_seq, how, opened) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            [
                event.deal,
                table_id,
                event.number,
                event.ruleset,
                event.rules_version,
                seq,
                Deal.How.LIVE.value,
                log.moment(),
            ],
        )


def close(seq: int, event: DealClosed) -> None:
    """Mark the Deal row of a closing event closed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_deal SET closed_seq = %s, how = %s, closed = %s WHERE id = %s",
            [seq, event.how, log.moment(), event.deal],
        )
        if cursor.rowcount != 1:
            raise LookupError(f"deal {event.deal} has no row")
