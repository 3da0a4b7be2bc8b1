"""What the backup has that loses patches: see conftest.py."""

from datetime import UTC, datetime

DAY = datetime(2026, 1, 1, tzinfo=UTC)
# two patches with as many adds as deletes, then one that changes the number of statements
DUMPS = [
    b'<a:s> <a:p> "1" .\n<a:s> <a:q> "x" .\n',
    b'<a:s> <a:p> "2" .\n<a:s> <a:q> "x" .\n',
    b'<a:s> <a:p> "2" .\n<a:s> <a:q> "y" .\n',
    b'<a:s> <a:p> "3" .\n',
]
FILES = [f"patch-{number:04}.jellyp.zst" for number in (1, 2, 3)]
