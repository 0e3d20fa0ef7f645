"""The steps of a turn, one file each: `async def verb(state, runtime) -> Update`."""
