"""Logs of patches, wherever they stand: :class:`jelly.Log`."""

from jelly.log._log import Log
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published

__all__ = ["Compacted", "Head", "Log", "LogInfo", "LogVersion", "Published"]
