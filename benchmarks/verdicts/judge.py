"""`gprofhub diff` on folders of runs, and listings of single runs, as Python values."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

from programs import CACHE, digest, quiet

COLUMNS = 120
ALARMS = ("regressed", "improved", "new", "vanished")


class Judge:
    def __init__(self, gprofhub):
        self.gprofhub = pathlib.Path(gprofhub).resolve()
        commands = self.gprofhub.with_name("gprofhub_commands")
        self.version = digest(self.gprofhub.read_bytes(), commands.read_bytes() if commands.exists() else b"")

    def command(self, base, head, name):
        """The folders that `diff` is given, one link per run, and the command line."""
        folder = CACHE / "comparisons" / name
        for side, runs in (("base", base), ("head", head)):
            (folder / side).mkdir(parents=True, exist_ok=True)
            wanted = {f"run{i:02d}": run for i, run in enumerate(runs)}
            for old in (folder / side).iterdir():
                if old.name not in wanted or os.readlink(old) != str(wanted[old.name]):
                    old.unlink()
            for link, run in wanted.items():
                if not (folder / side / link).is_symlink():
                    (folder / side / link).symlink_to(run)
        return [str(self.gprofhub), "diff", str(folder / "base"), str(folder / "head")]

    def compare(self, base, head, name):
        """The document of `gprofhub diff --format=json`; each version's is kept."""
        command = self.command(base, head, name)
        key = digest(self.version, *map(str, base), "--", *map(str, head))
        kept = CACHE / "verdicts" / f"{key}.json"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            text = quiet(command + ["--format=json"])
            kept.with_suffix(".part").write_text(text)
            kept.with_suffix(".part").rename(kept)
        return json.loads(kept.read_text())

    def explain_first(self, base, head, name):
        """What `gprofhub explain --format=json` says of the first finding; None: there is none."""
        findings = self.compare(base, head, name)["findings"]
        if not findings:
            return None
        program, _, *sides = self.command(base, head, name)
        kept = CACHE / "verdicts" / f"{digest(self.version, *map(str, base), '--', *map(str, head))}.first.json"
        if not kept.exists():
            kept.write_text(quiet([program, "explain", findings[0]["id"], *sides, "--format=json"]))
        return json.loads(kept.read_text())

    def screen(self, base, head, name):
        """The report as a terminal of COLUMNS shows it, and its processor seconds."""
        command = self.command(base, head, name)
        kept = CACHE / "verdicts" / f"{digest(self.version, *map(str, base), '--', *map(str, head))}.screen.json"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            before = os.times()
            text = quiet(command, env={**os.environ, "COLUMNS": str(COLUMNS)})
            after = os.times()
            seconds = after.children_user + after.children_system - before.children_user - before.children_system
            kept.write_text(json.dumps({"text": text, "processor_seconds": seconds}))
        return json.loads(kept.read_text())

    def text(self, base, head, name):
        """How many lines the report takes in a terminal of COLUMNS, and its processor seconds."""
        said = self.screen(base, head, name)
        lines = sum(max(1, -(-len(line) // COLUMNS)) for line in said["text"].splitlines())
        return lines, said["processor_seconds"]

    def listing(self, program, run):
        """{function: (calls, self seconds)} and {(caller, callee): calls} of one run."""
        (recording,) = pathlib.Path(run).glob("*.gprofhub")
        key = digest(program, recording)
        kept = CACHE / "listings" / f"{key}.json"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            text = quiet([self.gprofhub, "gprof", "-b", "-q", "--exact-clones", "--format=json", program, recording])
            kept.with_suffix(".part").write_text(text)
            kept.with_suffix(".part").rename(kept)
        document = json.loads(kept.read_text())
        names = {f["id"]: f["linkage_name"] for f in document["functions"]}
        functions, arcs = {}, {}
        for f in document["functions"]:
            name = plain(f["linkage_name"])
            calls, seconds = functions.get(name, (0, 0.0))
            functions[name] = (calls + f["calls"] + f["recursive_calls"], seconds + f["self"])
        for c in document["calls"]:
            arc = (plain(names.get(c["caller"], "")), plain(names.get(c["callee"], "")))
            arcs[arc] = arcs.get(arc, 0) + c["count"]
        return functions, arcs


def plain(name):
    """A function's name without what the compiler adds to that of a clone."""
    return re.sub(r"(\.(constprop|isra|part|cold|lto_priv)(\.\d+)*)+$", "", name or "")


def named(name, wanted):
    """Whether a finding's name is one of `wanted`, 'a|b'; C++ ones by a part of the
    linkage name: of Class::Function, or after '=' as it stands."""
    name = plain(name)
    return any(name == w or (name.startswith("_Z") and (w[1:] if w.startswith("=") else mangled(w)) in name)
               for w in wanted.split("|"))


def mangled(name):
    """Class::Function as it stands in a linkage name."""
    return "".join(f"{len(part)}{part}" for part in name.split("::"))


def where(finding):
    site = finding["site"] or {"file": "", "line": 0}
    return os.path.basename(site["file"]), site["line"]
