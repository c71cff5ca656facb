"""Self-contained HTML pages of reports: a table with search, filters and sorting, and small plots. Nothing is loaded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM = 760, 180, 56, 22


@dataclass(frozen=True)
class Plot:
    """Values as points on a logarithmic scale.

    Args:
        title: The title.
        points: (name, value, whether it is marked), in order.
    """

    title: str
    points: Sequence[tuple[str, float, bool]]

    def svg(self) -> str:
        """Return the plot as SVG; zeros stand on the lowest line, infinities and NaN on the highest."""
        sizes = [value for _, value, _ in self.points if value > 0 and math.isfinite(value)] or [1.0]
        low, high = math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes)))
        low, high = min(low, high - 1), high

        def height(value: float) -> float:
            power = high if not math.isfinite(value) else math.log10(value) if value > 0 else low
            return 8 + (HEIGHT - BOTTOM - 8) * (high - power) / (high - low)

        lowest = "0" if any(value == 0 for _, value, _ in self.points) else f"1e{low}"
        step = max(1, math.ceil((high - low) / 6))
        lines = [
            f'<line x1="{LEFT}" x2="{WIDTH}" y1="{height(10.0**p):.1f}" y2="{height(10.0**p):.1f}"/>'
            f'<text x="{LEFT - 6}" y="{height(10.0**p) + 4:.1f}">{lowest if p == low else f"1e{p}"}</text>'
            for p in range(low, high + 1, step)
        ]
        gap = (WIDTH - LEFT - 16) / max(len(self.points) - 1, 1)
        coordinates = [(LEFT + 8 + i * gap, height(value)) for i, (_, value, _) in enumerate(self.points)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in coordinates)
        dots = [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if marked else 3}" class="{"bad" if marked else "good"}">'
            f"<title>{escape(name)}: {value:.3g}</title></circle>"
            for (x, y), (name, value, marked) in zip(coordinates, self.points, strict=True)
        ]
        return (
            f'<figure><figcaption>{escape(self.title)}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
            f'{"".join(lines)}<polyline points="{path}"/>{"".join(dots)}</svg></figure>'
        )


def page(
    title: str,
    summary: str,
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    plots: Sequence[Plot] = (),
    *,
    status: str = "status",
    good: Sequence[str] = (),
) -> str:
    """Return a self-contained HTML page.

    Args:
        title: Its title.
        summary: The result in a sentence or two.
        columns: The columns of the table, in order. A column without values is left out.
        rows: Their values by column: text, numbers, or None for an empty field.
        plots: The plots above the table.
        status: The column whose values become buttons that filter the rows.
        good: The values of that column that need no attention.

    Examples:
        >>> text = page("Report", "All is well.", ("name", "status"), [{"name": "a", "status": "same"}], good=("same",))
        >>> text.startswith("<!doctype html>"), "<td>a</td>" in text
        (True, True)
    """
    columns = [column for column in columns if any(row.get(column) not in (None, "") for row in rows)] or columns
    counts = Counter(str(row.get(status)) for row in rows)
    buttons = "".join(
        f'<button class="{mark(value, good)}" data-status="{escape(value)}" aria-pressed="true">{escape(value)} '
        f"<b>{count}</b></button>"
        for value, count in counts.items()
    )
    head = "".join(f'<th tabindex="0" aria-sort="none">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr data-status="{escape(str(row.get(status)))}">'
        f"{''.join(field(row.get(column), column == status, good) for column in columns)}</tr>"
        for row in rows
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{escape(title)}</h1><p>{escape(summary)}</p>"
        f'<section class="plots">{"".join(plot.svg() for plot in plots)}</section>'
        f'<nav><input type="search" placeholder="Search" aria-label="Search">{buttons}'
        f"<output>{len(rows)} of {len(rows)} rows</output></nav>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><script>{_SCRIPT}</script></body></html>\n"
    )


def mark(value: str, good: Sequence[str]) -> str:
    """Return the class of a status."""
    return "good" if value in good else "bad"


def field(value: object, is_status: bool, good: Sequence[str]) -> str:
    """Return a field of the table; numbers keep all their digits for sorting."""
    if is_status:
        return f'<td class="{mark(str(value), good)}">{escape(str(value))}</td>'
    if isinstance(value, float):
        return f'<td class="number" data-value="{value!r}">{value:.3g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="number" data-value="{value}">{value}</td>'
    return f"<td>{'' if value is None else escape(str(value))}</td>"


_STYLE = """
:root{color-scheme:light dark;--good:#1a7f37;--bad:#cf222e;--line:#8884}
body{font:14px/1.5 system-ui,sans-serif;margin:2rem;max-width:1400px}
h1{font-size:1.4rem}
.plots{display:flex;flex-wrap:wrap;gap:1rem}
figure{margin:0;flex:1 1 420px;max-width:760px}
svg{width:100%}
svg line{stroke:var(--line)}svg text{font-size:11px;text-anchor:end;fill:currentColor}
svg polyline{fill:none;stroke:var(--line);stroke-width:1.5}
circle.good{fill:var(--good)}circle.bad{fill:var(--bad)}
nav{position:sticky;top:0;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.6rem 0;background:Canvas}
input{padding:.35rem .6rem;min-width:16rem}
button{border:1px solid currentColor;border-radius:1rem;background:none;padding:.2rem .8rem;cursor:pointer}
button[aria-pressed=false]{opacity:.35}
.good{color:var(--good)}.bad{color:var(--bad)}
output{margin-left:auto;opacity:.7}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{cursor:pointer;white-space:nowrap}
th[aria-sort=ascending]::after{content:" \\2191"}th[aria-sort=descending]::after{content:" \\2193"}
td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
"""

_SCRIPT = """
const body=document.querySelector('tbody'),rows=[...body.rows],search=document.querySelector('input'),
 buttons=[...document.querySelectorAll('button')],heads=[...document.querySelectorAll('th')],out=document.querySelector('output');
function filter(){
 const text=search.value.toLowerCase(),on=new Set(buttons.filter(b=>b.ariaPressed==='true').map(b=>b.dataset.status));
 let n=0;
 for(const r of rows){r.hidden=!(on.has(r.dataset.status)&&r.textContent.toLowerCase().includes(text));n+=!r.hidden}
 out.value=n+' of '+rows.length+' rows';
}
search.addEventListener('input',filter);
for(const b of buttons)b.addEventListener('click',()=>{b.ariaPressed=b.ariaPressed==='true'?'false':'true';filter()});
function value(row,i){const c=row.cells[i];return c.dataset.value===undefined?c.textContent:Number(c.dataset.value)}
function order(a,b){
 return typeof a==='number'&&typeof b==='number'?a-b:typeof a==='number'?-1:typeof b==='number'?1:a.localeCompare(b);
}
heads.forEach((h,i)=>{
 const sort=()=>{
  const up=h.ariaSort!=='ascending';
  heads.forEach(o=>o.ariaSort='none');h.ariaSort=up?'ascending':'descending';
  body.append(...[...rows].sort((a,b)=>(up?1:-1)*order(value(a,i),value(b,i))));
 };
 h.addEventListener('click',sort);h.addEventListener('keydown',e=>{if(e.key==='Enter')sort()});
});
if(location.hash){search.value=decodeURIComponent(location.hash.slice(1));filter()}
"""
