"""The steps of a turn: `async def verb(state, runtime) -> Update`."""
