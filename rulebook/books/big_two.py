"""What both Big Two rule sets show alike: combos, what is none, who beats whom."""

from rulebook.book import Contest

SHEETS = ("big_two", "table")

COMBOS = {
    "single": ("2s",),
    "pair": ("Kh Ks",),
    "triple": ("7d 7c 7s",),
    "straight": ("5d 6s 7c 8h 9d", "Ah 2d 3c 4s 5d"),
    "flush": ("4h 7h 9h Jh 2h",),
    "full_house": ("8d 8c 8h Jd Js",),
    "quads": ("6d 6c 6h 6s 3d",),
    "straight_flush": ("9s Ts Js Qs Ks",),
}
NOTHING = {
    "past_two": "Jd Qs Kc Ah 2d",
    "around": "Qd Kc As 2h 3c",
    "king_low": "Ks Ad 2c 3h 4d",
    "four_alone": "9d 9c 9h 9s",
    "two_pairs": "5d 5s 6c 6h",
    "six_row": "4d 5c 6s 7h 8d 9c",
}
CONTESTS = {
    "two_beats_ace": Contest("As", "2d", True),
    "suit_decides": Contest("9h", "9s", True),
    "lower_suit": Contest("9h", "9c", False),
    "pair_of_spades": Contest("Td Th", "Tc Ts", True),
    "pair_without_spade": Contest("Tc Ts", "Td Th", False),
    "pair_on_single": Contest("Kd", "3d 3c", False),
    "flush_on_straight": Contest("Td Jc Qh Ks As", "3d 5d 6d 8d 9d", True),
    "quads_on_full_house": Contest("Kd Kc Ks 2h 2s", "4d 4c 4h 4s 3d", True),
    "quads_on_pair": Contest("Ad Ac", "9d 9c 9h 9s 3d", False),
    "low_straight": Contest("Ah 2d 3c 4s 5d", "2s 3d 4c 5h 6d", True),
    "ace_two_is_low": Contest("4d 5c 6s 7h 8d", "Ah 2s 3c 4s 5s", False),
    "same_straight": Contest("6d 7c 8h 9d Th", "6c 7d 8s 9c Ts", True),
    "flush_by_highest": Contest("4h 7h 9h Jh Kh", "3c 4c 5c 6c Ac", True),
    "flush_same_top": Contest("3d Td Jd Kd 2d", "4s 5s 6s 7s 2s", True),
    "straight_flush_on_quads": Contest("Ad Ac Ah As 2s", "4c 5c 6c 7c 8c", True),
}
