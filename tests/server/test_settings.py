"""Settings out of the environment, and what is wrong with them."""

import dataclasses
from pathlib import Path

import pytest
from typer.testing import CliRunner

from server.cli import app
from server.settings import Settings, SettingsError, check_folder, misspelt, variable, without_password


def test_without_variables_the_defaults_hold() -> None:
    settings = Settings.from_env({"PATH": "/usr/bin", "PORT": "1"})
    assert settings == Settings()
    assert settings.port == 8000
    assert settings.store is None
    assert settings.data == Path("facedown-data")
    assert settings.ping_interval_s == 20
    assert settings.idle_timeout_s == 60
    assert settings.max_message_bytes == 65536
    assert settings.max_frame_bytes == 131072
    assert settings.queue_bytes == 1048576
    assert settings.resume_window == 300


def test_every_kind_of_variable_is_read() -> None:
    settings = Settings.from_env(
        {
            "FACEDOWN_HOST": "0.0.0.0",
            "FACEDOWN_PORT": " 9000 ",
            "FACEDOWN_STORE": "redis://localhost:6379/0",
            "FACEDOWN_DATA": "/var/lib/facedown",
            "FACEDOWN_ALLOW_WEAK_STORE": "Yes",
            "FACEDOWN_ORIGINS": "https://example.org, http://localhost:5173,",
            "FACEDOWN_PING_INTERVAL_S": "2.5",
            "FACEDOWN_LOG_LEVEL": "WARNING",
            "FACEDOWN_WORKERS": "",
        }
    )
    assert settings == Settings(
        host="0.0.0.0",
        port=9000,
        store="redis://localhost:6379/0",
        data=Path("/var/lib/facedown"),
        allow_weak_store=True,
        origins=("https://example.org", "http://localhost:5173"),
        ping_interval_s=2.5,
        log_level="warning",
    )


def test_every_setting_can_be_given_its_default_as_a_variable() -> None:
    env = {}
    for field in dataclasses.fields(Settings):
        if isinstance(field.default, bool):
            env[variable(field.name)] = str(int(field.default))
        elif field.default not in (None, ()):
            env[variable(field.name)] = str(field.default)
    assert Settings.from_env(env) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FACEDOWN_PORT", "http", "whole number"),
        ("FACEDOWN_PORT", "80.5", "whole number"),
        ("FACEDOWN_PORT", "٨٠", "whole number"),
        ("FACEDOWN_PORT", "65536", "from 0 to 65535"),
        ("FACEDOWN_PORT", "-1", "from 0 to 65535"),
        ("FACEDOWN_PORT", "tcp://10.0.0.7:8000", "enableServiceLinks"),
        ("FACEDOWN_WORKERS", "0", "from 1"),
        ("FACEDOWN_ALLOW_WEAK_STORE", "maybe", "1 or 0"),
        ("FACEDOWN_IDLE_TIMEOUT_S", "nan", "number such as"),
        ("FACEDOWN_IDLE_TIMEOUT_S", "1e3", "number such as"),
        ("FACEDOWN_SHUTDOWN_GRACE_S", "601", "from 0 to 600"),
        ("FACEDOWN_PING_INTERVAL_S", "60", "shorter than the idle timeout"),
        ("FACEDOWN_MAX_MESSAGE_BYTES", "200000", "limit for frames"),
        ("FACEDOWN_LOG_LEVEL", "loud", "debug, info, warning, error"),
        ("FACEDOWN_STORE", "localhost:6379", "redis://localhost"),
        ("FACEDOWN_STORE", "http://localhost", "redis://localhost"),
        ("FACEDOWN_STORE", "redis://", "redis://localhost"),
        ("FACEDOWN_STORE", "valkey:///0", "redis://localhost"),
        ("FACEDOWN_STORE", "redis://localhost:x", "redis://localhost"),
        ("FACEDOWN_ORIGINS", "example.org", "https://example.org:8443"),
        ("FACEDOWN_ORIGINS", "https://example.org/", "https://example.org:8443"),
        ("FACEDOWN_ORIGINS", "https://Example.org", "https://example.org:8443"),
        ("FACEDOWN_ORIGINS", "https://a@example.org", "https://example.org:8443"),
        ("FACEDOWN_ORIGINS", "*", "https://example.org:8443"),
        ("FACEDOWN_ORIGINS", "null", "https://example.org:8443"),
        ("FACEDOWN_TRUSTED_PROXIES", "foo", "172.30.0.10 or 10.0.0.0/8"),
        ("FACEDOWN_TRUSTED_PROXIES", "10.0.0.1/8", "172.30.0.10 or 10.0.0.0/8"),
        ("FACEDOWN_TRUSTED_PROXIES", "10.0.0.1,*", "it is '*'"),
        ("FACEDOWN_STORE_REPLICAS_ON_DISK", "1", "needs FACEDOWN_STORE_REPLICAS of 1 or more"),
        ("FACEDOWN_OPERATOR_TOKEN", "x" * 31, "32 characters"),
        ("FACEDOWN_OPERATOR_TOKEN", "ü" * 40, "ASCII"),
        ("FACEDOWN_OPERATOR_TOKEN", "correct horse battery staple, and more", "without spaces"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_variable(name: str, value: str, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: value})
    assert str(caught.value).startswith(name)
    assert words in str(caught.value)


def test_a_refused_store_url_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"FACEDOWN_STORE": "http://:hunter2@store"})
    assert "hunter2" not in str(caught.value)


def test_the_memory_store_is_for_one_process() -> None:
    with pytest.raises(SettingsError, match="FACEDOWN_WORKERS"):
        Settings(store="memory://", workers=2)


def test_the_memory_store_has_no_replicas() -> None:
    with pytest.raises(SettingsError, match="FACEDOWN_STORE_REPLICAS must be 0 with the memory store"):
        Settings(store="memory://", store_replicas=1)


def test_proxies_are_addresses_networks_or_any() -> None:
    for proxies in ("*", "::1, 172.30.0.10", "10.0.0.0/8,fd00::/8"):
        assert Settings.from_env({"FACEDOWN_TRUSTED_PROXIES": proxies}).trusted_proxies


def test_a_folder_that_cannot_be_written_is_refused_when_the_server_starts(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "archive", Path("/proc/nope")):
        env = {"FACEDOWN_ARCHIVE": str(folder), "FACEDOWN_STORE": "memory://", "FACEDOWN_PORT": "0"}
        done = CliRunner().invoke(app, ["serve"], env=env)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith("facedown: FACEDOWN_ARCHIVE must be a folder that can be made")
    check_folder(tmp_path / "new" / "archive")
    assert list(tmp_path.glob("new/archive/*")) == []


def test_options_override_and_are_checked_again() -> None:
    settings = Settings.from_env({"FACEDOWN_PORT": "9000"}).replaced(port=9001, host=None, log_level="debug")
    assert (settings.port, settings.host, settings.log_level) == (9001, "127.0.0.1", "debug")
    with pytest.raises(SettingsError, match="FACEDOWN_PORT"):
        settings.replaced(port=70000)


def test_passwords_are_not_shown() -> None:
    settings = Settings(store="rediss://user:hunter2@store.example:6380/0")
    assert "hunter2" not in repr(settings)
    assert settings.store_for_log == "rediss://user:***@store.example:6380/0"
    assert Settings().store_for_log == "embedded in facedown-data"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:secret@host/0", "redis://:***@host/0"),
        ("redis://user:se:cr@et@host", "redis://user:***@host"),
        ("at redis://u:p@a and redis://u:p@b", "at redis://u:***@a and redis://u:***@b"),
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("http://host:80/a@b", "http://host:80/a@b"),
    ],
)
def test_without_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_a_misspelt_variable_is_noticed() -> None:
    env = {"FACEDOWN_ORIGIN": "https://a.example", "FACEDOWN_LONG": "1", "FACEDOWN_PORT": "1", "ORIGIN": "x"}
    assert misspelt(env) == [("FACEDOWN_ORIGIN", "FACEDOWN_ORIGINS")]
