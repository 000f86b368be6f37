"""The report of a tune, for people, notebooks and programs."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator


class TuneReport:
    """The outcome of `tune`.

    ``to_dict()`` is the document "xpose.tune/1", which ``xpose tune --json`` writes too. Text and
    notebook show the trials, the fastest first, and their share of the fastest copy's speed.
    """

    def __init__(self, text: str) -> None:
        import json  # here, for the sake of the package's import

        self._document: dict[str, Any] = json.loads(text)

    def to_dict(self) -> dict[str, Any]:
        """The whole report, as a copy."""
        import copy

        return copy.deepcopy(self._document)

    @property
    def winner(self) -> str | None:
        """The variant that was chosen; None where none was right."""
        winner: str | None = self._document["winner"]
        return winner

    @property
    def margin(self) -> float:
        """The runner-up's time over the winner's, minus 1."""
        margin: float = self._document["margin"]
        return margin

    @property
    def trials(self) -> list[dict[str, Any]]:
        """All trials, the fastest first, then those without a time."""
        trials: list[dict[str, Any]] = self.to_dict()["trials"]
        return trials

    def _title(self) -> str:
        problem = self._document["problem"]
        batch = "".join(f"{dim['extent']} of " for dim in problem.get("batch", []))
        return (
            f"{batch}{problem['rows']}x{problem['cols']} of {problem['element_bytes']} bytes "
            f"on {problem['device']}: {self.winner or 'no winner'}"
        )

    def _shown(self) -> tuple[list[dict[str, Any]], str]:
        """The trials of strategies that serve the problem, and a line about the others."""
        trials: list[dict[str, Any]] = self._document["trials"]
        shown = [trial for trial in trials if trial["verdict"] != "unsupported"]
        others = len(trials) - len(shown)
        note = f"{others} more do not serve this problem: .trials has their reasons"
        return shown, note if others else ""

    def __str__(self) -> str:
        lines = [self._title()]
        shown, note = self._shown()
        for trial in shown:
            if "seconds" not in trial:
                lines.append(f"{'':>24}  {trial['variant']}: {trial['verdict']} {trial['detail']}")
                continue
            share = trial.get("share_of_roof")
            lines.append(
                f"{trial['seconds'] * 1e6:9.1f} us {'' if share is None else f'{share:6.0%}':>6}"
                f" {trial['gb_per_s']:5.0f}  {trial['variant']}"
            )
        return "\n".join(lines + ([note] if note else []))

    def __repr__(self) -> str:
        return f"<xpose.TuneReport of {self._title()}>"

    def _repr_html_(self) -> str:
        import html

        rows = []
        shown, note = self._shown()
        for trial in shown:
            name = html.escape(trial["variant"])
            if "seconds" not in trial:
                why = html.escape(f"{trial['verdict']} {trial['detail']}")
                rows.append(f"<tr><td>{name}</td><td colspan=3>{why}</td></tr>")
                continue
            share = trial.get("share_of_roof") or 0.0
            bold = "font-weight:bold" if trial["variant"] == self.winner else ""
            bar = (
                f'<div style="background:#4878a8;height:0.8em;width:{min(share, 1.2) * 12:.2f}em">'
                "</div>"
            )
            rows.append(
                f'<tr style="{bold}"><td style="text-align:left">{name}</td>'
                f"<td>{trial['seconds'] * 1e6:.1f} us</td><td>{trial['gb_per_s']:.0f} GB/s</td>"
                f'<td style="text-align:left">{bar}{share:.0%} of the roof</td></tr>'
            )
        return f"<b>{html.escape(self._title())}</b><table>{''.join(rows)}</table>{note}"


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextlib.contextmanager
def progress_bar(
    progress: bool | Callable[[str, int, int], Any] | None,
) -> Iterator[Callable[[str, int, int], Any] | None]:
    """A function to tell of steps, or None. A bar is closed at the end."""
    if callable(progress):
        yield progress
        return
    if progress is not None and not isinstance(progress, bool):
        kind = type(progress).__qualname__
        raise TypeError(f"progress is True, False, None or a function, not {kind}")
    if progress is False or (progress is None and not _is_watched()):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise
        yield None
        return
    with tqdm(unit="") as bar:

        def told(stage: str, done: int, total: int) -> None:
            bar.set_description(stage, refresh=False)
            bar.total, bar.n = total, done
            bar.refresh()

        yield told
