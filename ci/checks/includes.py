"""The graph of includes has no circle, and no arrow that architecture.md does not allow.

A header and the source of the same name are one file of the graph: what either
includes, both need. Four questions are asked of it:

  - Is there a circle among files?
  - Is there a circle among folders? Tests (x_test.cc) are left out as the start
    of an arrow, here and below: they may use helpers that stand on what they test.
  - Does an arrow lead where the table in docs/architecture.md does not let it?
    The table is the one with the columns "folder" and "may include". Its third
    column names folders; what follows "never", and what is in parentheses, does
    not allow anything. "all of the above" are the folders of the rows before,
    "anything" is all of them. A folder may always include itself and, if it has
    a row of its own below another folder's, what that one may include.
  - Does a way of includes lead to the readers of ELF and DWARF from elsewhere than
    the client's folders? Then the server would link them.

Circles are found as strongly connected components (Tarjan, "Depth-first search
and linear graph algorithms", SIAM Journal on Computing 1(2), 1972).
"""

import collections
import pathlib
import posixpath
import re

from checks import tree
from checks.outcome import Outcome

ARCHITECTURE = "docs/architecture.md"

# Code that reads programs, and the folders that may include it.
CLIENT_ONLY = ("profile/code", "profile/elf")
CLIENTS = CLIENT_ONLY + ("benchmarks", "ci", "cli", "tests")

_INCLUDE = re.compile(r"^\s*#\s*include\s+\"([^\"]+)\"", re.M)
_GENERATED = re.compile(r"(\.grpc)?\.pb\.(h|cc)$")


def check(the_tree, write=False):
    del write
    arrows, unknown = read_arrows(the_tree)
    files = collections.defaultdict(set)
    folders = collections.defaultdict(set)
    for source, target, _ in arrows:
        if unit(source) != unit(target):
            files[unit(source)].add(unit(target))
        if not tree.is_test(source) and tree.folder_of(source) != tree.folder_of(target):
            folders[tree.folder_of(source)].add(tree.folder_of(target))
    return [
        Outcome("includes: every header is found", unknown, f"{len(arrows)} includes"),
        Outcome("includes: no circle among files", describe_circles(files), f"{len(files)} files"),
        Outcome(
            "includes: no circle among folders",
            [_with_includes(circle, arrows) for circle in circles(folders)],
            f"{len(folders)} folders",
        ),
        Outcome("includes: no arrow against " + ARCHITECTURE, _forbidden(the_tree, arrows)),
        Outcome("includes: the server reaches no reader of ELF", _server_reaches(arrows)),
    ]


def unit(path):
    """Header and source of one name are one."""
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def read_arrows(the_tree):
    """([(from, to, line)], [what was not found]): includes within the tree."""
    names = set(the_tree.files)
    tops = {name.partition("/")[0] for name in names if "/" in name}
    arrows = []
    unknown = []
    for path in the_tree.files:
        suffix = pathlib.PurePath(path).suffix
        if suffix not in tree.C_SUFFIXES | tree.ASSEMBLY_SUFFIXES or tree.keeps_its_bytes(path):
            continue
        text = the_tree.text(path)
        for found in _INCLUDE.finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            target = _resolve(found[1], path, names)
            if target:
                arrows.append((path, target, line))
            elif found[1].partition("/")[0] in tops and "/" in found[1]:
                unknown.append(f"{path}:{line}: no file {found[1]}")
    return arrows, unknown


def _resolve(name, source, names):
    beside = posixpath.normpath(posixpath.join(tree.folder_of(source), name))
    for candidate in (name, beside):
        if candidate in names:
            return candidate
        proto = _GENERATED.sub(".proto", candidate)
        if proto in names:
            return proto
    return None


def circles(graph):
    """Strongly connected components of more than one node, each sorted."""
    index = {}
    low = {}
    stack = []
    on_stack = set()
    found = []

    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph.get(start, ()))))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, targets = work[-1]
            advanced = False
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph.get(target, ())))))
                    advanced = True
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            if advanced:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component = set()
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.add(member)
                    if member == node:
                        break
                if len(component) > 1:
                    found.append(sorted(component))
    return sorted(found)


def way_around(graph, component):
    """A shortest way from the component's first member back to it."""
    start = component[0]
    members = set(component)
    came_from = {}
    queue = collections.deque([start])
    while queue:
        node = queue.popleft()
        for target in sorted(graph.get(node, ())):
            if target == start:
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1] + [start]
            if target in members and target not in came_from:
                came_from[target] = node
                queue.append(target)
    raise AssertionError("no way around " + ", ".join(component))


def describe_circles(graph):
    return [
        f"{len(circle)} in a circle: " + " -> ".join(way_around(graph, circle))
        for circle in circles(graph)
    ]


def _is_in(path, folders):
    return any(path.startswith(folder + "/") for folder in folders)


def _server_reaches(arrows):
    """Ways from outside CLIENTS to CLIENT_ONLY; the shortest of each start."""
    graph = collections.defaultdict(set)
    starts = set()
    for source, target, _ in arrows:
        if tree.is_test(source) or _is_in(source, ("tests", "benchmarks")):
            continue
        if "/testing/" in source:
            continue
        graph[unit(source)].add(unit(target))
        if not _is_in(source, CLIENTS):
            starts.add(unit(source))
    faults = []
    for start in sorted(starts):
        came_from = {start: None}
        queue = collections.deque([start])
        while queue:
            node = queue.popleft()
            if _is_in(node, CLIENT_ONLY):
                way = [node]
                while came_from[way[-1]]:
                    way.append(came_from[way[-1]])
                faults.append(" -> ".join(reversed(way)))
                break
            for target in sorted(graph.get(node, ())):
                if target not in came_from:
                    came_from[target] = node
                    queue.append(target)
    return faults


def _with_includes(component, arrows):
    members = set(component)
    shown = [f"circle of {', '.join(component)}:"]
    for source, target, line in arrows:
        pair = (tree.folder_of(source), tree.folder_of(target))
        if pair[0] != pair[1] and set(pair) <= members and not tree.is_test(source):
            shown.append(f"  {source}:{line}: includes {target}")
    if len(shown) > 16:
        shown[16:] = [f"  ... and {len(shown) - 16} more includes"]
    return "\n".join(shown)


def _table(text):
    """The columns "folder" and "may include", as pairs of texts; [] if there is no such table."""
    rows = []
    columns = None
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = None if rows else columns
            if rows:
                break
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "folder" in cells and "may include" in cells:
            columns = (cells.index("folder"), cells.index("may include"))
        elif columns and not set(line) <= set("|-: ") and max(columns) < len(cells):
            rows.append((cells[columns[0]].strip("`").rstrip("/"), cells[columns[1]]))
    return rows


def allowed_arrows(text):
    """{folder: folders it may include} of the table; {} if there is no such table."""
    rows = _table(text)
    folders = [folder for folder, _ in rows]
    allowed = {}
    for position, (folder, words) in enumerate(rows):
        words = re.sub(r"\([^)]*\)", "", words)
        words = re.sub(r"\bnever\b[^;.]*", "", words)
        if "anything" in words:
            targets = set(folders)
        elif "all of the above" in words:
            targets = set(folders[:position])
        else:
            targets = {name for name in folders if re.search(rf"(?<![\w/]){name}(?![\w/]*\w)", words)}
        allowed[folder] = targets | {folder}
    for folder in allowed:
        for parent in allowed:
            if folder.startswith(parent + "/"):
                allowed[folder] |= allowed[parent]
    return allowed


def _row_of(path, allowed):
    """The longest folder of the table that holds the file."""
    rows = [folder for folder in allowed if path.startswith(folder + "/")]
    return max(rows, key=len, default=None)


def _forbidden(the_tree, arrows):
    if not the_tree.exists(ARCHITECTURE):
        return [f"{ARCHITECTURE} is missing"]
    allowed = allowed_arrows(the_tree.text(ARCHITECTURE))
    if not allowed:
        return [f'{ARCHITECTURE} has no table with the columns "folder" and "may include"']
    faults = []
    without_row = set()
    for source, target, line in arrows:
        if tree.is_test(source):
            continue
        start = _row_of(source, allowed)
        end = _row_of(target, allowed)
        for path, row in ((source, start), (target, end)):
            if row is None:
                without_row.add(path.partition("/")[0])
        if start is None or end is None:
            continue
        if not any(target.startswith(folder + "/") for folder in allowed[start]):
            faults.append(f"{source}:{line}: includes {target}; {start}/ may not include {end}/")
    return faults + [f"{ARCHITECTURE}: the table has no row for {top}/" for top in sorted(without_row)]
