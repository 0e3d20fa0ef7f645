"""`weft doctor`, what the platforms themselves say: who Weft is there, and what it may do. Nothing is changed."""

from collections.abc import Mapping, Sequence

from agent.errors import DeliveryError, SettingsError, TokenError
from bot.doctor.check import Check, fine, problem, warning
from bot.settings import Settings

SECONDS = 10.0
"""How long a platform has for an answer."""
_SERVERS = 5
"""How many servers are named at most."""


async def slack(settings: Settings) -> Sequence[Check]:
    """Ask Slack who the tokens are, and what they may do."""
    from adapters.slack import probe

    base, app_token = settings.slack_api_base_url, settings.slack_app_token.get_secret_value()
    try:
        found = await probe.bot(settings.slack_bot_token.get_secret_value(), base, seconds=SECONDS)
    except DeliveryError as error:
        return [_failed("Slack", error, "copy SLACK_BOT_TOKEN from the app's page OAuth & Permissions")]
    connected = f"connected as {found.user} in the workspace {found.workspace}"
    checks = [fine("Slack", f"{connected}, {'Socket Mode' if app_token else 'HTTP events'}")]
    if found.missing is None:
        checks.append(warning("Slack scopes", "Slack does not tell them", "compare them with the manifest"))
    elif found.missing:
        advice = "add them on the app's page OAuth & Permissions and install the app again"
        checks.append(problem("Slack scopes", f"missing: {', '.join(found.missing)}", advice))
    else:
        checks.append(fine("Slack scopes", f"all {len(probe.wanted_scopes())} of the manifest"))
    if app_token:
        try:
            await probe.socket_mode(app_token, base, seconds=SECONDS)
        except DeliveryError as error:
            advice = "make an app-level token with connections:write, and switch on Socket Mode in the app"
            checks.append(_failed("Slack socket", error, advice))
        else:
            checks.append(fine("Slack socket", "Socket Mode opens"))
    return checks


async def discord(settings: Settings) -> Sequence[Check]:
    """Ask Discord who the token is, and what it may do in which server."""
    from adapters.discord.probe import probe

    token = settings.discord_token.get_secret_value()
    try:
        found = await probe(token, settings.discord_api_base_url, seconds=SECONDS)
    except (DeliveryError, SettingsError) as error:
        return [_failed("Discord", error, "reset the token on the application's page Bot and set the new one")]
    servers = len(found.servers)
    told = f"connected as {found.user} in {servers} server{'' if servers == 1 else 's'}"
    invite = f"invite it with {found.invitation}"
    checks = [fine("Discord", told, invite) if servers else warning("Discord", told, invite)]
    if found.reads_content == settings.discord_message_content:
        state = "on" if found.reads_content else "off, as WEFT_DISCORD_MESSAGE_CONTENT says: follow-ups need a mention"
        checks.append(fine("Discord intents", f"message content is {state}"))
    elif settings.discord_message_content:
        advice = "switch on Message Content Intent on the page Bot, or set WEFT_DISCORD_MESSAGE_CONTENT=false"
        checks.append(problem("Discord intents", "message content is off, so Discord will not let Weft listen", advice))
    else:
        checks.append(
            fine("Discord intents", "message content is on and not used", "WEFT_DISCORD_MESSAGE_CONTENT=true")
        )
    checks += _permissions(found.servers, invite)
    if found.registered:
        checks.append(fine("Discord commands", "/ask is registered"))
    else:
        advice = "`weft serve` or `weft discord` registers it when it starts"
        checks.append(warning("Discord commands", "/ask is not registered, or an old one is", advice))
    return checks


def _permissions(servers: Mapping[str, tuple[str, ...]], invite: str) -> list[Check]:
    name = "Discord permissions"
    lacking = {server: missing for server, missing in servers.items() if missing}
    if not servers:
        return []
    if not lacking:
        return [fine(name, f"all that is needed in {len(servers)} of {len(servers)}; a channel may take some away")]
    shown = [f"{server}: {', '.join(missing)}" for server, missing in list(lacking.items())[:_SERVERS]]
    more = f" and {len(lacking) - _SERVERS} more" if len(lacking) > _SERVERS else ""
    return [warning(name, f"missing in {'; '.join(shown)}{more}", f"give them to Weft's role, or {invite}")]


def _failed(name: str, error: DeliveryError | SettingsError, advice: str) -> Check:
    if isinstance(error, SettingsError | TokenError):
        return problem(name, str(error), advice)
    return warning(name, f"{error} It was not asked more than once.", "look at the network, and run this again")
