"""The prose of the tree: strings, docstrings, comments, headers of `schemas/`, templates and documents."""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.catalog.files import split_header
from support import REPO

FOLDERS = ("pipelines", "dashboards", "dags", "schemas", "docs", "deploy", "sample_data", "benchmarks", "tests")
SUFFIXES = {".py", ".sql", ".toml", ".md", ".html", ".j2"}
# Captured logs, worked cases and generated pages: their text is data, or is checked where it is made.
NOT_PROSE = re.compile(
    r"^(sample_data/(captured|logs|studies)/|benchmarks/(texts|year)/|schemas/README\.md|docs/reference/|tests/realdata_"
    r"|tests/(corpus|gold|hostile|inputs|ops|questions|rules|silver|sources)[/.]|tests/language\.toml)"
)
# A statement of a language, a pattern, a path, a line of a log with its fields or a list of columns: no sentence.
CODE = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE FROM|FROM|WHERE|CREATE|ALTER|ATTACH|GROUP BY|ORDER BY|PARTITION|CASE WHEN)\b"
    r"|\b(SET|CALL|JOIN|FILTER) |^\s*import |^\[*[a-z]+(\]\]\n| = )[^#]*$|^\{ \w+ =|== '|\w\(datum\.|-src '"
    r"|\bMSG_TYPE=|\w::\w|\w:\w+[!+] |=%|%\w+ %\w|/s \w+/s|=\{…\} \w+="
    r"|\(\?[:P<!=]|\\[dwsSb().]|^\^|^[\w./-]+$|\w\|\w|\w_\w+ \w+_\w+ "
)
# What a program compares or looks up is text of a log or of another program, not ours.
COMPARED = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "find", "contains"}
OF_LOGS = re.compile(r"^(pipelines/sources|benchmarks)/")
WRITES_LOGS = re.compile(r"^sample_data/(chatter|enstore|library_logs|cta/(taped|sitting))\.py$")  # only lines of logs
TEMPLATES = {"Template", "_mover", "_detail", "words", "_needs", "_fields", "fields"}
ONLY_CODE = re.compile(r"[\s,]*(`[^`]*`[\s,]*)+")  # of a document: names and commands, no words
WORDS = re.compile(r"[A-Za-z][a-z'’]+ ")


@dataclass(frozen=True)
class Text:
    """A piece of prose: its file, first line, and whether a user of the product reads it (`is_shown`).

    `text` has `{…}` for each value of an f-string; `named` has the value's name, for those who judge the sentence.
    """

    path: str
    line: int
    kind: str
    text: str
    named: str = ""

    @property
    def is_shown(self) -> bool:
        return self.kind in ("string", "header", "document", "template")


def all_texts(*folders: str) -> Iterator[Text]:
    """Every piece of prose of the tree, or of some of its folders."""
    paths = [path for folder in folders or FOLDERS for path in (REPO / folder).rglob("*") if path.suffix in SUFFIXES]
    for path in sorted([*paths, *(() if folders else REPO.glob("*.md"))]):
        name = path.relative_to(REPO).as_posix()
        if not NOT_PROSE.match(name):
            found = texts_of(name, path.read_text(encoding="utf-8"))
            yield from (text for text in found if text.kind != "string" or not name.startswith("tests/"))


def texts_of(name: str, text: str) -> Iterator[Text]:
    """The prose of one file, by its suffix."""
    match Path(name).suffix:
        case ".py":
            yield from of_python(name, text)
        case ".sql":
            head, sql = split_header(text)
            yield from of_header(name, head, text)
            yield from of_sql(name, sql, text)
        case ".toml":
            yield from of_header(name, text, text)
        case ".md":
            yield from of_document(name, text)
        case _:
            yield from of_template(name, text)


def of_python(name: str, text: str) -> Iterator[Text]:
    tree = ast.parse(text)
    docstrings = {id(node) for node in docstrings_of(tree)}
    helps = {id(node) for node in docstrings_of(tree) if name.startswith("pipelines/cli/")}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    data = {id(node) for node in compared_in(tree, bool(OF_LOGS.match(name)))}
    if WRITES_LOGS.match(name):
        raised = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
        data |= {id(node) for node in ast.walk(tree)} - raised - docstrings
    for node in ast.walk(tree):
        if id(node) not in data and (
            isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and id(node) not in parts)
        ):
            found = literal(node)
            if id(node) in docstrings:
                yield Text(name, node.lineno, "string" if id(node) in helps else "docstring", unwrapped(found))
            elif not CODE.search(found) and len(WORDS.findall(found)) > 1:
                yield Text(name, node.lineno, "string", unwrapped(found), unwrapped(literal(node, name_of)))
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    ]
    yield from grouped(name, [(token.start[0], token.string.lstrip("#! ")) for token in comments])


def compared_in(tree: ast.AST, is_of_logs: bool) -> Iterator[ast.AST]:
    """Strings that a program compares; in readers of logs also keys, members of sets and what templates match."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                yield from (node.left, *node.comparators)
            case ast.Call(func=ast.Attribute(value=value, attr="split")):
                yield from (value, *node.args)
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in COMPARED:
                yield from node.args
            case ast.Call(func=ast.Name(id=name)) if is_of_logs and name in TEMPLATES:
                yield from node.args
            case ast.Dict() if is_of_logs:
                yield from (key for key in node.keys if key)
            case ast.Set() if is_of_logs:
                yield from node.elts


def docstrings_of(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first.value


def literal(node: ast.expr, name: Callable[[ast.expr], str] = lambda value: "…") -> str:
    """A string's text; `{…}`, or the name that `name` gives, for each value of an f-string."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    assert isinstance(node, ast.JoinedStr)
    return "".join(
        "{" + name(part.value) + "}" if isinstance(part, ast.FormattedValue) else literal(part) for part in node.values
    )


def name_of(value: ast.expr) -> str:
    """What a value is called where it is put into a sentence."""
    match value:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(args=[first, *_]):
            return name_of(first)
        case ast.Call(func=inner) | ast.BinOp(left=inner) | ast.IfExp(body=inner) | ast.Subscript(value=inner):
            return name_of(inner)
    return "…"


def of_header(name: str, head: str, text: str) -> Iterator[Text]:
    """Each sentence of a TOML header or file, by the line of the file its value is on; and the comments."""
    lines = text.splitlines()
    for value in values_of(tomllib.loads(head)):
        if len(WORDS.findall(value)) > 1 and not CODE.search(value):
            start = value.splitlines()[0]
            line = next((n for n, one in enumerate(lines, 1) if start in one.replace('\\"', '"')), 1)
            yield Text(name, line, "header", unwrapped(value))
    if name.endswith(".toml"):
        yield from grouped(name, [(n, one.lstrip("# ")) for n, one in enumerate(lines, 1) if one.startswith("#")])


def values_of(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from values_of(one)
        case list():
            for one in value:
                yield from values_of(one)


def of_sql(name: str, sql: str, text: str) -> Iterator[Text]:
    offset = text[: text.find(sql)].count("\n")
    found = [
        (offset + n, line.partition("--")[2].strip()) for n, line in enumerate(sql.splitlines(), 1) if "--" in line
    ]
    yield from grouped(name, found)


def of_document(name: str, text: str) -> Iterator[Text]:
    """Paragraphs, list items and table cells of Markdown, without code and addresses."""
    text = re.sub(r"^```.*?^```", lambda found: "\n" * found[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    block: list[str] = []
    start = 1
    for n, line in enumerate([*text.splitlines(), ""], 1):
        begins = not line.strip() or re.match(r"\s*([-*#|]|\d+\.)", line)
        if begins and block:
            yield from (
                Text(name, start, "document", unwrapped(cell))
                for cell in (re.split(r"(?<!\\)\|", block[0]) if block[0].startswith("|") else [" ".join(block)])
                if len(WORDS.findall(cell)) > 1 and not ONLY_CODE.fullmatch(cell)
            )
            block = []
        if line.strip():
            start = n if not block else start
            block.append(line.strip())


def of_template(name: str, text: str) -> Iterator[Text]:
    """The words between the tags of HTML, and the comments of a site file's template."""
    plain = re.sub(r"\{#.*?#\}|\{%.*?%\}", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    plain = re.sub(r"\{\{.*?\}\}", words_of_tag, plain)
    if name.endswith(".j2"):
        found = [(n, line.lstrip("# ")) for n, line in enumerate(plain.splitlines(), 1) if line.startswith("#")]
        texts = (one for one in grouped(name, found) if len(WORDS.findall(one.text)) > 1)
        yield from (Text(one.path, one.line, "template", one.text) for one in texts)
        return
    line = 1
    for piece in re.split(r"(<[^>]*>)", plain):
        if not piece.startswith("<") and len(WORDS.findall(piece)) > 1:
            yield Text(name, line + piece[: len(piece) - len(piece.lstrip())].count("\n"), "template", unwrapped(piece))
        line += piece.count("\n")


def words_of_tag(tag: re.Match[str]) -> str:
    """The sentences inside a tag that shows a value; `{…}` where it has none."""
    return " / ".join(one for one in re.findall(r'"([^"]*)"', tag[0]) if len(WORDS.findall(one)) > 1) or "{…}"


def grouped(name: str, lines: list[tuple[int, str]]) -> Iterator[Text]:
    """Comments on lines that follow each other are one text."""
    start, before, words = 0, -1, list[str]()
    for n, text in [*lines, (-9, "")]:
        if n != before + 1 and words:
            yield Text(name, start, "comment", " ".join(words))
            words = []
        start = n if not words else start
        words.append(text)
        before = n


def unwrapped(text: str) -> str:
    return " ".join(text.split())
