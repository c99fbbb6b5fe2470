"""The settings of a real site refuse to start half configured, and pass Django's own check for deployment."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers

KEY = "Zm9yLXRlc3RzLW9ubHktZm9yLXRlc3RzLW9ubHktMzI="
COMPLETE = {
    "DJANGO_SETTINGS_MODULE": "config.settings.prod",
    "PAISHE_SECRET_KEY": "Tq7v" * 13 + "xyz9",
    "PAISHE_DEAL_SECRET_KEYS": KEY,
    "PAISHE_DATABASE_URL": "postgresql://paishe:secret@db.example/paishe",
    "PAISHE_VALKEY_URL": "redis://valkey.example:6379/0",
    "PAISHE_ALLOWED_HOSTS": "play.example",
    "PAISHE_SOCKET_ORIGINS": "https://play.example",
}


def check(tmp_path: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py check --deploy` with a complete environment but for the changes; "" takes a name away."""
    environment = {**servers.bare_environment(), **COMPLETE, **changes, "PAISHE_VAR_DIR": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=servers.ROOT,
        env={name: value for name, value in environment.items() if value},
        capture_output=True,
        text=True,
    )


def test_a_complete_environment_passes_the_check_without_a_warning(tmp_path: Path) -> None:
    done = check(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no issues" in done.stdout


def test_all_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    missing = [name for name in COMPLETE if name.startswith("PAISHE_")]
    done = check(tmp_path, **dict.fromkeys(missing, ""))
    assert done.returncode != 0
    for name in missing:
        assert name in done.stderr


@pytest.mark.parametrize("name", [name for name in COMPLETE if name.startswith("PAISHE_")])
def test_each_secret_and_address_is_missed_by_its_name(tmp_path: Path, name: str) -> None:
    """Without it not even the settings load: no process of any kind starts."""
    environment = {**servers.bare_environment(), **COMPLETE, "PAISHE_VAR_DIR": str(tmp_path), name: " "}
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings.prod"],
        cwd=servers.ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert "ImproperlyConfigured" in last
    assert [other for other in COMPLETE if other in last] == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAISHE_SECRET_KEY", "short"),
        ("PAISHE_DEAL_SECRET_KEYS", "not-a-key"),
        ("PAISHE_DATABASE_URL", "sqlite:///paishe.sqlite3"),
        ("PAISHE_ALLOWED_HOSTS", "*"),
        ("PAISHE_SOCKET_ORIGINS", "http://play.example"),
        ("PAISHE_SOCKET_ORIGINS", "https://play.example/path"),
        ("PAISHE_SOCKET_ORIGINS", "play.example"),
        ("PAISHE_METRICS_TOKEN", "guessable"),
        ("PAISHE_METRICS_NETWORKS", "everywhere"),
    ],
)
def test_a_weak_or_wrong_value_is_refused(tmp_path: Path, name: str, value: str) -> None:
    done = check(tmp_path, **{name: value})
    assert done.returncode != 0
    assert name in done.stderr.splitlines()[-1]


def test_hints_wait_without_a_time_out_and_cookies_are_for_https_only(tmp_path: Path) -> None:
    show = (
        "from django.conf import settings as s;"
        "print(s.CHANNEL_LAYERS['default']['CONFIG']['hosts'][0]['socket_timeout'],"
        " s.CHANNEL_LAYERS['default']['CONFIG']['hosts'][0]['max_connections'],"
        " s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.DEBUG)"
    )
    environment = {**servers.bare_environment(), **COMPLETE, "PAISHE_VAR_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", show], cwd=servers.ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["None", "2000", "True", "True", "False"], done.stderr
