"""Base programs, drawn with a seed: layers of functions in files, classes and namespaces."""

import random

from refactorings.program_model import Call, Function, Program, Work

WORDS = ("parse scan merge fold index weigh pack probe route shift match build split trim hash walk level "
         "count track blend score clamp sweep align store fetch patch order bound spawn").split()
NOUNS = "Token Entry Block Table Cursor Batch Record Frame Node Queue".split()
ROUNDS = 40_000_000  # of work in a run with -O2


def draw(seed, optimised):
    d = random.Random(f"program {seed}")
    program = Program(f"p{seed}")
    files = [f"{word}.cc" for word in d.sample(["engine", "input", "tables", "output", "support", "cache"], d.randint(3, 5))]
    spaces = ["", d.choice(["core", "app"]), d.choice(["detail", "util"])]
    owners = {noun: (d.choice(spaces), d.choice(files)) for noun in d.sample(NOUNS, d.randint(2, 4))}
    layers, names = [], set()
    for size in [1, d.randint(2, 4)] + [d.randint(3, 7) for _ in range(d.randint(2, 3))]:
        layer = []
        for _ in range(size):
            name = next(n for n in iter(lambda: f"{d.choice(WORDS)}_{d.choice(NOUNS).lower()}", None) if n not in names)
            names.add(name)
            function = Function(name, d.choice(files), [], space=d.choice(spaces))
            if layers and d.random() < 0.35:
                function.owner = d.choice(sorted(owners))
                function.space, function.file = owners[function.owner]
            layer.append(program.add(function))
        layers.append(layer)
    for depth, layer in enumerate(layers):
        for number in layer:
            body = program.functions[number].body
            lower = layers[depth + 1] if depth + 1 < len(layers) else []
            below = d.sample(lower, min(len(lower), d.randint(1, 3)))
            if depth == 0:
                below = lower
            for callee in below:
                if d.random() < 0.5:
                    body.append(Work(d.randint(2, 24), d.randrange(3, 1000, 2)))
                body.append(Call(callee, d.randint(1, 4), d.choice([0, 0, 0, 1, 3])))
            body.append(Work(d.randint(4, 90) if not lower else d.randint(1, 20), d.randrange(3, 1000, 2)))
    called = {s.callee for f in program.functions.values() for s in f.body if isinstance(s, Call)}
    for number in [n for n in program.functions if n and n not in called]:
        caller = d.choice(layers[next(i for i, layer in enumerate(layers) if number in layer) - 1])
        program.functions[caller].body.append(Call(number, 1, 0))
    for number, function in program.functions.items():
        callers = {program.functions[c].file for c, _, _ in program.callers(number)}
        if number and not function.owner and d.random() < 0.5 and callers == {function.file}:
            function.linkage = "static"
    often, below = program.costs()
    program.iterations = max(1, round((ROUNDS if optimised else ROUNDS / 4) / below[0]))
    return program
