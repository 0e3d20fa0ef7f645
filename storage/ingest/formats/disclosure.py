"""Tabs and folded parts of a web page: what a click would show is as much its text as what is shown at first.

A tab is named by its `role` or by the classes of Material for MkDocs, a folded part by the `aria-controls` of what
unfolds it (WAI-ARIA 1.2, "tab", "tabpanel", `aria-controls`). All else that is hidden stays hidden.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from bs4 import BeautifulSoup
from bs4.element import Tag

_TABS = '[role="tablist"], .tabbed-labels'
_LABELS = frozenset({"tablist", "tabbed-labels"})
_KINDS = _LABELS | {"tabpanel", "tabbed-block"}
"""Roles and classes of tabs and their panels."""
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_MENU = 0.5
"""Share of a part's letters in links from which on it is a menu."""


def disclose(page: BeautifulSoup) -> None:
    """Make a page's tabs a list of definitions, and its folded parts shown ones."""
    by_id = {str(tag["id"]): tag for tag in page.find_all(id=True) if isinstance(tag, Tag)}
    for tabs in page.select(_TABS):
        _as_definitions(page, tabs, by_id)
    for control in page.select("[aria-controls]:not([aria-haspopup])"):
        parts = [part for each in str(control["aria-controls"]).split() if (part := by_id.get(each)) is not None]
        if parts and not any(map(_is_menu, parts)):
            for part in parts:
                _show(part)
            _say(control)
    for control in page.select(", ".join(f"{heading} > button" for heading in _HEADINGS)):
        if control.parent is not None and control.parent.get_text(strip=True) == control.get_text(strip=True):
            _say(control)


def _as_definitions(page: BeautifulSoup, tabs: Tag, by_id: Mapping[str, Tag]) -> None:
    labels = tabs.select('[role="tab"], label')
    named = [by_id[name] for label in labels if (name := str(label.get("aria-controls") or "")) in by_id]
    panels = named or list(islice(_behind(tabs), len(labels)))
    if not panels or len(panels) != len(labels):
        return
    terms = page.new_tag("dl")
    panels[0].insert_before(terms)
    for label, panel in zip(labels, panels, strict=True):
        term = page.new_tag("dt")
        term.string = " ".join(label.get_text().split())
        panel.name = "dd"
        _show(panel)
        terms.extend([term, panel.extract()])
    tabs.decompose()


def _behind(tabs: Tag) -> Iterator[Tag]:
    """Yield the panels up to the next tabs, without those that stand within one of them."""
    met: set[int] = set()
    for part in tabs.next_elements:
        if not isinstance(part, Tag):
            continue
        names = {str(part.get("role")), *part.get_attribute_list("class")}
        if _KINDS.isdisjoint(names):
            continue
        if any(id(each) in met for each in part.parents):  # by identity: tags are equal by what is in them
            continue
        if not _LABELS.isdisjoint(names):
            return
        met.add(id(part))
        yield part


def _show(part: Tag) -> None:
    for name in ("hidden", "aria-hidden", "style"):
        if name in part.attrs:
            del part[name]


def _say(control: Tag) -> None:
    """Make a button the words on it."""
    if control.name == "button":
        control.name = "span" if control.find_parent(_HEADINGS) else "div"


def _is_menu(part: Tag) -> bool:
    linked = sum(len(link.get_text(strip=True)) for link in part.find_all("a"))
    return linked > _MENU * max(1, len(part.get_text(strip=True)))
