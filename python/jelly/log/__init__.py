"""Logs of patches in a folder, on a server or in an object store: :class:`jelly.Log`."""

from jelly.log._log import Log
from jelly.log._types import Compacted, Head, LogInfo, LogVersion, Published

__all__ = ["Compacted", "Head", "Log", "LogInfo", "LogVersion", "Published"]
