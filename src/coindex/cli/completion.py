"""Shell completion: what bash, zsh and fish offer when the Tab key is pressed.

click completes commands, options and the values of choices. Here the other values are added, by
what a parameter is called: names of plugins, models, corpora and recipes, and files and folders
wherever the help says FILE, FOLDER, IN or OUT. A new option gets its values by these names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from coindex import plugins

VARIABLE = "_COINDEX_COMPLETE"  # as `cli.COMPLETION`, which is defined without this module
"""The variable in which a shell asks: `bash_source` for the script, `bash_complete` for values."""
SHELLS = ("bash", "zsh", "fish")
PROGRAM = "coindex"

if TYPE_CHECKING:
    _TextType = click.ParamType[str]
else:
    _TextType = click.ParamType  # it takes no parameter before click 8.5

Names = Callable[[], Iterable[tuple[str, str]]]


def complete(group: click.Group, instruction: str) -> int:
    """Answer a shell that asks; the exit status."""
    from click.shell_completion import shell_complete

    return shell_complete(group, {}, PROGRAM, VARIABLE, instruction)


def script(group: click.Group, shell: str) -> str:
    """The program that a shell reads at its start, after which it asks coindex for completions."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise ValueError(f"expected one of {', '.join(SHELLS)}, found {shell!r}")
    return found(group, {}, PROGRAM, VARIABLE).source_template % {
        "complete_func": f"_{PROGRAM}_completion",
        "prog_name": PROGRAM,
        "complete_var": VARIABLE,
    }


class CompletedValue(_TextType):
    """A text that is completed from names, separated by commas or not, or else from paths."""

    name = "text"

    def __init__(
        self, names: Names | None = None, *, paths: str = "", several: bool = False
    ) -> None:
        self._names, self._paths, self._several = names, paths, several

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so; if there are none, what the shell knows of files or folders."""
        before, comma, last = incomplete.rpartition(",") if self._several else ("", "", incomplete)
        taken = before.split(",")
        found = [
            CompletionItem(before + comma + name, help=text)
            for name, text in (self._names() if self._names else ())
            if name.startswith(last) and name not in taken
        ]
        if found or not self._paths:
            return found
        return [CompletionItem(incomplete, type=self._paths)]


def add_value_completion(command: click.Command, *path: str) -> None:
    """Give the parameters of a command, and of those below it, values to complete."""
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = _value_of(parameter, path) or parameter.type
        elif isinstance(parameter.type, click.Path) and "FOLDER" in (parameter.metavar or ""):
            parameter.type = click.Path(file_okay=False, path_type=parameter.type.type)
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            add_value_completion(below, *path, name)


def _value_of(parameter: click.Parameter, path: Sequence[str]) -> CompletedValue | None:
    option, metavar = parameter.opts[-1], parameter.metavar or ""
    names = _ARGUMENTS.get((*path, str(parameter.name))) or _OPTIONS.get(option)
    if metavar == "FORM":
        names = _forms
    elif metavar == "RECIPE":
        names = _recipes(path[-1])
    several = metavar.endswith(",...") or option == "--metrics"
    kind = "dir" if metavar in _FOLDERS else "file" if _is_path(parameter, metavar) else ""
    return CompletedValue(names, paths=kind, several=several) if names or kind else None


def _is_path(parameter: click.Parameter, metavar: str) -> bool:
    words = metavar.strip("[].").replace("]...", "").split("|")
    return bool(_PATHS & set(words)) or parameter.name in ("key", "responses")


_FOLDERS = frozenset({"FOLDER", "DIR"})
_PATHS = frozenset({"FILE", "FOLDER", "IN", "OUT", "PATH", "POOL", "SOURCE", "CORPUS", "ANNOTATED",
                    "MODEL", "NAME=]MODEL", "RECIPE"})  # fmt: skip


def _plugins(family: str) -> Names:
    return lambda: [(name, plugins.summary(family, name)) for name in plugins.names(family)]


def _families() -> Iterable[tuple[str, str]]:
    return [(name, "") for name in (*plugins.families(), "models")]


def _models() -> Iterable[tuple[str, str]]:
    from coindex.models.common.installed_models import model_names

    return [(name, "an installed model") for name in model_names()]


def _corpora() -> Iterable[tuple[str, str]]:
    from coindex.datasets import registry

    return [(name, registry.load(name).what) for name in registry.all_names()]


def _forms() -> Iterable[tuple[str, str]]:
    from coindex.batch.forms import FORMS

    known = _plugins("formats")()
    return [*((form, "") for form in FORMS), *(row for row in known if row[0] not in FORMS)]


def _check_rules() -> Iterable[tuple[str, str]]:
    from coindex.transform.checks import RULES

    return RULES.items()


def _recipes(kind: str) -> Names:
    from importlib.resources import files

    def names() -> Iterable[tuple[str, str]]:
        folders = [kind] if kind in ("coref", "parser", "pronoun") else ["coref", "parser"]
        for folder in folders:
            for file in files("coindex.models").joinpath(folder).joinpath("recipes").iterdir():
                if file.name.endswith(".toml"):
                    yield file.name.removesuffix(".toml"), f"a recipe of train {folder}"

    return lambda: sorted(names())


_OPTIONS: dict[str, Names] = {
    "--from": _plugins("formats"),
    "--to": _plugins("formats"),
    "--resolver": _plugins("resolvers"),
    "--strategy": _plugins("strategies"),
    "--measure": _plugins("measurements"),
    "--metrics": _plugins("metrics"),
    "--match": _plugins("matching"),
    "--source": _plugins("sources"),
    "--model": _models,
    "--start": _models,
    "--check-labels": _models,
    "--ignore": _check_rules,
}
_ARGUMENTS: dict[tuple[str, ...], Names] = {
    ("bench", "names"): _plugins("benchmarks"),
    ("build", "name"): _plugins("builders"),
    ("generate", "name"): _plugins("generators"),
    ("generate", "corpora"): _corpora,
    ("list", "family"): _families,
    ("data", "where", "name"): _corpora,
    ("data", "show", "name"): _corpora,
    ("data", "get", "names"): _corpora,
}
