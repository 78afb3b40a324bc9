"""Refactorings as steps on a program, and regressions to plant beside them.

A step draws what it works on, changes the program, and returns the functions that took
part; None: the program has nothing of the kind. Nothing of them changes what the program
prints, nor how often work is done.
"""

from refactorings.program_model import Call, Function, Inlined, Pass, Work

MATTERS = 0.02  # share of the program's work from which on a function takes part
PLANTED = (0.03, 0.5)  # share of the work that a planted regression adds


def free(f):
    return not f.owner and f.linkage in ("global", "static")


def choose(d, program, wanted):
    often, below = program.costs()
    fit = [n for n, f in program.functions.items() if n and wanted(n, f) and often[n] * below[n] >= MATTERS * below[0]]
    return d.choice(fit) if fit else None


def fresh(d, program, stem):
    names = {f.name for f in program.functions.values()}
    return next(n for n in iter(lambda: f"{stem}_{d.choice(['v2', 'impl', 'step', 'part', 'core', 'next'])}{d.randint(1, 99)}", None)
                if n not in names)


def rename_function(d, program):
    n = choose(d, program, lambda n, f: True)
    program.functions[n].name = "do_" + program.functions[n].name[::-1]
    return {n}


def rename_class(d, program):
    owners = sorted({f.owner for f in program.functions.values() if f.owner})
    if not owners:
        return None
    owner = d.choice(owners)
    part = {n for n, f in program.functions.items() if f.owner == owner}
    for n in part:
        program.functions[n].owner = "Renamed" + owner[:3]
    return part


def rename_namespace(d, program):
    spaces = sorted({f.space for f in program.functions.values() if f.space})
    if not spaces:
        return None
    space = d.choice(spaces)
    part = {n for n, f in program.functions.items() if f.space == space}
    for n in part:
        program.functions[n].space = "library"
    return part


def opened(program, n):
    """A static function that is called from another file is none."""
    f = program.functions[n]
    used = {program.functions[c].file for c, _, _ in program.callers(n)}
    if f.linkage == "static" and used != {f.file}:
        f.linkage = "global"
    for other in program.functions:
        g = program.functions[other]
        if g.linkage == "static" and {program.functions[c].file for c, _, _ in program.callers(other)} - {g.file}:
            g.linkage = "global"


def move_to_file(d, program):
    n = choose(d, program, lambda n, f: free(f) and len(program.files()) > 1)
    if n is None:
        return None
    f = program.functions[n]
    f.file = d.choice([g for g in program.files() + ["moved.cc"] if g != f.file])
    opened(program, n)
    return {n}


def move_to_namespace(d, program):
    n = choose(d, program, lambda n, f: free(f))
    if n is None:
        return None
    f = program.functions[n]
    f.space = d.choice([s for s in ("", "core", "elsewhere") if s != f.space])
    return {n}


def add_parameter(d, program):
    n = choose(d, program, lambda n, f: True)
    program.functions[n].extra += d.randint(1, 2)
    return {n}


def number_by_reference(d, program):
    n = choose(d, program, lambda n, f: True)
    program.functions[n].by_reference = True
    return {n}


def taken_out(d, program, n, first, end):
    f = program.functions[n]
    static = d.random() < 0.5 and not f.owner and f.linkage in ("global", "static")
    made = program.add(Function(fresh(d, program, f.name), f.file, f.body[first:end], f.space, "",
                                "static" if static else "global"))
    f.body[first:end] = [Pass(made)]
    return {n, made}


def split_function(d, program):
    n = choose(d, program, lambda n, f: len(f.body) >= 2 and f.linkage in ("global", "static"))
    if n is None:
        return None
    size = len(program.functions[n].body)
    return taken_out(d, program, n, d.randint(1, size - 1), size)


def extract_helper(d, program):
    n = choose(d, program, lambda n, f: len(f.body) >= 3 and f.linkage in ("global", "static"))
    if n is None:
        return None
    first = d.randint(0, len(program.functions[n].body) - 2)
    return taken_out(d, program, n, first, first + 1)


def put_behind_wrapper(d, program):
    n = choose(d, program, lambda n, f: f.linkage == "global")
    return None if n is None else taken_out(d, program, n, 0, len(program.functions[n].body))


def make_member(d, program):
    n = choose(d, program, lambda n, f: free(f))
    homes = sorted({(f.owner, f.space, f.file) for f in program.functions.values() if f.owner})
    if n is None or not homes:
        return None
    f = program.functions[n]
    f.owner, f.space, f.file = d.choice(homes)
    f.linkage = "global"
    opened(program, n)
    return {n}


def make_free(d, program):
    n = choose(d, program, lambda n, f: f.owner)
    if n is None:
        return None
    program.functions[n].owner = ""
    return {n}


def make_template(d, program):
    n = choose(d, program, lambda n, f: free(f))
    if n is None:
        return None
    program.functions[n].linkage = "template"
    opened(program, n)
    for c in called_by(program, n):
        if program.functions[c].linkage == "static":
            program.functions[c].linkage = "global"
    return {n}


def move_to_header(d, program):
    n = choose(d, program, lambda n, f: free(f))
    if n is None:
        return None
    program.functions[n].linkage = "inline"
    for c in called_by(program, n):
        if program.functions[c].linkage == "static":
            program.functions[c].linkage = "global"
    return {n}


def called_by(program, n):
    return {s.callee for s in program.functions[n].body if hasattr(s, "callee")}


def inline_by_hand(d, program):
    n = choose(d, program, lambda n, f: program.functions[n].linkage in ("global", "static") and
               all(isinstance(body[i], Call) for _, body, i in program.callers(n)))
    if n is None:
        return None
    callers = program.callers(n)
    for _, body, i in callers:
        call = body[i]
        body[i] = Inlined([s for s in program.functions[n].body], call.times, call.mask)
    del program.functions[n]
    for other in program.functions:
        opened(program, other)
    return {n} | {c for c, _, _ in callers}


def reorder(d, program):
    order = list(program.functions)
    rest = order[1:]
    d.shuffle(rest)
    program.functions = {n: program.functions[n] for n in [0] + rest}
    return set()


def toggle_static(d, program):
    n = choose(d, program, lambda n, f: free(f) and (
        f.linkage == "static" or {program.functions[c].file for c, _, _ in program.callers(n)} == {f.file}))
    if n is None:
        return None
    f = program.functions[n]
    f.linkage = "global" if f.linkage == "static" else "static"
    return {n}


def rename_file(d, program):
    file = d.choice(program.files())
    part = {n for n, f in program.functions.items() if f.file == file}
    for n in part:
        program.functions[n].file = "renamed_" + file
    return part


def merge_files(d, program):
    if len(program.files()) < 2:
        return None
    gone, into = d.sample(program.files(), 2)
    part = {n for n, f in program.functions.items() if f.file == gone}
    for n in part:
        program.functions[n].file = into
    return part


STEPS = (rename_function, rename_class, rename_namespace, move_to_file, move_to_namespace, add_parameter,
         number_by_reference, split_function, extract_helper, put_behind_wrapper, make_member, make_free,
         make_template, move_to_header, inline_by_hand, reorder, toggle_static, rename_file, merge_files)


def plant(d, program, spared):
    """Makes a call twice as often. (caller, callee, the caller's file); None: there is none that matters and cannot be inlined."""
    often, below = program.costs()
    fit = []
    for caller, f in program.functions.items():
        for s in f.body:
            if not isinstance(s, Call) or s.callee in spared or caller in spared:
                continue
            g = program.functions[s.callee]
            added = often[caller] * s.times / (s.mask + 1) * below[s.callee] / below[0]
            if g.linkage == "global" and g.file != f.file and PLANTED[0] <= added <= PLANTED[1]:
                fit.append((f, s, g))
    if not fit:
        return None
    f, s, g = d.choice(fit)
    f.body.insert(f.body.index(s) + 1, Call(s.callee, s.times, s.mask, is_planted=True))
    return f.name, g.name, f.file
