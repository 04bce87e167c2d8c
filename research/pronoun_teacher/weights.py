"""The weights of the language model, divided into folders for transport: `weights`.

    tokenizer GGUF OUT      write the tokenizer as a file of the `tokenizers` library
    split GGUF OUT          write the quantised tensors to folders of at most `FOLDER` bytes
    dequantize PARTS NUMBER dequantise one folder
    join PARTS OUT          dequantise all folders into one file of float32 tensors (.pt)

The model is Qwen2.5-Coder-1.5B-Instruct in 4 and 6 bits. `token_embd` is left out, since the
output matrix is the same one in 6 bits. This module needs `gguf`. It does not need coindex.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

FOLDER = 56_500_000
END = "<|endoftext|>"
INDEX = "index.json"
_LEFT_OUT = "token_embd.weight"
_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True, slots=True)
class TensorPart:
    """Some rows of a quantised tensor: the folder that has them, and the offset in its file."""

    name: str
    type: str
    folder: int
    at: int
    shape: list[int]
    dtype: str


def write_tokenizer(source: Path, out: Path) -> None:
    """Write the byte-level BPE tokenizer that the model's file describes."""
    from gguf import GGUFReader
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
    )

    fields = GGUFReader(source).fields
    vocabulary = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(each.split(" ")) for each in fields["tokenizer.ggml.merges"].contents()]
    made = Tokenizer(models.BPE({token: at for at, token in enumerate(vocabulary)}, merges))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(END, special=True)])
    out.mkdir(parents=True, exist_ok=True)
    made.save(str(out / "tokenizer.json"))


def split(source: Path, out: Path) -> None:
    """Divide the tensors into folders; an index lists what each folder has."""
    from gguf import GGUFReader

    tensors = (
        (tensor.name, tensor.tensor_type.name, np.asarray(tensor.data))
        for tensor in GGUFReader(source).tensors
        if tensor.name != _LEFT_OUT
    )
    index = []
    blobs: dict[int, bytearray] = {}
    for part, content in divide(tensors, FOLDER):
        index.append(asdict(part))
        blobs.setdefault(part.folder, bytearray()).extend(content)
    for number, blob in blobs.items():
        folder = _folder(out, number)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "weights.bin").write_bytes(blob)
    (out / INDEX).write_text(json.dumps(index))


def divide(
    tensors: Iterator[tuple[str, str, NDArray[Any]]], most: int
) -> Iterator[tuple[TensorPart, bytes]]:
    """Parts of tensors, in order, with at most `most` bytes in each folder."""
    folder = size = 0
    for name, kind, content in tensors:
        for rows in np.array_split(content, max(1, -(-content.nbytes // (most // 4)))):
            raw = rows.tobytes()
            if size + len(raw) > most:
                folder, size = folder + 1, 0
            yield TensorPart(name, kind, folder, size, list(rows.shape), str(rows.dtype)), raw
            size += len(raw)


def _folder(parts: Path, number: int) -> Path:
    return parts / f"w{number:02d}"


def _index(parts: Path) -> list[TensorPart]:
    return [TensorPart(**row) for row in json.loads((parts / INDEX).read_text())]


def dequantize_folder(parts: Path, number: int) -> None:
    """Dequantise one folder; several processes can do this while others arrive."""
    import torch

    made = [(name, torch.from_numpy(array)) for name, array in _dequantized(parts, number)]
    temporary = _folder(parts, number).with_suffix(".tmp")
    torch.save(made, temporary)
    temporary.rename(temporary.with_suffix(".pt"))


def _dequantized(parts: Path, number: int) -> list[tuple[str, NDArray[np.float32]]]:
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    blob = np.fromfile(_folder(parts, number) / "weights.bin", np.uint8)

    def tensor(part: TensorPart) -> tuple[str, NDArray[np.float32]]:
        dtype, kind = np.dtype(part.dtype), GGMLQuantizationType[part.type]
        length = int(np.prod(part.shape)) * dtype.itemsize
        content = blob[part.at : part.at + length].view(dtype).reshape(part.shape)
        whole = content if kind == GGMLQuantizationType.F32 else dequantize(content, kind)
        return part.name, np.ascontiguousarray(whole, np.float32)

    with ThreadPoolExecutor(6) as pool:
        return list(pool.map(tensor, (part for part in _index(parts) if part.folder == number)))


def join(parts: Path, out: Path | None = None) -> dict[str, Tensor]:
    """All tensors as float32, by name; written to a file if one is named."""
    import torch

    rows: dict[str, list[Tensor]] = {}
    for number in sorted({part.folder for part in _index(parts)}):
        file = _folder(parts, number).with_suffix(".pt")
        if not file.exists():
            dequantize_folder(parts, number)
        for name, tensor in torch.load(file, mmap=True):
            rows.setdefault(name, []).append(tensor)
    whole = {name: each[0] if len(each) == 1 else torch.cat(each) for name, each in rows.items()}
    if out is not None:
        torch.save(whole, out)
    return whole


def checksum(weights: Mapping[str, Tensor]) -> str:
    """One sha256 of all tensors as float32, in the order of their names."""
    total = hashlib.sha256()
    for name in sorted(weights):
        total.update(name.encode())
        total.update(weights[name].detach().cpu().float().contiguous().numpy().tobytes())
    return total.hexdigest()


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case ["tokenizer", source, out]:
            write_tokenizer(Path(source), Path(out))
        case ["split", source, out]:
            split(Path(source), Path(out))
        case ["dequantize", parts, number]:
            dequantize_folder(Path(parts), int(number))
        case ["join", parts, out]:
            join(Path(parts), Path(out))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
