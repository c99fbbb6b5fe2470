"""What both Dou Dizhu rule sets show alike."""

from rulebook.book import Contest

SHEETS = ("dou_dizhu", "table")

COMBOS = {
    "single": ("RJ",),
    "pair": ("9d 9s",),
    "triple": ("Jd Jc Jh",),
    "triple_single": ("Qd Qc Qs 4h",),
    "straight": ("3d 4s 5c 6h 7d", "Td Js Qc Kh As"),
    "pair_straight": ("6d 6c 7h 7s 8d 8h",),
    "airplane": ("3d 3c 3h 4d 4c 4s",),
    "airplane_singles": ("Td Tc Th Jd Jc Js 5h 8c", "3d 3c 3h 3s 4d 4c 4h 5s", "Kd Kc Kh Ad Ac Ah BJ RJ"),
    "quad_singles": ("8d 8c 8h 8s 3d Kh",),
    "bomb": ("5d 5c 5h 5s",),
    "rocket": ("BJ RJ",),
}
THREE_AND_KICKERS = "3d 3c 3h 4d 4c 4h 5d 5c 5h Jd Qd Kd"
FOUR_TRIPLES = "6d 6c 6h 7d 7c 7h 8d 8c 8h 9d 9c 9h"

NOTHING = {
    "short_straight": "4d 5c 6h 7s",
    "two_pairs_row": "3d 3c 4h 4s",
    "straight_with_two": "Jd Qs Kc Ah 2d",
    "low_two": "2d 3c 4h 5s 6d",
    "ace_two_plane": "Ad Ac Ah 2d 2c 2h",
    "mixed_kickers": "3d 3c 3h 4d 4c 4h 5d 6c 6h",
}
CONTESTS = {
    "suit_is_nothing": Contest("9h", "9s", False),
    "two_on_ace": Contest("As", "2d", True),
    "joker_on_two": Contest("2s", "BJ", True),
    "longer_straight": Contest("3d 4c 5h 6s 7d", "4d 5c 6h 7s 8d 9c", False),
    "higher_straight": Contest("3d 4c 5h 6s 7d", "8c 9h Ts Jd Qc", True),
    "kicker_is_nothing": Contest("7d 7c 7h Ad", "8d 8c 8h 3d", True),
    "bomb_on_plane": Contest("Kd Kc Kh Ad Ac Ah", "3d 3c 3h 3s", True),
    "higher_bomb": Contest("3d 3c 3h 3s", "4d 4c 4h 4s", True),
    "rocket_on_bomb": Contest("2d 2c 2h 2s", "BJ RJ", True),
    "quad_is_no_bomb": Contest("Ad Ac", "8d 8c 8h 8s 3d Kh", False),
    "bomb_on_quad": Contest("Ad Ac Ah As 3d Kh", "4d 4c 4h 4s", True),
}
