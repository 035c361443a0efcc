"""The files in `deploy/` are what the programs that read them take, and say what the server knows."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import compose_spec
import kubernetes_validate
import pytest
import yaml

from server.app import create_app
from server.doctor import diagnose
from server.settings import Settings, variable
from server.store.link import Settings as LinkSettings
from tests.deploy.proxy import find_nginx, lasting_port, rendered
from tests.support.server import ROOT
from tests.support.store import PATIENCE_S, binaries

DEPLOY = ROOT / "deploy"
KUBERNETES = ("1.29", "1.32", "1.35")
KNOWN = {variable(name) for name in Settings.__dataclass_fields__}


def text_of(name: str) -> str:
    """A file of the folder."""
    return (DEPLOY / name).read_text()


def manifests(text: str) -> list[dict[str, Any]]:
    """The objects of a Kubernetes file."""
    return [found for found in yaml.safe_load_all(text) if found is not None]


def kind(name: str) -> dict[str, Any]:
    """The only object of this kind in ours."""
    (found,) = [one for one in manifests(text_of("k8s/facedown.yaml")) if one["kind"] == name]
    return found


# --- each file by the program that reads it, and a fault that it finds -------------------------------


def lint_nginx(text: str, folder: Path) -> str:
    """What nginx has against a configuration."""
    program = find_nginx()
    if program is None:
        pytest.skip("nginx is not installed")
    config = folder / "nginx.conf"
    config.write_text(text)
    ran = subprocess.run(
        [program, "-t", "-q", "-p", folder, "-c", config], check=False, capture_output=True, text=True
    )
    said = [line for line in ran.stderr.splitlines() if "setrlimit" not in line]
    return "\n".join(said) + ("" if ran.returncode == 0 else f"exit code {ran.returncode}")


def lint_compose(text: str, folder: Path) -> str:
    """What the schema of compose files has against one, and what it names that is not there."""
    try:
        found = compose_spec.PyCompose.from_yaml(text)
        found.validate()
    except ValueError as error:
        return str(error)
    services = yaml.safe_load(text)["services"]
    named = {name for service in services.values() for name in service.get("depends_on", ())}
    return ", ".join(sorted(named - set(services)))


def lint_kubernetes(text: str, folder: Path) -> str:
    """What the schemas of several releases have against the objects."""
    said = []
    for version in KUBERNETES:
        for one in manifests(text):
            try:
                kubernetes_validate.validate(one, version, strict=True)
            except (
                kubernetes_validate.ValidationError,
                kubernetes_validate.utils.SchemaNotFoundError,
            ) as error:
                said.append(f"{version}: {one['kind']}: {error}"[:300])
    return "\n".join(said)


def lint_docker(text: str, folder: Path) -> str:
    """What hadolint has against a Dockerfile."""
    program = Path(sys.executable).parent / "hadolint"
    if not program.exists():
        pytest.skip("hadolint is not there for this machine")
    ran = subprocess.run([program, "-"], input=text, check=False, capture_output=True, text=True)
    return ran.stdout + ran.stderr


def lint_systemd(text: str, folder: Path) -> str:
    """What systemd has against a unit."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    unit = folder / "facedown.service"
    unit.write_text(text.replace("/opt/facedown/bin/facedown", sys.executable))
    ran = subprocess.run([program, "verify", "--man=no", unit], check=False, capture_output=True, text=True)
    about = [line for line in ran.stderr.splitlines() if "facedown.service" in line]
    return "\n".join(about) + ("" if ran.returncode == 0 else f"exit code {ran.returncode}")


Lint = Callable[[str, Path], str]


@pytest.mark.parametrize(
    ("name", "lint", "right", "wrong"),
    [
        ("nginx.conf", lint_nginx, "proxy_read_timeout", "proxy_reed_timeout"),
        ("compose.yaml", lint_compose, "healthcheck:", "healthchek:"),
        ("compose.yaml", lint_compose, "networks: [inside]", "networks: [outside]"),
        (
            "compose.yaml",
            lint_compose,
            "depends_on: [server-1, server-2]",
            "depends_on: [server-1, server-3]",
        ),
        ("k8s/facedown.yaml", lint_kubernetes, "periodSeconds: 2", "periodSeconds: often"),
        ("k8s/facedown.yaml", lint_kubernetes, "readinessProbe", "readynessProbe"),
        ("k8s/facedown.yaml", lint_kubernetes, "policy/v1", "policy/v1beta1"),
        ("Dockerfile", lint_docker, "STOPSIGNAL SIGTERM", "RUN cd /tmp && apt-get install curl"),
        ("facedown.service", lint_systemd, "ProtectSystem=strict", "ProtectSistem=strict"),
        ("facedown.service", lint_systemd, "Restart=always", "Restart=perhaps"),
    ],
)
def test_each_file_is_right_and_a_fault_in_it_is_found(
    name: str, lint: Lint, right: str, wrong: str, tmp_path: Path
) -> None:
    text = rendered(tmp_path, 8080, (8001, 8002)) if name == "nginx.conf" else text_of(name)
    assert lint(text, tmp_path) == ""
    assert right in text
    assert lint(text.replace(right, wrong, 1), tmp_path) != ""


# --- the settings of the store ----------------------------------------------------------------------


@pytest.fixture(params=["valkey", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A store that runs with the shipped settings: its URL and its folder."""
    binary = binaries()[request.param]
    if binary is None:
        pytest.skip(f"no {request.param} server is installed")
    place = tmp_path / "s"
    log = tmp_path / "log"
    command = [
        str(binary),
        str(DEPLOY / "redis.conf"),
        "--port",
        "0",
        "--unixsocket",
        str(place),
        "--dir",
        str(tmp_path),
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not _answers(place):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield f"unix://{place}", tmp_path
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _answers(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(str(place))
        except OSError:
            return False
    return True


async def test_a_store_with_the_shipped_settings_keeps_what_the_guarantees_need(
    store: tuple[str, Path],
) -> None:
    url, folder = store
    checks = await diagnose(url, LinkSettings())
    # What a machine is fast at is no matter of settings.
    assert [
        str(check) for check in checks if check.verdict != "ok" and "append takes" not in check.name
    ] == []
    assert {"appendonly", "appendfsync", "maxmemory-policy"} <= {check.name for check in checks}
    assert list(folder.glob("appendonlydir/*")), "nothing was written to disk"
    assert not (folder / "dump.rdb").exists()


# --- what they say of the server --------------------------------------------------------------------


def test_every_variable_that_a_file_names_is_a_setting() -> None:
    for file in (file for file in DEPLOY.rglob("*") if file.is_file()):
        named = set(re.findall(r"FACEDOWN_[A-Z_]+[A-Z]", file.read_text()))
        assert named <= KNOWN, file


def test_the_variables_have_values_that_a_server_takes() -> None:
    container = kind("Deployment")["spec"]["template"]["spec"]["containers"][0]
    kubernetes = {one["name"]: one["value"] for one in container["env"]} | kind("Secret")["stringData"]
    server = yaml.safe_load(text_of("compose.yaml"))["services"]["server-1"]["environment"]
    compose = {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value) for name, value in server.items()}
    image = dict(re.findall(r"(FACEDOWN_\w+)=(\S+)", text_of("Dockerfile")))
    unit = dict(re.findall(r"^Environment=(\w+)=(.*)$", text_of("facedown.service"), re.MULTILINE))
    assert Settings.from_env(image | kubernetes).host == "0.0.0.0"
    assert Settings.from_env(image | compose).trusted_proxies == ("172.30.0.10",)
    assert Settings.from_env(unit).data == Path("/var/lib/facedown/data")


def test_probes_and_ports_are_those_of_the_server() -> None:
    paths = {getattr(route, "path", None) for route in create_app(Settings(store="memory://")).routes}
    container = kind("Deployment")["spec"]["template"]["spec"]["containers"][0]
    probes = {container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}
    probes |= set(re.findall(r"127\.0\.0\.1:8000(/\w+)", text_of("Dockerfile")))
    assert probes == {"/healthz", "/readyz"}
    assert probes <= paths
    proxy = text_of("nginx.conf")
    assert set(re.findall(r"location (?:= )?(/\S*) ", proxy)) == {"/v1/ws", "/metrics", "/v1/admin", "/"}
    assert {"/v1/ws", "/metrics"} <= paths
    (port,) = re.findall(r"EXPOSE (\d+)", text_of("Dockerfile"))
    assert container["ports"][0]["containerPort"] == int(port) == 8000
    assert set(re.findall(r"server server-\d:(\d+)", proxy)) == {port}
    services = yaml.safe_load(text_of("compose.yaml"))["services"]
    assert set(re.findall(r"server (server-\d)", proxy)) <= set(services)
    assert services["proxy"]["networks"]["inside"]["ipv4_address"] == "172.30.0.10"


def test_who_stops_a_server_waits_until_it_has_stopped() -> None:
    """The grace, two seconds for goodbyes, and what the parent of workers adds to it."""
    pod = kind("Deployment")["spec"]["template"]["spec"]
    (grace,) = [
        float(one["value"])
        for one in pod["containers"][0]["env"]
        if one["name"] == "FACEDOWN_SHUTDOWN_GRACE_S"
    ]
    quiet = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] >= quiet + grace + 7
    ours = Settings().shutdown_grace_s
    (unit,) = re.findall(r"TimeoutStopSec=(\d+)", text_of("facedown.service"))
    compose = yaml.safe_load(text_of("compose.yaml"))["services"]["server-1"]["stop_grace_period"]
    assert int(unit) >= ours + 7
    assert int(compose.removesuffix("s")) >= ours + 7


def test_the_proxy_waits_longer_than_a_living_connection_is_quiet() -> None:
    waits = re.findall(r"proxy_(?:read|send)_timeout (\d+)s", text_of("nginx.conf"))
    waits += re.findall(r'proxy-(?:read|send)-timeout: "(\d+)"', text_of("k8s/facedown.yaml"))
    assert len(waits) == 4
    ours = Settings()
    assert min(map(int, waits)) > max(ours.ping_interval_s, ours.idle_timeout_s)


def test_the_image_copies_what_is_there_and_nothing_else_is_sent_to_its_build() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*)$", text_of("Dockerfile"), re.MULTILINE)
    sources = {source for line in copied for source in line.split()[:-1]}
    assert all((ROOT / source).exists() for source in sources)
    ignored = [line for line in text_of("Dockerfile.dockerignore").splitlines() if not line.startswith("#")]
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == sources


@pytest.mark.parametrize("kind_of_store", ["valkey", "redis"])
def test_the_servers_beside_it_may_talk_to_the_store_of_compose(kind_of_store: str, tmp_path: Path) -> None:
    """Without a password protected mode refused everybody but the machine itself."""
    binary = binaries()[kind_of_store]
    if binary is None:
        pytest.skip(f"no {kind_of_store} server is installed")
    said = yaml.safe_load(text_of("compose.yaml"))["services"]["redis"]["command"]
    assert said[:2] == ["redis-server", "/etc/redis.conf"]
    port = lasting_port()
    command = [str(binary), str(DEPLOY / "redis.conf"), *said[2:], "--port", str(port), "--bind", "127.0.0.1"]
    with (tmp_path / "log").open("wb") as out:
        process = subprocess.Popen([*command, "--dir", str(tmp_path)], stdout=out, stderr=out)
    try:
        answer = b""
        deadline = time.monotonic() + PATIENCE_S
        while not answer and time.monotonic() < deadline:
            # Not from the address that the store takes for the machine itself.
            with (
                contextlib.suppress(ConnectionRefusedError),
                socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0)) as one,
            ):
                one.sendall(b"PING\r\n")
                answer = one.recv(100)
            time.sleep(0.01)
        assert answer == b"+PONG\r\n"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
