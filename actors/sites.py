"""The table of well-known web sites: the host that a name stands for. Pure; shared by readers."""

from collections.abc import Mapping
from importlib.resources import files

import msgspec


class SiteTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hosts by the names of their sites; ``also_programs`` are names of programs as well."""

    sites: Mapping[str, str]
    also_programs: Mapping[str, str]

    def hosts(self) -> dict[str, str]:
        """Give the host of every name."""
        return {**self.sites, **self.also_programs}


SITES = msgspec.toml.decode(files(__package__).joinpath("sites.toml").read_bytes(), type=SiteTable)
