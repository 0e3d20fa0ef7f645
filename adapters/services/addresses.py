"""Which addresses a URL that somebody handed over may lead to."""

import ipaddress
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal

Address = IPv4Address | IPv6Address
Reach = Literal["public", "private", "never"]

_NEVER = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "169.254.0.0/16",  # link-local, and there the keys of AWS, Azure, Google Cloud and most others
        "100.100.100.200/32",  # metadata of Alibaba Cloud
        "168.63.129.16/32",  # the wire server of Azure
        "192.0.0.192/32",  # metadata of Oracle Cloud
        "224.0.0.0/3",  # multicast and reserved
        "::/128",
        "fe80::/10",
        "fd00:ec2::/32",  # metadata of AWS
        "fd20:ce::/32",  # metadata of Google Cloud
        "ff00::/8",
    )
)
# What Python 3.11 takes for global although IANA's special-purpose registries do not.
_NOT_GLOBAL = tuple(
    ipaddress.ip_network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20", "2001:db8::/32")
)
_UNICAST = IPv6Network("2000::/3")
_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")


def reach(address: Address) -> Reach:
    """Tell whether an address is on the internet, in somebody's own network, or nowhere a document is.

    An IPv4 address inside an IPv6 one counts as what it is.
    """
    inner = _embedded(address)
    if inner is not None:
        return reach(inner)
    if _within(address, _NEVER):
        return "never"
    unicast = isinstance(address, IPv4Address) or address in _UNICAST
    return "public" if unicast and address.is_global and not _within(address, _NOT_GLOBAL) else "private"


def literal(host: str) -> Address | None:
    """Return the address that a host in a URL is, in any notation that the system understands; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:  # 2130706433, 0x7f.1, 0177.0.0.1
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def _within(address: Address, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _embedded(address: Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped or address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour
