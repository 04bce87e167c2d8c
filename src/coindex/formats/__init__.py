"""Reading and writing every format; each format is one module in `builtin`.

    for document in formats.read("dev.conll"):
        ...
    formats.write("dev.jsonl", documents, "document-jsonl")

A file's format is recognised by its content. What a target format cannot store is removed
before writing and counted: see `ConversionLosses`. Modules are imported when their names are
first used, so that one of them costs no more than itself.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coindex.formats.protocol import Item, load, load_problem_format, names
    from coindex.formats.reading import expand_paths, read, read_lines
    from coindex.formats.writing import (
        ConversionLosses,
        is_binary,
        is_single,
        is_two_file,
        reduce_items,
        write,
        write_binary,
        write_lines,
    )

_MODULES = {
    "protocol": ("Item", "load", "load_problem_format", "names"),
    "reading": ("expand_paths", "read", "read_lines"),
    "writing": (
        "ConversionLosses", "is_binary", "is_single", "is_two_file", "reduce_items", "write",
        "write_binary", "write_lines",
    ),
}  # fmt: skip

__all__ = [
    "ConversionLosses",
    "Item",
    "expand_paths",
    "is_binary",
    "is_single",
    "is_two_file",
    "load",
    "load_problem_format",
    "names",
    "read",
    "read_lines",
    "reduce_items",
    "write",
    "write_binary",
    "write_lines",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names_of in _MODULES.items():
        if name in names_of:
            found: object = getattr(import_module(f"coindex.formats.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'coindex.formats' has no attribute {name!r}")
