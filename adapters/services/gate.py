"""Where a fetch may connect to: every address is checked, and what was checked is what is connected to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from adapters.services.addresses import Address, Reach, literal
from agent.errors import RefusedFileError

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""A host name and a port to addresses. Raises OSError."""


class Gate(AbstractResolver):
    """Lets through only what may be reached: by the name's addresses, and again where the socket is made."""

    def __init__(self, *, private: bool, reach: Callable[[Address], Reach], resolve: Resolve) -> None:
        self._private = private
        self._reach = reach
        self._resolve = resolve

    def admit(self, url: URL) -> URL:
        """Check a URL whose host is an address; the library looks up names, and takes addresses as they are."""
        host = url.host or ""
        address = literal(host)
        if address is None:
            return url
        self.check(host, address)
        return url if str(address) == host else url.with_host(str(address))

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a name. Raises RefusedFileError if any of them is out of bounds."""
        addresses = [ip_address(address) for address in await self._resolve(host, port)]
        for address in addresses:
            self.check(host, address)
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    def socket(self, target: tuple[Any, ...]) -> socket.socket:
        """Return the socket of a connection, whoever chose its address."""
        family, kind, protocol, _, place = target
        self.check(str(place[0]), ip_address(place[0]))
        return socket.socket(family, kind, protocol)

    def check(self, host: str, address: Address) -> None:
        """Raise RefusedFileError for an address out of bounds."""
        reach = self._reach(address)
        if reach == "public" or (reach == "private" and self._private):
            return
        name = host if str(address) == host else f"{host} ({address})"
        if reach == "private":
            raise RefusedFileError(
                f"{name} is an address of a private network, and those are not fetched from; "
                "WEFT_FETCH_PRIVATE=true allows it (fetch_private in weft.toml)"
            )
        raise RefusedFileError(f"{name} is an address where no document can be")

    async def close(self) -> None:
        """Let go of nothing."""


async def look_up(host: str, port: int) -> list[str]:
    """Return the addresses that the system knows for a name."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))
