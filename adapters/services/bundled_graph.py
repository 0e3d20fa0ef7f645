"""The network of multilingual-e5-small as an ONNX graph over weights of 4 bits.

In goes what stands for each token of one text, (1, tokens, width); out comes what they became in their context, of the
same shape. The layers are BERT's (arXiv 1810.04805): attention, feed-forward, each added to its input and normalised.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from adapters.services.bundled_weights import BLOCK, Floats, Weights

INPUT, OUTPUT = "embedded", "hidden"
_RUNTIME = "com.microsoft"
"""Operators of onnxruntime's own."""


def graph(weights: Weights) -> bytes:
    """Return the graph with its weights, some 13 MB."""
    content: bytes = _Graph(weights).built().SerializeToString()
    return content


class _Graph:
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def built(self) -> ModelProto:
        weights = self._weights
        inputs = [INPUT, *self._normalising("emb.ln")]
        self._nodes.append(
            helper.make_node("LayerNormalization", inputs, ["layer 0"], axis=-1, epsilon=weights.epsilon)
        )
        for layer in range(weights.layers):
            self._layer(layer, f"layer {layer}", OUTPUT if layer + 1 == weights.layers else f"layer {layer + 1}")
        shape: list[str | int | None] = [1, "tokens", weights.width]
        ends = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in (INPUT, OUTPUT))
        given, answer = ends
        built = helper.make_graph(self._nodes, "e5", [given], [answer], self._constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(_RUNTIME, 1)]
        return helper.make_model(built, opset_imports=versions, ir_version=9)

    def _layer(self, layer: int, given: str, answer: str) -> None:
        name, width, inner = f"l{layer}", self._weights.width, self._weights.inner
        asked = [self._linear(f"{name}.{part}", given, width, width) for part in ("q", "k", "v")]
        attended = self._own("MultiHeadAttention", f"{name}.attended", asked, num_heads=self._weights.heads)
        mixed = self._linear(f"{name}.ao", attended, width, width)
        between = self._added(f"{name}.aln", mixed, given, f"{name}.between")
        widened = self._own("Gelu", f"{name}.widened", [self._linear(f"{name}.fi", between, inner, width)])
        self._added(f"{name}.oln", self._linear(f"{name}.fo", widened, width, inner), between, answer)

    def _linear(self, name: str, given: str, rows: int, columns: int) -> str:
        """Multiply with a matrix (rows, columns) of 4 bits, by whole numbers, and add its bias."""
        packed, scales = self._weights.packed(f"{name}.w", rows)
        constants = [self._constant(f"{name}.w", packed), self._constant(f"{name}.s", scales)]
        bias = self._constant(f"{name}.b", self._weights.floats(f"{name}.b"))
        inputs = [given, *constants, "", "", bias]
        sizes = {"N": rows, "K": columns, "bits": 4, "block_size": BLOCK}
        return self._own("MatMulNBits", f"{name}.out", inputs, accuracy_level=4, **sizes)

    def _added(self, name: str, new: str, given: str, answer: str) -> str:
        inputs = [new, given, *self._normalising(name)]
        return self._own("SkipLayerNormalization", answer, inputs, epsilon=self._weights.epsilon)

    def _normalising(self, name: str) -> list[str]:
        names = (f"{name}.w", f"{name}.b")
        return [self._constant(each, self._weights.floats(each)) for each in names]

    def _own(self, operator: str, answer: str, inputs: Sequence[str], **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [answer], domain=_RUNTIME, **attributes))
        return answer

    def _constant(self, name: str, values: Floats | NDArray[np.uint8]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name
