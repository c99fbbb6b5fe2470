"""Names are shown to other players: what reads alike is one name, and nothing invisible stands in one."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.names import name_key, normalise, validate_name


@pytest.mark.parametrize(
    "name",
    [
        "Ravi",
        "梅子",
        "Old Chen",
        "Lin.Bo-2",
        "O'Neill",
        "José",
        "Ольга",
        "สมชาย",
        "みどり",
        "민준",
        "Ng_7",
        "x" * 24,
    ],
)
def test_a_name_may_be_written_in_any_script(name: str) -> None:
    validate_name(normalise(name))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("x", "name_length"),
        ("x" * 25, "name_length"),
        ("", "name_length"),
        ("Ra\u200bvi", "name_characters"),  # zero-width space
        ("Ra\u202evi", "name_characters"),  # right-to-left override
        ("Ra\u0000vi", "name_characters"),
        ("Ra\u3164vi", "name_characters"),  # Hangul filler: a letter that shows nothing
        ("Ravi\ufe0f", "name_characters"),  # variation selector
        ("Ra\u0301\u0301\u0301\u0301vi", "name_characters"),  # a heap of accents
        ("Ravi!", "name_characters"),
        ("Ravi🃏", "name_characters"),
        ("-Ravi", "name_characters"),
        ("Ravi.", "name_characters"),
        ("Ra  vi", "name_characters"),
        ("<b>Ravi", "name_characters"),
        ("R\u0430vi", "name_alphabets"),  # a Cyrillic letter that looks Latin
    ],
)
def test_what_may_not_be_a_name(name: str, code: str) -> None:
    with pytest.raises(ValidationError) as caught:
        validate_name(name)
    assert caught.value.code == code


def test_a_name_is_stored_in_its_compatible_form_without_spare_spaces() -> None:
    assert normalise("  Ｒａｖｉ\u3000 K ") == "Ravi K"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ravi", "rAVI"), ("Ravi", "Ｒａｖｉ"), ("Élodie", "ÉLODIE"), ("STRASSE", "straße"), ("Ольга", "ольга")],
)
def test_names_that_read_alike_are_one_name(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.django_db
@pytest.mark.parametrize(("one", "other"), [("Ravi", "RAVI"), ("Élodie", "éLODIE"), ("Ольга", "ОЛЬГА")])
def test_the_database_keeps_one_name_one(one: str, other: str) -> None:
    User.objects.create_user(one)
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user(other)
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.bulk_create([User(username=other)])


@pytest.mark.django_db
def test_a_person_is_found_however_the_name_is_typed() -> None:
    user = User.objects.create_user("Élodie")
    assert User.objects.get_by_natural_key("ÉLODIE") == user


@pytest.mark.django_db
def test_a_new_name_takes_its_key_along() -> None:
    user = User.objects.create_user("Ravi")
    user.username = "Mei"
    user.save(update_fields=["username"])
    assert User.objects.get_by_natural_key("MEI") == user
