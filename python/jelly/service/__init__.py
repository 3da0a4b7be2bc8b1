"""Logs over HTTP: ``jelly serve``. Needs the extra ``[serve]``: starlette and uvicorn."""

try:
    import starlette
except ImportError as error:
    raise ImportError("servers need starlette and uvicorn: pip install 'jelly-patch[serve]'") from error  # fmt: skip

from jelly.service._app import app
from jelly.service._limits import Limits
from jelly.service._serve import serve

del starlette

__all__ = ["Limits", "app", "serve"]
