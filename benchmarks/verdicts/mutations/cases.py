"""Cases by draw: a mutation of a program that compiles, prints the same, and what it changed.

A seed and a program give a case. The draw goes over rules first, then over functions and places
of that rule, so that no rule and no function is most of the cases. What it draws in vain is counted:
mutations that do not compile, print something else, or change no call.
"""

import collections
import functools
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import types

import counts
import programs
from mutations.coverage import executed
from mutations.edits import Mutation, apply, lines_after
from mutations.source import canonical

BASE_RUNS, HEAD_RUNS = 5, 2
TRIES = 60  # of one seed, before it gives no case
MOST = 2  # cases of one edited function
PATIENCE = 12  # times as long as the base may a mutated program run, and 5 s


def folded(listing):
    """A listing's {function: calls} and {arc: calls} by canonical names."""
    functions, arcs = collections.Counter(), collections.Counter()
    for name, (calls, _) in listing[0].items():
        functions[canonical(name)] += calls
    for (caller, callee), calls in listing[1].items():
        arcs[(canonical(caller), canonical(callee))] += calls
    return functions, arcs


class Base:
    """A program as it is: built, recorded, with what its functions cost."""

    def __init__(self, judge, program, runtime):
        self.judge, self.program, self.runtime = judge, program, runtime
        self.binary = programs.build(program, program.sources, runtime)
        self.runs = programs.runs_of(program, self.binary, BASE_RUNS)
        self.pricing = counts.costs(judge, self.binary, self.runs)
        listings = [folded(judge.listing(self.binary, run)) for run in self.runs]
        self.functions, self.arcs = listings[0]
        # With varying threads, the most frequent count; a call has risen if it is more than that.
        self.most = {arc: max(arcs[arc] for _, arcs in listings) for arc in {a for _, arcs in listings for a in arcs}}
        self.varies = any(arcs != self.arcs for _, arcs in listings)
        self.incoming = collections.Counter()
        for (_, callee), calls in self.arcs.items():
            self.incoming[callee] += calls
        self.taken = {self.binary}
        self.lines = executed(program)
        self.edited = collections.Counter()
        self.shares = self._shares()

    @functools.cached_property
    def printed(self):
        """What it prints, and its processor seconds."""
        output, seconds = printed(self.program, self.binary)
        if output is None:
            raise SystemExit(f"{self.program.name} does not end as it should")
        return output, seconds

    def _shares(self):
        """Each function's share of the program's time, with what it calls."""
        price, mean, total = self.pricing
        own = {name: calls * price.get(name, mean) for name, calls in self.functions.items()}
        value = dict(own)
        for _ in range(40):  # along arcs; what goes round in a circle is cut off at the whole
            below = collections.defaultdict(float)
            for (caller, callee), calls in self.arcs.items():
                if caller != callee and self.incoming[callee]:
                    below[caller] += value.get(callee, 0.0) * calls / self.incoming[callee]
            value = {name: min(own[name] + below[name], total) for name in own}
        return {name: seconds / total for name, seconds in value.items()}


def printed(program, binary, patience=600.0):
    """What a recorded run prints, the first of its runs; None: it fails. And its processor seconds."""
    folder = programs.run_folder(program, binary) / "run00"
    folder.parent.mkdir(parents=True, exist_ok=True)
    staged = pathlib.Path(tempfile.mkdtemp(dir=folder.parent, prefix=".run"))
    variables = {"PATH": "/usr/bin:/bin", "HOME": "/", "GPROFHUB_GMON": "0", "GPROFHUB_SAMPLE_RATE": "1000",
                 "GPROFHUB_PROFILE_DIR": str(staged)}
    before, output = os.times(), None
    try:
        with programs.beside(staged, program.arguments) as given:
            done = subprocess.run(["nice", "-n", "10", "setarch", "-R", str(binary), *given], env=variables, cwd=staged,
                                  capture_output=True, timeout=patience)
        if done.returncode == 0:
            output = done.stdout
    except subprocess.TimeoutExpired:
        pass
    after = os.times()
    if output is None or folder.exists():
        shutil.rmtree(staged)
    else:
        staged.rename(folder)
    return output, after.children_user + after.children_system - before.children_user - before.children_system


def tried(base, mutation):
    """("", binary) of a mutated program that prints the same, or (why it is no case, None)."""
    sources = apply(base.program.sources, mutation.edits)
    program = base.program
    if mutation.new_units:
        program = types.SimpleNamespace(**{**vars(program), "units": program.units + list(mutation.new_units)})
    changed = [sources[f] for f in sorted(sources) if sources[f] != base.program.sources.get(f)]
    key = programs.digest(base.binary, *[text.encode(errors="surrogateescape") for text in changed])
    kept = programs.CACHE / "mutations" / "tries" / f"{key}.json"
    if kept.exists():
        said = json.loads(kept.read_text())
        if said["why"] or pathlib.Path(said["binary"]).exists():
            return said["why"], said["binary"] and pathlib.Path(said["binary"])
    why, binary = "", None
    try:
        binary = programs.build(program, sources, base.runtime)
    except SystemExit:
        why = "do not compile"
    if binary == base.binary:
        why = "are the same program"
    elif binary and printed(program, binary, 5 + PATIENCE * max(base.printed[1], 0.5))[0] != base.printed[0]:
        why = "print something else"
        shutil.rmtree(binary.parent)
        shutil.rmtree(programs.run_folder(program, binary), ignore_errors=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"why": why, "binary": None if why else str(binary)}))
    return why, None if why else binary


class Drawn:
    """One case: the mutation, its program and runs, and what it changed by count."""

    def __init__(self, base, mutation, binary, label, span, site):
        self.base, self.mutation, self.binary, self.label = base, mutation, binary, label
        self.span, self.site = span, site  # lines of the edited function, and of the edit in it
        first = programs.runs_of(base.program, binary, 1)
        _, arcs = folded(base.judge.listing(binary, first[0]))
        self.risen = {arc: count - base.most.get(arc, 0) for arc, count in arcs.items() if count > base.most.get(arc, 0)}
        self.share = counts.share_added(base.judge, base.binary, base.runs, binary, first, *base.pricing)

    @functools.cached_property
    def runs(self):
        return programs.runs_of(self.base.program, self.binary, HEAD_RUNS)

    def has_risen_again(self):
        """Whether another run says so, too; where threads vary, of a call out of the edited function."""
        _, arcs = folded(self.base.judge.listing(self.binary, self.runs[1]))
        self.risen = {arc: count for arc, count in self.risen.items() if arcs[arc] > self.base.most.get(arc, 0) and
                      (arc[0] == self.mutation.function or not self.base.varies)}
        return bool(self.risen)

    def document(self):
        return self.base.judge.compare(self.base.runs, self.runs, self.label)

    def command(self):
        return " ".join(self.base.judge.command(self.base.runs, self.runs, self.label))

    def text(self):
        """The lines of the report in the terminal, 120 columns wide, and its seconds."""
        return self.base.judge.text(self.base.runs, self.runs, self.label)


def draw(base, places, seed, is_case, label, tally):
    """The case of a seed, or None; `places` is {rule: [mutation]}. Vain tries go to `tally`."""
    chance = random.Random(f"{base.program.name} {label} {seed}")
    left = collections.defaultdict(lambda: collections.defaultdict(list))
    for rule, found in places.items():
        for mutation in found:
            left[rule][mutation.function].append(mutation)
    for _ in range(TRIES):
        if not left:
            return None
        rule = chance.choice(sorted(left))
        function = chance.choice(sorted(left[rule]))
        mutation = left[rule][function].pop(chance.randrange(len(left[rule][function])))
        if not left[rule][function]:
            del left[rule][function]
        if not left[rule]:
            del left[rule]
        if base.edited[label, function] >= MOST:
            continue
        why, binary = tried(base, mutation) if mutation.make() else ("have no place", None)
        if not why and binary in base.taken:
            why = "are cases of another seed"
        if not why:
            base.taken.add(binary)  # whether it is one or not
            span, site = (lines_after(base.program.sources, mutation.edits, mutation.file, s) for s in (mutation.span, mutation.site))
            case = Drawn(base, mutation, binary, f"{base.program.name}-{label}-{seed:02d}", span, site)
            why = is_case(case)
        tally[why] += 1
        if not why:
            return case
    return None


def cases_of(base, find_places, seeds, is_case, label, tally):
    """The cases of the seeds. What was drawn is kept: another judge needs no sources to be read."""
    here = pathlib.Path(__file__)
    engine = programs.digest(*[path.read_bytes() for path in [*sorted(here.parent.glob("*.py")), here.parents[1] / "counts.py"]])
    places = None
    for seed in seeds:
        key = programs.digest(engine, programs.run_folder(base.program, base.binary), label, seed)
        kept = programs.CACHE / "mutations" / "drawn" / f"{key}.json"
        said = json.loads(kept.read_text()) if kept.exists() else None
        if said and said["case"] and not pathlib.Path(said["case"]["binary"]).exists():
            said = None
        if said:
            drawn = said["case"]
            case = drawn and Drawn(base, Mutation(drawn["rule"], drawn["file"], drawn["function"], [], what=drawn["what"]),
                                   pathlib.Path(drawn["binary"]), f"{base.program.name}-{label}-{seed:02d}", drawn["span"], drawn["site"])
        else:
            places = find_places() if places is None else places
            vain = collections.Counter()
            case = draw(base, places, seed, is_case, label, vain)
            said = {"tally": vain, "case": case and {
                "rule": case.mutation.rule, "file": case.mutation.file, "function": case.mutation.function, "what": case.mutation.what,
                "binary": str(case.binary), "span": case.span, "site": case.site}}
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(said))
        tally.update(said["tally"])
        if case:
            base.taken.add(case.binary)
            base.edited[label, case.mutation.function] += 1
            yield seed, case
