"""Files of answers in memory."""

from agent.errors import StorageError
from agent.types import ProducedFile
from storage.files import LARGEST, is_turn, safe_name


class MemoryFiles:
    """Fits `Files`; `trouble` is raised instead of keeping anything."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.trouble: Exception | None = None

    async def keep(self, turn_id, name, media_type, data, *, text="") -> ProducedFile:
        if self.trouble is not None:
            raise self.trouble
        if not is_turn(turn_id):
            raise StorageError(f"no files for {turn_id!r}")
        if len(data) > LARGEST:
            raise StorageError("too large")
        made = ProducedFile(name=safe_name(name), media_type=media_type, path=f"{turn_id}/{safe_name(name)}", text=text)
        self.kept[made.path] = data
        return made
