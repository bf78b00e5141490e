"""Measure everything in one run: ``python -m benchmarks.report [--quick] [--only NAME ...]``.

Prints every table, and the goals beside what was reached. A full run writes `results.csv` and the plots beside
this file, and the tables into the marked places of the README (``<!-- bench:NAME -->``); a quick or partial one
writes nothing.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
from matplotlib.figure import Figure

from benchmarks import output, plots
from benchmarks.corpora import ROOT
from benchmarks.measure import FULL, QUICK
from benchmarks.tables import TABLES, Table

FOLDER = Path(__file__).resolve().parent
PLOTS = {"equal-error": plots.plot_equal_error, "spread": plots.plot_spread}


@click.command()
@click.option("--quick", is_flag=True, help="Small corpora, few pairs: under a minute, to see that it runs.")
@click.option("--only", multiple=True, type=click.Choice(list(TABLES)), help="Only this table (repeatable).")
def main(quick: bool, only: tuple[str, ...]) -> None:
    """Measure speed and accuracy, side by side with other tools."""
    tables = []
    for name in only or TABLES:
        start = time.perf_counter()
        table = TABLES[name](QUICK if quick else FULL)
        tables.append(table)
        print(f"\n## {name} ({time.perf_counter() - start:.0f} s)\n\n{output.section(table)}", flush=True)
    goals = output.goals_frame(goal for table in tables for goal in table.goals)
    print(f"\n## goals\n\n{output.markdown(goals)}\n\n{output.environment_line()}")
    if not quick and not only:
        write_files(tables, ROOT / "README.md", FOLDER)


def write_files(tables: list[Table], readme: Path, folder: Path) -> None:
    """Write the CSV file, the plots, and the README's marked sections."""
    with (folder / "results.csv").open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {output.environment_line()}\n")
        output.tidy(tables).to_csv(file, index=False, float_format="%.6g")
    for table in tables:
        if table.name in PLOTS:
            figure = Figure(figsize=(9, 5.5), layout="constrained")
            PLOTS[table.name](table.frame, ax=figure.subplots())
            figure.savefig(folder / f"{table.name.replace('-', '_')}.png", dpi=120)
    sections = {table.name: output.section(table) for table in tables}
    sections["goals"] = output.markdown(output.goals_frame(goal for table in tables for goal in table.goals))
    sections["environment"] = output.environment_line()
    before = readme.read_text(encoding="utf-8") if readme.exists() else ""
    after = output.replace_sections(before, sections)
    if after != before:
        readme.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
