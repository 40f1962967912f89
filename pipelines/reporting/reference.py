"""The reference: a page for each command, key group of site.toml, question, relation, rule, source and model.

Pages are Markdown below docs/reference; where one names another in code quotes, the name becomes a link to it.
"""

import inspect
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from click import Command, Context, Group, Parameter

from pipelines import sources
from pipelines.answers.parameters import is_day
from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import LAYERS, TOPICS, Catalog
from pipelines.config import keys
from pipelines.reporting import entries

_MADE = "Generated from the code by `make docs`: change the code, not this page."
_LAYERS = {
    "site": "Tables with the declarations of `site.toml`.",
    "ops": "Runs and checks of tapescope, files that were read, and hours that logs cover or should cover.",
    "bronze": "Contents of the logs: one row per record, with times in UTC.",
    "silver": "Events and samples in the same terms for all archive systems.",
    "gold": "Metrics and findings.",
}
_KINDS = {
    "commands": "Commands",
    "site-toml": "Keys of site.toml",
    "rules": "Rules",
    "questions": "Questions",
    "relations": "Relations",
    "sources": "Sources",
    "inputs": "Inputs of models",
    "models": "Models",
}
Page = tuple[str, str]  # path below docs/reference, and text


def pages(catalog: Catalog, command_line: Group) -> dict[str, str]:
    """Every page of the reference by its path below docs/reference."""
    found = dict(
        [
            ("index.md", _front()),
            *_commands(command_line),
            *_site_keys(),
            *_rules(catalog),
            *_questions(catalog),
            *_relations(catalog),
            *_sources(),
            *_models(),
        ]
    )
    targets = _targets(catalog, found)
    return {path: f"{_linked(text, path, targets).rstrip()}\n" for path, text in found.items()}


def _front() -> str:
    rows = [f"- [{title}]({kind}/index.md)" for kind, title in _KINDS.items()]
    return "\n".join(["# Reference\n", f"{_MADE}\n", *rows, ""])


def _index(kind: str, rows: Iterable[tuple[str, str]], about: str) -> Page:
    """The page that lists the pages of one kind."""
    listed = [f"| [`{name}`]({name.replace(' ', '-')}.md) | {title} |" for name, title in rows]
    text = "\n".join([f"# {_KINDS[kind]}\n", f"{about} {_MADE}\n", "| name | what it is |", "|---|---|", *listed])
    return f"{kind}/index.md", text


# Commands


def _commands(command_line: Group) -> Iterator[Page]:
    found = dict(_walk(command_line, ""))
    yield _index(
        "commands",
        ((name, command.get_short_help_str(200)) for name, command in found.items()),
        "Each command is a word after `tapescope`. A command's `--help` prints the text of its page here.",
    )
    for name, command in found.items():
        yield f"commands/{name.replace(' ', '-')}.md", _command(name, command)


def _walk(group: Group, before: str) -> Iterator[tuple[str, Command]]:
    for name, command in sorted(group.commands.items()):
        yield f"{before}{name}", command
        if isinstance(command, Group):
            yield from _walk(command, f"{before}{name} ")


def _command(name: str, command: Command) -> str:
    context = Context(command, info_name=f"tapescope {name}")
    usage = " ".join([f"tapescope {name}", *command.collect_usage_pieces(context)])
    options = [row for param in command.params if (row := _option(param, context))]
    table = ["| option | meaning |", "|---|---|", *options, ""] if options else []
    below = (
        [
            f"- `tapescope {name} {each}`: {one.get_short_help_str(200)}"
            for each, one in sorted(command.commands.items())
        ]
        if isinstance(command, Group)
        else []
    )
    help_text = inspect.cleandoc(command.help or "").replace("\b\n", "").replace("\f", "")
    return "\n".join([f"# tapescope {name}\n", f"```text\n{usage}\n```\n", f"{help_text}\n", *table, *below])


def _option(param: Parameter, context: Context) -> str:
    record = param.get_help_record(context)
    if not record:
        return ""
    names, text = (part.replace("|", "\\|") for part in record)
    variable = (
        f" The environment variable for this option is `{param.envvar}`." if isinstance(param.envvar, str) else ""
    )
    return f"| `{names}` | {text}{variable} |"


# Keys of site.toml


def _site_keys() -> Iterator[Page]:
    found = keys.groups()
    rows = ((group.name, f"{f'`{group.written}`: ' if group.written else ''}{group.about}") for group in found)
    yield _index(
        "site-toml",
        rows,
        "Paths are relative to the folder of `site.toml`. `tapescope init DIR` writes a first `site.toml`.",
    )
    for group in found:
        head = f"# site.toml: {f'`{group.written}`' if group.written else 'the site'}\n\n{group.about}\n"
        inner = [f"## {each.name}\n\n`{each.written}` {each.about}\n\n{_keys(each)}" for each in group.within]
        yield f"site-toml/{group.name}.md", "\n".join([head, _keys(group), *inner])


def _keys(group: keys.Group) -> str:
    rows = [f"| `{key.name}` | {key.kind} | {key.unit} | {key.default} | {key.doc} |" for key in group.keys]
    return "\n".join(["| key | value | unit | default | meaning |", "|---|---|---|---|---|", *rows, ""])


# The catalogue


def _rules(catalog: Catalog) -> Iterator[Page]:
    rows = ((rule.name, f"{rule.severity}: {rule.title}") for rule in catalog.rules.values())
    yield _index("rules", rows, "Rules produce findings. The page of a rule is its entry in the operator's handbook.")
    for name, rule in catalog.rules.items():
        yield f"rules/{name}.md", entries.rule(rule)


def _questions(catalog: Catalog) -> Iterator[Page]:
    parts = [f"# {_KINDS['questions']}\n", f"`tapescope ask NAME` answers a question. {_MADE}\n"]
    for topic, questions in catalog.by_topic().items():
        rows = [f"| [`{question.name}`]({question.name}.md) | {question.title} |" for question in questions]
        parts += [f"## {topic}\n", f"{TOPICS[topic]}.\n", "| name | what it answers |", "|---|---|", *rows, ""]
    yield "questions/index.md", "\n".join(parts)
    inputs = ((question.name, question.title) for question in catalog.inputs.values())
    yield _index(
        "inputs",
        inputs,
        "tapescope's code runs these queries to compute forecasts, estimates and exports.",
    )
    for name, question in catalog.asked.items():
        reads = ", ".join(f"`{table}`" for table in sorted(set(sql_inspect.tables(question.sql))))
        kind = "questions" if question.topic else "inputs"
        required = [param for param, one in question.params.items() if "default" not in one]
        needed = "".join(f" {param}={param.upper()}" for param in required if not is_day(question, param))
        command = f"```sh\ntapescope ask {name}{needed}\n```\n\n" if question.topic else ""
        yield f"{kind}/{name}.md", f"{entries.question(question)}\n{command}The query reads {reads or 'no relation'}.\n"


def _relations(catalog: Catalog) -> Iterator[Page]:
    parts = [
        f"# {_KINDS['relations']}\n",
        f"Times are in UTC; MB is 10⁶ bytes; a site day is a day in the site's time zone. {_MADE}\n",
    ]
    for layer in LAYERS:
        rows = [f"| [`{each.full_name}`]({each.full_name}.md) | {each.title} |" for each in catalog.layer(layer)]
        parts += [f"## {layer}\n", f"{_LAYERS[layer]}\n", "| name | what it holds |", "|---|---|", *rows, ""]
    yield "relations/index.md", "\n".join(parts)
    readers = _readers(catalog)
    for name, relation in catalog.relations.items():
        read_by = "".join(f"{how}: {', '.join(names)}.\n\n" for how, names in readers[name].items())
        yield f"relations/{name}.md", f"{entries.relation(relation)}\n{read_by}"


def _readers(catalog: Catalog) -> dict[str, dict[str, list[str]]]:
    """By relation: what reads it or fills it, each name in code quotes."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for relation in catalog.relations.values():
        for table in relation.inputs:
            found[table]["Read by relations"].append(f"`{relation.full_name}`")
    for question in catalog.asked.values():
        for table in sorted(set(sql_inspect.tables(question.sql))):
            found[table]["Read by questions" if question.topic else "Read by inputs of models"].append(
                f"`{question.name}`"
            )
    for rule in catalog.rules.values():
        found[rule.metric]["Judged by rules"].append(f"`{rule.name}`")
    for stem, source in sources.all_sources().items():
        for table in source.TABLES:
            found[f"bronze.{table}"]["Filled by sources"].append(f"`{stem}`")
    return found


def _sources() -> Iterator[Page]:
    rows = ((stem, source.TITLE) for stem, source in sources.all_sources().items())
    yield _index("sources", rows, "A source is one kind of log. A file is recognised by its first lines.")
    for stem in sources.all_sources():
        yield f"sources/{stem}.md", entries.source(stem)


def _models() -> Iterator[Page]:
    yield _index(
        "models", ((name, "model") for name in entries.model_names()), "Models that give predictions with an interval."
    )
    for name in entries.model_names():
        yield f"models/{name}.md", entries.model(name)


# Links between pages


def _targets(catalog: Catalog, found: Iterable[str]) -> dict[str, str]:
    """What a name in code quotes leads to. A question goes before a model, a rule before a question."""
    known = set(found)
    places = {f"tapescope {path[9:-3].replace('-', ' ')}": path for path in known if path.startswith("commands/")}
    places |= {f"tapescope ask {name}": f"questions/{name}.md" for name in catalog.questions}
    for kind in ("models", "inputs", "sources", "questions", "rules", "relations"):
        names = {path.removeprefix(f"{kind}/")[:-3]: path for path in known if path.startswith(f"{kind}/")}
        places |= {name: path for name, path in names.items() if name != "index"}
    top = keys.groups()[0]
    return places | {key.name: "site-toml/site.md" for key in top.keys if "_" in key.name}


def _linked(text: str, here: str, targets: dict[str, str]) -> str:
    """The text with a link for each name in code quotes that has a page; code blocks and tables stay as they are."""
    lines, is_code = [], False
    for line in text.splitlines():
        is_code ^= line.startswith("```")
        lines.append(line if is_code or line.startswith(("|", "#", "`[")) else _links(line, here, targets))
    return "\n".join(lines)


def _links(line: str, here: str, targets: dict[str, str]) -> str:
    def link(found: re.Match[str]) -> str:
        words = found[1].split()
        while words and " ".join(words) not in targets:
            words.pop()
        path = targets.get(" ".join(words), here)
        is_command = found[1].startswith("tapescope ")
        if path == here or (not is_command and len(words) != len(found[1].split())):
            return found[0]
        return f"[{found[0]}]({posixpath.relpath(path, posixpath.dirname(here) or '.')})"

    return re.sub(r"(?<!\[)`([^`]+)`", link, line)
