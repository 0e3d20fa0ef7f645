"""A model on this machine: the folder that `sentence-transformers` exports to ONNX, as Hugging Face lays it out.

Nothing is ever downloaded: what is not in the folder is named, with what to do.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from agent.errors import SettingsError

Pooling = Literal["mean", "cls", "max", "last"]

_MODELS = ("model.onnx", "onnx/model.onnx")
_TOKENS = 512
"""Of a text, where the folder does not tell; what most such models take."""
_MOST_TOKENS = 8192
_POOLINGS: Mapping[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
_CHUNK = 1 << 20


def is_folder(model: str) -> bool:
    """Tell whether an embedding model's name is a path on this machine.

    `BAAI/bge-m3` is a name, unless there is such a folder with a tokenizer in it.
    """
    path = Path(model).expanduser()
    return model.startswith((".", "~")) or path.is_absolute() or (path / "tokenizer.json").is_file()


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelFolder:
    """What a folder says about its model."""

    path: Path
    model: Path
    tokenizer: Path
    name: str
    """Another one as soon as a byte of what makes the vectors changes."""
    pooling: Pooling = "mean"
    tokens: int = _TOKENS
    dense: bool = False
    """Whether vectors go through a further layer, which only an output `sentence_embedding` includes."""
    query_prefix: str = ""
    document_prefix: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a folder. Raises SettingsError that names what is missing."""
        path = path.expanduser()
        if not path.is_dir():
            raise SettingsError(f"the embedding model {path} is not a folder: set WEFT_EMBEDDING_MODEL to one")
        model = next((path / name for name in _MODELS if (path / name).is_file()), None)
        if model is None:
            raise SettingsError(
                f"{path} has no {' or '.join(_MODELS)}: export the model to ONNX and put it there; "
                "nothing is ever downloaded"
            )
        tokenizer = next((each for each in (path, model.parent) if (each / "tokenizer.json").is_file()), None)
        if tokenizer is None:
            raise SettingsError(f"{path} has no tokenizer.json: copy it from where the model comes from")
        prompts = _object(path / "config_sentence_transformers.json").get("prompts") or {}
        return cls(
            path=path,
            model=model,
            tokenizer=tokenizer / "tokenizer.json",
            name=f"{path.resolve().name[:100]}@{_digest(path, model)}",
            pooling=_pooling(path / "1_Pooling" / "config.json"),
            tokens=_tokens(path),
            dense=any(str(each.get("type", "")).endswith(".Dense") for each in _list(path / "modules.json")),
            query_prefix=str(prompts.get("query") or ""),
            document_prefix=str(prompts.get("document") or prompts.get("passage") or ""),
        )


def _pooling(path: Path) -> Pooling:
    config = _object(path)
    if not config:
        return "mean"
    known: dict[str, Pooling] = {"cls": "cls", "mean": "mean", "max": "max", "lasttoken": "last"}
    named = config.get("pooling_mode")
    chosen = {_POOLINGS.get(key) for key, on in config.items() if key.startswith("pooling_mode_") and on is True}
    if isinstance(named, str):
        chosen = {known.get(named)}
    (pooling,) = chosen if len(chosen) == 1 else (None,)
    if pooling is None:
        raise SettingsError(f"{path}: one of {', '.join(known)} can be used to pool, and the folder names another way")
    return pooling


def _tokens(path: Path) -> int:
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        value = _object(path / name).get(key)
        if isinstance(value, int) and 0 < value < 1_000_000:
            return min(value, _MOST_TOKENS)
    return _TOKENS


def _digest(path: Path, model: Path) -> str:
    """Return a hash over every file that has a part in the vectors."""
    parts = [model, *sorted(model.parent.glob("model.onnx?*"))]  # the second: weights that do not fit into one file
    parts += [path / "tokenizer.json", model.parent / "tokenizer.json", path / "1_Pooling" / "config.json"]
    parts += [path / "sentence_bert_config.json", path / "modules.json"]
    digest = hashlib.sha256()
    for part in dict.fromkeys(parts):
        if not part.is_file():
            continue
        digest.update(f"{part.relative_to(path)}\0{part.stat().st_size}\0".encode())
        with part.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()[:16]


def _object(path: Path) -> Mapping[str, Any]:
    value = _json(path)
    return value if isinstance(value, dict) else {}


def _list(path: Path) -> list[Mapping[str, Any]]:
    value = _json(path)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
