"""Count regressions within refactorings: the edit still comes first, with its line.

The cases of the part mutations, each with MOVES refactorings of other functions in the same change
(mutations/moves.py). What is true of a case, and its share, is that of the mutation alone.
"""

import collections
import dataclasses
import random

import mutations
import programs
from mutations import cases, moves, repeats
from mutations.edits import Edit, lines_after
from mutations.tokens import words

SEEDS = range(4)
MOVES = 3
TRIES = 20


def by_words(base, mutation):
    """The edits of a refactoring; a renamed word is an edit of its own, where a rule has one of the whole file."""
    for edit in mutation.edits:
        data = base.program.sources[edit.file].encode(errors="surrogateescape")
        if (edit.start, edit.end) != (0, len(data)):
            yield edit
            continue
        for (offset, before), (_, after) in zip(words(data), words(edit.text)):
            if before != after:
                yield Edit(edit.file, offset, offset + len(before), after)


def overlap(edits):
    ordered = sorted(edits, key=lambda e: (e.file, e.start, e.end))
    return any(a.file == b.file and a.end > b.start for a, b in zip(ordered, ordered[1:]))


def within_moves(base, mutation, places, chance):
    """The mutation with refactorings of other functions, or None."""
    edits, what = list(mutation.edits), []
    rules = sorted(places)
    for _ in range(TRIES):
        move = chance.choice(places[chance.choice(rules)])
        if move.new_units or move.function == mutation.function or move.function in what or not move.make():
            continue
        more = list(by_words(base, move))
        if overlap(edits + more):
            continue
        edits += more
        what.append(move.function)
        if len(what) == MOVES:
            return dataclasses.replace(mutation, edits=edits, what=", ".join(what))
    return None


def mutation_of(base, case, places):
    """The mutation with its edits of a case that was drawn."""
    for mutation in places[case.mutation.rule]:
        if mutation.function == case.mutation.function and mutation.make():
            site = lines_after(base.program.sources, mutation.edits, mutation.file, mutation.site)
            if list(site) == list(case.site) and cases.tried(base, mutation)[1] == case.binary:
                return mutation
    return None


def case_of(base, alone, mutation, places, label, tally):
    chance = random.Random(f"{label} {alone.label}")
    for _ in range(TRIES):
        mixed = within_moves(base, mutation, places, chance)
        why, binary = cases.tried(base, mixed) if mixed else ("have no place", None)
        tally[why] += 1
        if not why:
            span, site = (lines_after(base.program.sources, mixed.edits, mixed.file, s) for s in (mixed.span, mixed.site))
            case = cases.Drawn(base, mixed, binary, label, span, site)
            case.share = alone.share
            return case
    return None


def measure(judge, runtime, only, quick, report, seeds=SEEDS):
    rows, tally = [], collections.defaultdict(collections.Counter)
    for name, program in programs.all_programs(only).items():
        base = cases.Base(judge, program, runtime)
        alone = list(mutations.regressions(base, seeds[:2] if quick else seeds, collections.Counter()))
        edits = mutations.places_of(base, repeats.RULES, mutations.MATERIAL, mutations.may_matter)
        places = mutations.places_of(base, moves.RULES, 0.005, lambda base, mutation: True)
        for seed, case in alone:
            mutation = mutation_of(base, case, edits)
            mixed = mutation and case_of(base, case, mutation, places, f"{name}-mixed-{seed:02d}", tally[name])
            if mixed:
                rows.append({"case": mixed, "name": name, "seed": seed, **mutations.verdict_on(mixed)})
                print(mutations.line_of(rows[-1]), mixed.mutation.what, flush=True)
    mutations.table(rows, tally, report)
