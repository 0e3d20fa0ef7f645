"""Who may read a channel, by Discord's own order of roles and overwrites."""

import pytest

from adapters.discord.rights import ADMINISTRATOR, READS, VIEW_CHANNEL, is_open, permissions, reads

GUILD, ROLE, MUTED, ALICE = "1", "2", "3", "9"


def overwrite(id, *, allow=0, deny=0):
    return {"id": id, "allow": str(allow), "deny": str(deny)}


def guild(everyone=READS, role=0, **more):
    roles = [{"id": GUILD, "permissions": str(everyone)}, {"id": ROLE, "permissions": str(role)}]
    return {"id": GUILD, "owner_id": "7", "roles": [*roles, {"id": MUTED, "permissions": "0"}], **more}


def alice(*roles):
    return {"roles": list(roles), "user": {"id": ALICE}}


@pytest.mark.parametrize(
    ("server", "overwrites", "roles", "may"),
    [
        (guild(), [], (), True),
        (guild(0), [], (), False),
        (guild(VIEW_CHANNEL), [], (), False),  # seeing it is not reading what was written before
        (guild(0, READS), [], (ROLE,), True),
        (guild(0, READS), [], (), False),
        (guild(), [overwrite(GUILD, deny=READS)], (), False),
        (guild(), [overwrite(GUILD, deny=READS), overwrite(ROLE, allow=READS)], (ROLE,), True),
        (guild(), [overwrite(ROLE, allow=READS), overwrite(MUTED, deny=READS)], (ROLE, MUTED), True),
        (guild(), [overwrite(ROLE, allow=READS), overwrite(ALICE, deny=READS)], (ROLE,), False),
        (guild(), [overwrite(GUILD, deny=READS), overwrite(ALICE, allow=READS)], (), True),
        (guild(0, ADMINISTRATOR), [overwrite(GUILD, deny=READS)], (ROLE,), True),
        (guild(0, owner_id=ALICE), [overwrite(ALICE, deny=READS)], (), True),
    ],
)
def test_a_member_reads_what_roles_and_overwrites_leave(server, overwrites, roles, may):
    assert reads(permissions(server, {"permission_overwrites": overwrites}, alice(*roles))) is may


def test_a_channel_is_open_only_where_nobody_is_shut_out():
    assert is_open(guild(), {})
    assert not is_open(guild(0, READS), {})
    assert not is_open(guild(), {"permission_overwrites": [overwrite(MUTED, deny=VIEW_CHANNEL)]})
    assert is_open(guild(0), {"permission_overwrites": [overwrite(GUILD, allow=READS)]})
