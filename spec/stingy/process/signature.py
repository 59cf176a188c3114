"""Signatures of reports: ``stingy replay`` runs a report's target only if this user signed it.

Otherwise the user has to name the target. A report is data that anyone may have written, and the
target in it can be any command.
"""

from __future__ import annotations

import contextlib
import hmac
import os
from pathlib import Path

_AS_IT_IS = getattr(os, "O_BINARY", 0)
"""Flag of ``os.open`` without which Windows would write a line end as two bytes; 0 elsewhere."""
BYTES = 32
"""Length of the key in bytes. The key never leaves the folder that it is created in."""


def sign(target: str, folder: Path) -> str:
    """Return the signature for a report on this target from a run in this folder.

    Empty if the user's key can be neither read nor created.
    """
    key = _key()
    told = f"{folder.resolve()}\0{target}".encode(errors="surrogatepass")
    return hmac.new(key, told, "sha256").hexdigest() if key else ""


def is_ours(signature: str, target: str, folder: Path) -> bool:
    """Return True if this user's run of this target in this folder made the signature."""
    return bool(signature) and hmac.compare_digest(
        signature.encode(errors="replace"), sign(target, folder).encode()
    )


def _key() -> bytes:
    try:
        import click  # a page of the site has none, and keeps no key
    except ImportError:
        return b""
    path = Path(click.get_app_dir("stingy")) / "key"
    with contextlib.suppress(OSError):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_IT_IS, 0o600)
                with os.fdopen(made, "wb") as file:
                    file.write(os.urandom(BYTES))
        key = path.read_bytes()
        if len(key) == BYTES:
            return key
    return b""
