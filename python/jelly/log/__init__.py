"""Logs of patches, wherever they stand: :class:`jelly.Log`."""

from jelly.log._log import Log
from jelly.log._types import Head, LogInfo, LogVersion, Published

__all__ = ["Head", "Log", "LogInfo", "LogVersion", "Published"]
