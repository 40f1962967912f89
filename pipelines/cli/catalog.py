"""The commands that list and explain sources, metrics, rules and questions."""

from pathlib import Path

import click

from pipelines.cli.lazy import contracts, files
from pipelines.cli.options import site_option


@click.command()
@site_option
def sources(site_path: Path) -> None:
    """List the kinds of log that can be read."""
    from pipelines.sources import all_sources

    for stem, source in all_sources().items():
        click.echo(f"{stem:20} {source.TITLE} → {', '.join(f'bronze.{table}' for table in source.TABLES)}")


def _list(rows: list[tuple[str, str]]) -> None:
    width = max((len(name) for name, _ in rows), default=0)
    for name, title in rows:
        click.echo(f"{name:{width}}  {title}")


@click.command()
@site_option
def metrics(site_path: Path) -> None:
    """List the metrics (relations of gold)."""
    _list([(relation.full_name, relation.title) for relation in files.load_catalog().layer("gold")])


@click.command()
@site_option
def rules(site_path: Path) -> None:
    """List the rules that produce findings."""
    _list([(rule.name, f"{rule.severity}: {rule.title}") for rule in files.load_catalog().rules.values()])


@click.command()
@click.argument("topic", required=False)
@site_option
def questions(topic: str | None, site_path: Path) -> None:
    """List the questions for `tapescope ask`, by topic. TOPIC limits the list to one topic."""
    groups = files.load_catalog().by_topic()
    if topic is not None and topic not in groups:
        raise click.BadParameter(f"there is no topic {topic!r}; topics: {', '.join(groups)}", param_hint="TOPIC")
    width = max(len(question.name) for group in groups.values() for question in group)
    for name in groups if topic is None else [topic]:
        click.echo(f"{name}: {contracts.TOPICS[name]}")
        for question in groups[name]:
            click.echo(f"  {question.name:{width}}  {question.title}")


@click.command()
@click.argument("name")
@site_option
def explain(name: str, site_path: Path) -> None:
    """Explain a relation, rule, question, source or model.

    The text gives its definition and, where they exist, columns, units, limits and checks.
    """
    from pipelines.reporting.dictionary import explain as page

    click.echo(page(files.load_catalog(), name))
