"""Values of numpy and pandas as Python's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class ArrayLike(Protocol):
    """An array or a number of numpy, a series of pandas, or what else has ``tolist``."""

    def tolist(self) -> Any:  # noqa: ANN401
        """Return Python's own numbers, texts and lists."""


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value that has Python's own types alone: a copy, if it has lists or mappings.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"rates": np.array([1e6, 2e6]), "counts": [np.int64(1)]})
    {'rates': [1000000.0, 2000000.0], 'counts': [1]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value
