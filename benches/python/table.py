"""A plain table."""

from collections.abc import Sequence


def show(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first column to the left, others to the right; a last one without a head holds notes."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[0] = row[0].ljust(widths[0])
        if not head[-1]:
            cells[-1] = row[-1]
        print("  " + "  ".join(cells).rstrip())
