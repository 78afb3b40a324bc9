"""Changes to the programs' sources, and what is known to be true of each.

A file of changes has one section for each:

    [name]
    kind: extra call            what a table sums them up by
    function: callee            whose calls change
    caller: caller              from where
    file: lapi.c                the hunks that follow are in this file
    <<<
    text, found exactly once
    ---
    text in its place; /*@*/ marks the line of the call to blame
    >>>
    rename: old new             a word, in all files
    move: from to text          the function whose definition begins with this text

Blank lines and those that begin with # between sections say nothing.
"""

import re

MARK = "/*@*/"


class Patch:
    def __init__(self, program, name):
        self.program, self.name, self.fields, self.steps = program, name, {}, []

    def apply(self, sources):
        """The changed sources and (file, line) of the mark, or None."""
        changed = dict(sources)
        for step in self.steps:
            if step[0] == "replace":
                _, file, old, new = step
                if changed[file].count(old) != 1:
                    raise SystemExit(f"{self.name}: {file} has {changed[file].count(old)} times:\n{old}")
                changed[file] = changed[file].replace(old, new)
            elif step[0] == "move":
                _, source, target, text = step
                start = changed[source].index("\n" + text) + 1
                end = changed[source].index("\n}\n", start) + 3
                body = changed[source][start:end]
                if source.endswith(".cc"):
                    body = f"namespace {self.program} {{\n{body}}}\n"
                changed[source] = changed[source][:start] + changed[source][end:]
                changed[target] += "\n" + body
            else:
                _, old, new = step
                pattern = re.compile(rf"\b{re.escape(old)}\b")
                changed = {file: pattern.sub(new, text) for file, text in changed.items()}
        site = None
        for file, text in changed.items():
            if MARK in text:
                site = (file, text[:text.index(MARK)].count("\n") + 1)
        return changed, site


def read(path, program):
    patches, file, lines = [], None, iter(path.read_text().splitlines())
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            patches.append(Patch(program, line.strip("[] ")))
        elif line == "<<<":
            sides, side = [[], []], 0
            for line in lines:
                if line == ">>>":
                    break
                if line == "---":
                    side = 1
                else:
                    sides[side].append(line)
            patches[-1].steps.append(("replace", file, *("\n".join(s) for s in sides)))
        elif line.startswith("rename:"):
            patches[-1].steps.append(("rename", *line.split()[1:]))
        elif line.startswith("move:"):
            patches[-1].steps.append(("move", *line.split(None, 3)[1:]))
        else:
            key, colon, value = line.partition(":")
            if not colon:
                raise SystemExit(f"{path}: not understood: {line}")
            if key == "file":
                file = value.strip()
            else:
                patches[-1].fields[key] = value.strip()
    return patches
