"""The page of `doudizhu.taiwan`."""

from rulebook.book import Book, Contest, Reckoning, Ruling
from rulebook.books import dou_dizhu

_30 = {"base_stake": 30, "cap": 1_200, "fee": {"kind": "percent", "value": 5}}
_50 = {"base_stake": 50, "cap": 2_000, "fee": {"kind": "percent", "value": 5}}
_100 = {"base_stake": 100, "cap": 4_000, "fee": {"kind": "percent", "value": 5}}


def _over(*, won: bool, bid: int, doublings: int, out: int, away: tuple[int, ...] = ()) -> dict[str, object]:
    return {
        "landlord": 0,
        "landlord_won": won,
        "bid": bid,
        "doublings": doublings,
        "out": out,
        "away": list(away),
    }


BOOK = Book(
    code="doudizhu.taiwan",
    sheets=(*dou_dizhu.SHEETS, "taiwan"),
    parts=(
        "deal",
        "order",
        "combos",
        "bidding",
        "play",
        "readings",
        "end",
        "score",
        "purse",
        "clock",
        "leaving",
        "away",
        "penalties",
        "titles",
    ),
    combos={
        **dou_dizhu.COMBOS,
        "triple_pair": ("2d 2c 2h 3d 3s",),
        "airplane_pairs": ("3d 3c 3h 4d 4c 4s 9d 9h Kc Ks",),
        "quad_single": ("Td Tc Th Ts 6h",),
        "quad_singles": ("8d 8c 8h 8s 3d Kh", "5d 5c 5h 5s 7d 7h"),
        "quad_pairs": ("Jd Jc Jh Js 4d 4c Ah As",),
        "rocket_singles": ("3d 7h BJ RJ",),
        "rocket_pairs": ("3d 3c 7h 7s BJ RJ",),
    },
    nothing={
        **dou_dizhu.NOTHING,
        "joker_pair": "3d 3c 3h BJ RJ",
        "four_as_pairs": "5d 5c 5h 5s 7d 7c 7h 7s",
    },
    contests={
        **dou_dizhu.CONTESTS,
        "triple_other_kickers": Contest("7d 7c 7h Ad As", "8d 8c 8h 9d", False),
        "plane_as_singles": Contest(dou_dizhu.THREE_AND_KICKERS, dou_dizhu.FOUR_TRIPLES, True),
        "bomb_on_rocket_carrying": Contest("3d 7h BJ RJ", "4d 4c 4h 4s", True),
    },
    deals={
        "smallest": Reckoning(_30, _over(won=True, bid=1, doublings=0, out=0), landlord=0),
        "smallest_lost": Reckoning(_30, _over(won=False, bid=1, doublings=0, out=1), landlord=0),
        "bomb_and_spring": Reckoning(
            _50,
            play={
                "hands": ["5d 5c 5h 5s Kd", "4d 8c 9h", "6d Tc Jh"],
                "opening": {"landlord": 0, "bid": 2},
                "actions": [[0, "play Kd"], [1, "pass"], [2, "pass"], [0, "play 5d 5c 5h 5s"]],
            },
            landlord=0,
        ),
        "anti_spring": Reckoning(
            _50,
            play={
                "hands": ["3d 8d 9c", "4d BJ RJ", "6d Tc Jh"],
                "opening": {"landlord": 0, "bid": 1},
                "actions": [
                    [0, "play 3d"],
                    [1, "play BJ RJ"],
                    [2, "pass"],
                    [0, "pass"],
                    [1, "play 4d"],
                ],
            },
            landlord=0,
        ),
        "capped_loss": Reckoning(_30, _over(won=False, bid=3, doublings=3, out=1), landlord=0),
        "capped_win": Reckoning(_30, _over(won=True, bid=3, doublings=4, out=0), landlord=0),
        "short": Reckoning(
            _30, _over(won=False, bid=3, doublings=2, out=2), balances=[501, 4_000, 6_000], landlord=0
        ),
        "away_won": Reckoning(
            _30,
            _over(won=False, bid=3, doublings=1, out=1, away=(2,)),
            balances=[5_000, 5_000, 5_000],
            landlord=0,
        ),
        "away_lost": Reckoning(
            _30,
            _over(won=True, bid=3, doublings=1, out=0, away=(2,)),
            balances=[5_000, 5_000, 5_000],
            landlord=0,
        ),
    },
    rulings={
        "collusion": Ruling(
            _30,
            {
                "kind": "collusion",
                "offenders": [0, 1],
                "landlord": 0,
                "deals": [{"gross": [60, -30, -30], "fees": [3, 0, 0]}],
                "complainant": 2,
            },
        ),
        "reveal_landlord": Ruling(
            _50, {"kind": "reveal", "offenders": [0], "landlord": 0, "deals": [], "complainant": 1}
        ),
        "reveal_farmer": Ruling(
            _100, {"kind": "reveal", "offenders": [1], "landlord": 0, "deals": [], "complainant": 2}
        ),
    },
)
