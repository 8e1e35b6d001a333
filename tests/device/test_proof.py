"""Tokens: where they come from, and the proof that both ends make of one."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from lanescope.device.agent import proof
from lanescope.errors import InputError, UsageError


def token_file(folder: Path, text: str | bytes, mode: int = 0o600) -> Path:
    file = folder / "token"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    file.chmod(mode)
    return file


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANESCOPE_TOKEN", raising=False)


def test_a_file_counts_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANESCOPE_TOKEN", "e" * 20)
    assert proof.given_token(token_file(tmp_path, "f" * 20)) == "f" * 20
    assert proof.given_token(None) == "e" * 20


def test_a_short_token_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = token_file(tmp_path, f"  {'x' * 15}\n")
    with pytest.raises(UsageError) as found:
        proof.given_token(file)
    assert str(found.value) == (
        f"expected a token of 16 characters or more, found a shorter one in {file}"
    )
    monkeypatch.setenv("LANESCOPE_TOKEN", "")
    with pytest.raises(UsageError) as found:
        proof.given_token(None)
    assert str(found.value) == (
        "expected a token of 16 characters or more, found a shorter one in LANESCOPE_TOKEN"
    )


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o610, 0o604, 0o602, 0o601])
def test_a_file_that_others_can_use_is_refused(mode: int, tmp_path: Path) -> None:
    file = token_file(tmp_path, "x" * 16, mode)
    with pytest.raises(InputError) as found:
        proof.given_token(file)
    assert found.value.problem == f"others may use the token's file; 'chmod 600 {file}' forbids it"


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_file_of_its_owner_alone_is_read(mode: int, tmp_path: Path) -> None:
    assert proof.given_token(token_file(tmp_path, f"{'x' * 16}\n", mode)) == "x" * 16


def test_a_file_without_text_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the token cannot be read \(.*can't decode byte"):
        proof.given_token(token_file(tmp_path, b"\xff" * 20))


def test_a_file_without_end_is_cut(tmp_path: Path) -> None:
    assert proof.given_token(token_file(tmp_path, "x" * 70_000)) == "x" * 65_536


def test_a_proof_is_a_digest_of_who_and_of_both_nonces() -> None:
    shown = hmac.digest(b"token", b"lanescope agentab", "sha256")
    assert proof.proof_of("token", b"agent", b"a", b"b") == shown
    assert (proof.NONCE_BYTES, proof.PROOF_BYTES, len(shown)) == (32, 32, 32)


def test_every_token_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proof.new_token() != proof.new_token()
    monkeypatch.setattr(proof.secrets, "token_urlsafe", lambda size: f"{size} bytes")
    assert proof.new_token() == "24 bytes"
