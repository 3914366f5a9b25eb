"""The tools for archives."""

import os

from tools.files import archives
from tools.files.declaring import tool
from tools.files.queries import Query
from tools.files.roots import Roots
from tools.files.verify import exists
from tools.tool import AnyTool


class Archive(Query, frozen=True, kw_only=True):
    to: str = ""
    format: str = ""


class Extract(Query, frozen=True, kw_only=True):
    to: str = ""


def archive_tools(roots: Roots) -> tuple[AnyTool, ...]:
    """Declare what packs things into an archive, and what unpacks one."""
    return (
        tool(
            "archive_files",
            Archive,
            lambda p: archives.archive(roots, p, p.to, p.format),
            lambda p, _: exists(roots, packed_to(roots, p)),
            before=lambda p: archives.before_archiving(roots, p, p.to, p.format),
            recover=lambda p, before: archives.recover_archived(roots, p, p.to, p.format, before),
            target=lambda p: p.to or os.path.dirname(p.path),
        ),
        tool(
            "extract_archive",
            Extract,
            lambda p: archives.extract(roots, p.path, p.to),
            lambda p, done: archives.was_extracted(roots, unpacked_to(p), done),
            before=lambda p: archives.before_extracting(roots, p.path, p.to),
            recover=lambda p, before: archives.recover_extracted(roots, p.path, p.to, before),
            target=unpacked_to,
        ),
    )


def packed_to(roots: Roots, given: Archive) -> str:
    return archives.archive_target(roots, given, given.to, given.format)


def unpacked_to(given: Extract) -> str:
    return archives.extract_target(given.path, given.to)
