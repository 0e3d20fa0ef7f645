"""Discord, through discord.py: the gateway to listen, the REST API to answer."""
