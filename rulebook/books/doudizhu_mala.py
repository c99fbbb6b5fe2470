"""The page of `doudizhu.mala`."""

from rulebook.book import Book, Contest, Reckoning
from rulebook.books import dou_dizhu

_TERMS = {"base_stake": 1_000, "fee": {"kind": "flat", "value": 100}}


def _over(
    *, won: bool, base: int, ladder: list[int], bombs: int, spring: bool, out: int
) -> dict[str, object]:
    return {
        "landlord": 0,
        "landlord_won": won,
        "base_score": base,
        "ladder": ladder,
        "bombs": bombs,
        "spring": spring,
        "out": out,
    }


def _escape(seat: int, *, base: int, ladder: list[int], bombs: int) -> dict[str, object]:
    return {"escaped": seat, "landlord": 0, "base_score": base, "ladder": ladder, "bombs_dealt": bombs}


BOOK = Book(
    code="doudizhu.mala",
    sheets=(*dou_dizhu.SHEETS, "mala"),
    parts=(
        "deal",
        "order",
        "combos",
        "opening",
        "ladder",
        "play",
        "readings",
        "end",
        "score",
        "purse",
        "clock",
        "leaving",
        "escape",
        "titles",
    ),
    combos=dou_dizhu.COMBOS,
    nothing={
        **dou_dizhu.NOTHING,
        "triple_with_pair": "Qd Qc Qs 4d 4h",
        "quad_with_pair": "5d 5c 5h 5s 7d 7h",
        "plane_with_pair": "3d 3c 3h 4d 4c 4h 5d 5c",
    },
    contests={
        **dou_dizhu.CONTESTS,
        "plane_not_singles": Contest(dou_dizhu.THREE_AND_KICKERS, dou_dizhu.FOUR_TRIPLES, False),
    },
    deals={
        "blind_ladder": Reckoning(
            _TERMS, _over(won=True, base=2, ladder=[0, 4, 0], bombs=0, spring=False, out=0), landlord=0
        ),
        "called_bomb": Reckoning(
            _TERMS,
            play={
                "hands": ["3d 8d Jc", "4d 6d 6c 6h 6s", "5h 9d Tc"],
                "opening": {"landlord": 0, "base_score": 1, "ladder": [0, 0, 0]},
                "actions": [
                    [0, "play 3d"],
                    [1, "pass"],
                    [2, "play 5h"],
                    [0, "play 8d"],
                    [1, "play 6d 6c 6h 6s"],
                    [2, "pass"],
                    [0, "pass"],
                    [1, "play 4d"],
                ],
            },
            landlord=0,
        ),
        "ladder_spring": Reckoning(
            _TERMS,
            play={
                "hands": ["Kd Kc 7d", "4d 5c 8h", "6d 9c Th"],
                "opening": {"landlord": 0, "base_score": 1, "ladder": [0, 1, 0]},
                "actions": [[0, "play Kd Kc"], [1, "pass"], [2, "pass"], [0, "play 7d"]],
            },
            landlord=0,
        ),
        "carried": Reckoning(
            _TERMS,
            _over(won=True, base=2, ladder=[0, 4, 0], bombs=0, spring=False, out=0),
            balances=[10_000, 50_000, 50_000],
            landlord=0,
        ),
        "landlord_short": Reckoning(
            _TERMS,
            _over(won=False, base=2, ladder=[0, 4, 0], bombs=0, spring=False, out=1),
            balances=[20_000, 50_000, 50_000],
            landlord=0,
        ),
        "farmer_short": Reckoning(
            _TERMS,
            _over(won=True, base=2, ladder=[0, 0, 0], bombs=0, spring=False, out=0),
            balances=[30_000, 1_500, 40_000],
            landlord=0,
        ),
        "escape_plain": Reckoning(
            _TERMS,
            _escape(0, base=1, ladder=[0, 0, 0], bombs=0),
            landlord=0,
            balances=[150_000, 50_000, 60_000],
        ),
        "escape_uneven": Reckoning(
            _TERMS,
            _escape(0, base=1, ladder=[0, 4, 0], bombs=0),
            landlord=0,
            balances=[150_000, 50_000, 60_000],
        ),
        "escape_farmer": Reckoning(
            _TERMS,
            _escape(1, base=2, ladder=[0, 2, 0], bombs=2),
            landlord=0,
            balances=[150_000, 80_000, 60_000],
        ),
    },
    rulings={},
)
