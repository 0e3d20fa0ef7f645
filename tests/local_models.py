"""A real, tiny embedding model, as it lies in a folder: an ONNX graph and a tokenizer, made on the spot."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = "[PAD] [UNK] [CLS] [SEP] leave holiday vpn query : 휴가 연차".split()
SIZE = 6
TABLE = np.random.default_rng(1).standard_normal((len(WORDS), SIZE)).astype(np.float32)


def export(
    folder: Path,
    *,
    at: str = "model.onnx",
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    output: str = "last_hidden_state",
    kind: int = TensorProto.INT64,
    table: np.ndarray = TABLE,
) -> None:
    """Write a model that looks each token up in a table; `sentence_embedding`: the sum of them."""
    given = [helper.make_tensor_value_info(name, kind, ["batch", "tokens"]) for name in inputs]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    if output == "sentence_embedding":
        nodes.append(helper.make_node("ReduceSum", ["rows", "axes"], [output], keepdims=0))
        shape: list[object] = ["batch", SIZE]
    else:
        nodes.append(helper.make_node("Identity", ["rows"], [output]))
        shape = ["batch", "tokens", SIZE]
    constants = [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1]), "axes")]
    graph = helper.make_graph(
        nodes, "lookup", given, [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)], constants
    )
    path = folder / at
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))


def write_folder(path: Path) -> Path:
    """Make a folder with a model and its tokenizer."""
    path.mkdir()
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path / "tokenizer.json"))
    export(path)
    return path
