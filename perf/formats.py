"""How fast files are read and the command starts, against baselines of the same run.

Reading: OntoGUM's training file (or, without the corpora, a file like it) into
Documents, against a bare `for line in file: line.split()` over the same file.
Starting: `import coindex` and `coindex --help`, against `python -c pass`.
Prints ratios; exits with 1 if one is above its limit.
"""

from __future__ import annotations

import lzma
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from _timing import fastest

from coindex import formats

LIMITS = {"read": 6.0, "import": 3.0, "help": 6.0}


def corpus(folder: Path) -> tuple[Path, str]:
    """OntoGUM's training file, unpacked; or one of the same size and shape."""
    data = Path(os.environ.get("COINDEX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    packed = data / "gum" / "ontogum.train.gold_conll.xz"
    path = folder / "train.conll"
    if packed.is_file():
        path.write_bytes(lzma.decompress(packed.read_bytes()))
        return path, "OntoGUM train"
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as out:
        for number in range(177):
            out.write(f"#begin document (made_up_{number:03}); part 000\n")
            for token in range(1002):
                coref = f"({rng.randrange(30)})" if rng.random() < 0.13 else "-"
                word = "".join(rng.choices("abcdefgh", k=rng.randrange(1, 9)))
                row = [f"made_up_{number:03}", "0", str(token % 17), word, "NN", "(NP*)", word]
                out.write("\t".join([*row, "-", "-", "-", "*", coref]) + "\n")
                if token % 17 == 16:
                    out.write("\n")
            out.write("\n#end document\n")
    return path, "made-up corpus of the size of OntoGUM train"


def bare(path: Path) -> None:
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line.split()


def run(*arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        path, name = corpus(Path(folder))
        base = fastest(lambda: bare(path))
        ratios["read"] = fastest(lambda: list(formats.read(path))) / base
        print(f"reading {name} into Documents: {ratios['read']:.2f} x a bare split loop")
        packed = fastest(
            lambda: formats.write(Path(folder) / "out", formats.read(path), "conll2012"), 3
        )
        print(f"reading and writing it again:  {packed / base:.2f} x a bare split loop")
    command = str(Path(sys.executable).with_name("coindex"))
    base = fastest(run(sys.executable, "-c", "pass"), 25)
    ratios["import"] = fastest(run(sys.executable, "-c", "import coindex"), 25) / base
    ratios["help"] = fastest(run(command, "--help"), 25) / base
    print(f"import coindex: {ratios['import']:.2f} x python -c pass")
    print(f"coindex --help: {ratios['help']:.2f} x python -c pass")
    over = [name for name, ratio in ratios.items() if ratio > LIMITS[name]]
    for name in over:
        print(f"over the limit: {name} {ratios[name]:.2f} > {LIMITS[name]}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
