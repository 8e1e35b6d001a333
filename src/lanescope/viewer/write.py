"""Writes a page that holds its traces: it opens offline and makes no request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from lanescope.trace import Trace
from lanescope.viewer.book import WHOLE, Book, books_of
from lanescope.viewer.job_panel import JobPanel, page_header
from lanescope.viewer.page import page


@dataclass(frozen=True, slots=True)
class PageSummary:
    """What is in a page."""

    traces: int
    slices: int
    """Bars; the name is a key of the command's JSON."""
    lanes: int
    edges: int
    bytes: int


def write_page(
    traces: Sequence[Trace],
    stream: BinaryIO,
    *,
    places: Sequence[str | None] = (),
    job: JobPanel | None = None,
) -> PageSummary:
    """Write a page with these traces below each other on one time axis.

    `places` is where each trace came from: it tells those of one name apart. `job` is the job whose
    ranks the traces are.
    """
    books = books_of(traces, places, job)
    headers = [book.whole_header() for book in books]
    size = 0
    for piece in page(page_header(False, headers, job), _blocks(books)):
        size += stream.write(piece)
    return PageSummary(
        traces=len(books),
        slices=sum(sum(header["counts"].values()) for header in headers),
        lanes=sum(lane["kind"] != "path" for header in headers for lane in header["lanes"]),
        edges=sum(header["tiles"][0]["tables"]["edges"]["rows"] for header in headers),
        bytes=size,
    )


def _blocks(books: list[Book]) -> Iterator[tuple[str, bytes]]:
    for number, book in enumerate(books):
        for name, data in book.blocks(WHOLE):
            yield f"{number}/{name}", data
