"""C++ programs as values: functions in files, what each does, and its text.

A function takes a state and a number, and returns a number. Its body is a list of
statements: work in a loop, calls of other functions, and what a refactoring leaves of
them. All arithmetic is unsigned and whole, so that a program prints the same whatever
compiles it, and a refactoring that changes what is printed is none.
"""

import copy
import dataclasses

HEADER = "program.h"
CALL_COST = 8  # of a call, in rounds of work


@dataclasses.dataclass
class Work:
    rounds: int
    factor: int


@dataclasses.dataclass
class Call:
    """`times` calls where the number's bits of `mask` are 0."""
    callee: int
    times: int
    mask: int
    is_planted: bool = False  # works on a state of its own, so that nothing else does more or less


@dataclasses.dataclass
class Pass:
    """One call with the number as it is; its result takes the number's place."""
    callee: int


@dataclasses.dataclass
class Inlined:
    """A call with the body in the place of the callee."""
    body: list
    times: int
    mask: int


@dataclasses.dataclass
class Function:
    name: str
    file: str
    body: list
    space: str = ""  # namespace
    owner: str = ""  # class
    linkage: str = "global"  # or static, template, inline (in the header)
    extra: int = 0  # parameters that nobody reads
    by_reference: bool = False  # the number is taken by reference to const


class Program:
    def __init__(self, name):
        self.name = name
        self.functions = {}  # by number, in the order of the text; 0 is called by main
        self.iterations = 1

    def copy(self):
        return copy.deepcopy(self)

    def add(self, function):
        number = max(self.functions, default=-1) + 1
        self.functions[number] = function
        return number

    def files(self):
        return sorted({f.file for f in self.functions.values()})

    def callers(self, number):
        """(function, statement list, place in it) of each call of it."""
        found = []
        for caller, function in self.functions.items():
            for body in bodies(function.body):
                found += [(caller, body, i) for i, s in enumerate(body) if getattr(s, "callee", None) == number]
        return found

    def costs(self):
        """By function: how often one iteration calls it, and its cost with all that it calls."""
        below, often = {}, dict.fromkeys(self.functions, 0.0)

        def cost_of(body):
            total = 0.0
            for s in body:
                if isinstance(s, Work):
                    total += s.rounds
                elif isinstance(s, Inlined):
                    total += chance(s) * cost_of(s.body)
                else:
                    total += chance(s) * (CALL_COST + cost(s.callee))
            return total

        def cost(number):
            if number not in below:
                below[number] = cost_of(self.functions[number].body)
            return below[number]

        def spread(body, rate):
            for s in body:
                if isinstance(s, Inlined):
                    spread(s.body, rate * chance(s))
                elif not isinstance(s, Work):
                    often[s.callee] += rate * chance(s)
                    spread(self.functions[s.callee].body, rate * chance(s))

        cost(0)
        often[0] = 1.0
        spread(self.functions[0].body, 1.0)
        for number in self.functions:
            cost(number)
        return often, below

    def sources(self):
        """{file: text}, and those that are compiled."""
        texts = {HEADER: self._header(), "main.cc": self._main()}
        for file in self.files():
            texts[file] = self._unit(file)
        return texts

    def _header(self):
        lines = ["#pragma once", "struct State { unsigned long cells[1024]; };", "extern State spare;"]
        for owner in sorted({f.owner for f in self.functions.values() if f.owner}):
            members = [f for f in self.functions.values() if f.owner == owner]
            space = members[0].space
            lines.append(f"namespace {space} {{" if space else "")
            lines.append(f"struct {owner} {{")
            lines += [f"  {self._head(f, False, declared=True)};" for f in members]
            lines += ["};", f"extern {owner} the_{owner.lower()};", "}" if space else ""]
        for f in self.functions.values():
            if not f.owner and f.linkage != "static":
                lines.append(in_space(f, template_of(f) + self._head(f, False, declared=True) + ";"))
        lines += [self._definition(f) for f in self.functions.values() if f.linkage in ("template", "inline")]
        return "\n".join(lines) + "\n"

    def _unit(self, file):
        lines = [f'#include "{HEADER}"']
        mine = [f for f in self.functions.values() if f.file == file and f.linkage in ("global", "static")]
        lines += [in_space(f, self._head(f, False, declared=True) + ";") for f in mine if f.linkage == "static"]
        owners = {}
        for f in self.functions.values():
            if f.owner:
                owners.setdefault(f.owner, f)
        lines += [in_space(f, f"{o} the_{o.lower()};") for o, f in owners.items() if f.file == file]
        lines += [self._definition(f) for f in mine]
        return "\n".join(lines) + "\n"

    def _main(self):
        return (f'#include <cstdio>\n#include <cstdlib>\n#include "{HEADER}"\nstatic State state;\nState spare;\n'
                "int main(int, char** arguments) {\n  unsigned long x = 1;\n"
                "  const unsigned long count = std::strtoul(arguments[1], nullptr, 10);\n"
                "  for (unsigned long i = 0; i < 1024; ++i) state.cells[i] = i * 2654435761ul;\n"
                f"  for (unsigned long i = 0; i < count; ++i) x += {self._called(0, 'state', 'x + i')};\n"
                '  std::printf("%lu\\n", x);\n}\n')

    def _head(self, f, qualified, declared=False):
        number = "const unsigned long& x0" if f.by_reference else "unsigned long x0"
        extra = "".join(f", int unused{i}{' = 0' if declared else ''}" for i in range(f.extra))
        static = {"static": "static ", "inline": "inline "}.get(f.linkage, "")
        scope = f"{f.owner}::" if f.owner and qualified else ""
        kind = "T" if f.linkage == "template" else "unsigned long"
        return f"{static}{kind} {scope}{f.name}(State& s, {number}{extra})"

    def _definition(self, f):
        lines = [template_of(f) + self._head(f, True) + " {"]
        first = "x"
        lines += [f"  (void)unused{i};" for i in range(f.extra)]
        lines.append(f"  unsigned long {first} = x0;")
        lines += self._statements(f.body, first, 1)
        lines += [f"  return {first};", "}"]
        return in_space(f, "\n".join(lines))

    def _called(self, number, state, argument):
        f = self.functions[number]
        space = f"{f.space}::" if f.space else ""
        kind = "<unsigned long>" if f.linkage == "template" else ""
        return f"{space}{f'the_{f.owner.lower()}.' if f.owner else ''}{f.name}{kind}({state}, {argument})"

    def _statements(self, body, x, depth):
        pad, lines = "  " * depth, []
        for s in body:
            i = f"i{depth}"
            if isinstance(s, Work):
                lines += [f"{pad}for (unsigned {i} = 0; {i} < {s.rounds}; ++{i}) {{",
                          f"{pad}  {x} = {x} * {s.factor}ul + s.cells[({x} >> 7) & 1023];",
                          f"{pad}  s.cells[{x} & 1023] ^= {x};", f"{pad}}}"]
            elif isinstance(s, Pass):
                lines.append(f"{pad}{x} = {self._called(s.callee, 's', x)};")
            else:
                if s.mask:
                    lines.append(f"{pad}if ((({x} >> 11) & {s.mask}) == 0)")
                lines.append(f"{pad}for (unsigned {i} = 0; {i} < {s.times}; ++{i}) {{")
                if isinstance(s, Call) and s.is_planted:
                    lines.append(f"{pad}  {self._called(s.callee, 'spare', f'{x} + {i}')};")
                elif isinstance(s, Call):
                    lines.append(f"{pad}  {x} += {self._called(s.callee, 's', f'{x} + {i}')};")
                else:
                    lines.append(f"{pad}  unsigned long {x}{depth} = {x} + {i};")
                    lines += self._statements(s.body, f"{x}{depth}", depth + 1)
                    lines.append(f"{pad}  {x} += {x}{depth};")
                lines.append(f"{pad}}}")
        return lines


def bodies(body):
    """The list and those within its statements."""
    yield body
    for s in body:
        if isinstance(s, Inlined):
            yield from bodies(s.body)


def chance(s):
    return 1.0 if isinstance(s, Pass) else s.times / (s.mask + 1)


def template_of(f):
    return "template <typename T> " if f.linkage == "template" else ""


def in_space(f, text):
    return f"namespace {f.space} {{\n{text}\n}}" if f.space else text
