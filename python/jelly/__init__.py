from jelly._internal import __version__
