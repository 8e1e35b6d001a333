"""Names of kernels as people read them: without return types and namespaces, which all share."""

from __future__ import annotations

import re

_NOISE = re.compile(r"\bvoid |\(anonymous namespace\)::|\b[A-Za-z_]\w*::(?=\S)")


def short_name(name: str) -> str:
    """The name without `void` and namespaces; text that is no C++ name stays as it is.

    >>> short_name("void at::native::reduce_kernel<512, at::native::Sum<float>>(int)")
    'reduce_kernel<512, Sum<float>>(int)'
    >>> short_name("aten::mm")
    'aten::mm'
    """
    return _NOISE.sub("", name) if "(" in name or "<" in name else name
