"""Logs over HTTP: ``jelly serve``. Needs the extra ``[serve]``: starlette and uvicorn."""

from jelly.service._app import app
from jelly.service._limits import Limits
from jelly.service._serve import serve

__all__ = ["Limits", "app", "serve"]
