"""The things of a medical terminology that a text names, by MedCAT (v2, medcat.readthedocs.io).

A model pack is a folder or a ZIP that MedCAT's own `save_model_pack` wrote. It is unpickled: whoever made it may run
code here, so it is loaded from the operator's settings alone, and nothing is ever downloaded.

MedCAT takes everything but Latin letters and digits for punctuation (`medcat.components.tagging.tagger`, 2.9), so names
in Korean are not found; Latin ones in a Korean sentence are, once what is attached to them stands apart.
"""

import asyncio
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from agent.errors import ConceptsError
from agent.language.ko.letters import SYLLABLES
from agent.types import Concept

if TYPE_CHECKING:
    from medcat.cat import CAT

_ATTACHED = re.compile(rf"(?<=[A-Za-z0-9])(?=[{SYLLABLES}])")
_NEEDED = "MedCAT is not installed: pip install 'weft[medcat]'"


class MedCat:
    """Implements `Concepts`. One text is read at a time, beside the event loop."""

    def __init__(self, model: "CAT") -> None:
        self._model = model
        self._reading = asyncio.Lock()

    @classmethod
    async def open(cls, model_pack: Path) -> Self:
        """Load a model pack, which takes from a tenth of a second to minutes. Raises ConceptsError."""
        return cls(await asyncio.to_thread(_loaded, model_pack))

    async def find(self, text: str) -> Sequence[Concept]:
        """Return what a text names, in its order. Raises ConceptsError."""
        if not text.strip():
            return ()
        async with self._reading:
            return await asyncio.to_thread(self._found, text)

    def _found(self, text: str) -> tuple[Concept, ...]:
        try:
            entities = self._model.get_entities(_ATTACHED.sub(" ", text)).get("entities", {}).values()
        except Exception as error:  # whatever a component of somebody's model pack raises
            # Its own words may repeat what people wrote.
            raise ConceptsError(f"MedCAT could not read a text ({type(error).__name__}).") from None
        return tuple(
            Concept(
                id=entity["cui"],
                name=entity["pretty_name"],
                words=entity["source_value"],
                types=tuple(entity["type_ids"]),
            )
            for entity in sorted(entities, key=lambda each: (each["start"], each["end"]))
        )


def _loaded(model_pack: Path) -> "CAT":
    if not model_pack.exists():
        raise ConceptsError(f"{model_pack}: there is no such model pack; name the folder or ZIP that MedCAT saved")
    if model_pack.is_file() and model_pack.suffix != ".zip":
        raise ConceptsError(f"{model_pack}: a model pack is a folder or a .zip, as MedCAT's save_model_pack writes it")
    try:
        from medcat.cat import CAT
    except ImportError as error:
        raise ConceptsError(_NEEDED if error.name == "medcat" else f"{_NEEDED} ({error.name} is missing)") from error
    logging.getLogger("medcat").setLevel(logging.WARNING)  # below this it logs what it finds in people's messages
    silent = {"general": {"usage_monitor": {"enabled": False}, "log_level": logging.WARNING}}
    try:
        return CAT.load_model_pack(str(model_pack), config_dict=silent)
    except ImportError as error:
        raise ConceptsError(
            f"{model_pack}: the model pack needs {error.name or error}, which is not installed; "
            "one that reads with spaCy needs pip install 'medcat[spacy]'"
        ) from error
    except Exception as error:  # a model pack is pickled objects: loading one may raise anything
        raise ConceptsError(
            f"{model_pack}: is no model pack of MedCAT, or a damaged one ({type(error).__name__}: {error}); "
            "copy it anew from where it was saved by save_model_pack"
        ) from error
