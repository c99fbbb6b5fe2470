"""Every word on a page is there in all three languages."""

from __future__ import annotations

import pytest

from config.locale import words


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_the_catalogue_has_exactly_the_words_in_use(language: str, domain: str) -> None:
    assert words.faults(language, domain) == []


def test_a_gap_forgotten_in_a_translation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = words.kept("zh_Hans", "djangojs")
    message = catalogue.get("To beat: {combo} by {name}")
    assert message is not None
    message.string = "要大过{name}"
    monkeypatch.setattr(words, "kept", lambda language, domain: catalogue)
    assert any("other gaps" in line for line in words.faults("zh_Hans", "djangojs"))


def test_words_of_the_rules_are_said_as_the_rules_say_them() -> None:
    """RULES §5, "Words on screen"."""
    simple = words.kept("zh_Hans", "djangojs")
    said = {str(m.string[0] if isinstance(m.string, tuple | list) else m.string) for m in simple}
    assert "请注意，你已经超时 {n} 次了，超时三次会当作逃跑处理。" in said
    assert "由于〖{name}〗强行退出，他被扣{n}分。游戏结束。" in said
    for button in ("出牌", "不出", "开始", "托管", "隐藏"):
        assert button in said
