"""A program's functions as trees with byte offsets, read by clang.

Only what is defined in the units themselves, and ran in the recorded base, is read below its
head. A node's text stands in the file as it is: nodes that begin or end in the middle of a
macro are marked, since no edit can be made there.
"""

import bisect
import re

import clang.cindex as cindex
from clang.cindex import CursorKind

import programs
from judge import plain

STATEMENTS = {CursorKind.COMPOUND_STMT, CursorKind.IF_STMT, CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT,
              CursorKind.CXX_FOR_RANGE_STMT, CursorKind.RETURN_STMT, CursorKind.DECL_STMT, CursorKind.BREAK_STMT,
              CursorKind.CONTINUE_STMT, CursorKind.GOTO_STMT, CursorKind.LABEL_STMT, CursorKind.SWITCH_STMT,
              CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT, CursorKind.NULL_STMT, CursorKind.CXX_TRY_STMT}
LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR}
SCOPES = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL, CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL}
REFERENCES = {CursorKind.CALL_EXPR, CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR}


def canonical(name):
    """A linkage name with all of a constructor's or a destructor's entries as one."""
    name = plain(name)
    return re.sub(r"([CD])[0-5](?=[EI])", r"\g<1>1", name) if name.startswith("_Z") else name


class Node:
    __slots__ = ("kind", "start", "end", "children", "parent", "name", "callee", "target", "type", "whole")

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def of(self, *kinds):
        return (node for node in self.walk() if node.kind in kinds)

    def above(self):
        node = self.parent
        while node:
            yield node
            node = node.parent

    def __contains__(self, other):
        return self.start <= other.start and other.end <= self.end


class Function:
    """One definition in a unit: its names, extent, body and parameters."""

    def __init__(self, unit, cursor, scopes):
        self.unit, self.cursor, self.scopes = unit, cursor, scopes
        self.name, self.linkage = cursor.spelling, canonical(cursor.mangled_name or cursor.spelling)
        self.start, self.end = cursor.extent.start.offset, cursor.extent.end.offset
        self.is_static = cursor.linkage == cindex.LinkageKind.INTERNAL
        self.is_free = cursor.kind == CursorKind.FUNCTION_DECL
        self.node = None

    def read(self):
        if self.node is None:
            self.node = self.unit.node(self.cursor, None)
            self.parameters = [n for n in self.node.children if n.kind == CursorKind.PARM_DECL]
            self.body = next((n for n in self.node.children if n.kind == CursorKind.COMPOUND_STMT), None)
        return self


class Unit:
    """One source file and the functions that it defines, in the order of the text."""

    def __init__(self, program, folder, file):
        self.file, self.program = file, program
        self.data = program.sources[file].encode(errors="surrogateescape")
        options = [o for o in program.options if not o.startswith("-O") and o != "-w"]
        self.translation = cindex.Index.create().parse(
            str(folder / file), args=[*[o.replace("-I", f"-I{folder}/") if o.startswith("-I") else o for o in options], f"-I{folder}", "-w",
                                      *(["-fpermissive"] if "-fpermissive" in options else [])],
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        self.path = str(folder / file)
        self.macros, self.functions = [], []
        self._scan(self.translation.cursor, ())
        self.macros.sort()
        self._starts = [start for start, _ in self.macros]

    def _here(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == self.path

    def _scan(self, cursor, scopes):
        for child in cursor.get_children():
            if not self._here(child):
                continue
            kind = child.kind
            if kind == CursorKind.MACRO_INSTANTIATION:
                self.macros.append((child.extent.start.offset, child.extent.end.offset))
            elif kind in SCOPES:
                self._scan(child, scopes + ((kind, child.spelling),))
            elif kind in FUNCTIONS and child.is_definition():
                self.functions.append(Function(self, child, scopes))

    def is_whole(self, start, end):
        """Whether the text stands for itself: no macro begins before and ends in it, or reverse."""
        at = max(0, bisect.bisect_right(self._starts, start) - 1)
        for first, last in self.macros[at:]:
            if first >= end:
                break
            if first <= start < last or first < end < last:
                return False
        return start < end

    def node(self, cursor, parent):
        made = Node()
        extent = cursor.extent
        made.kind, made.parent, made.name = cursor.kind, parent, cursor.spelling
        made.start, made.end = extent.start.offset, extent.end.offset
        made.callee = made.target = made.type = None
        if made.kind in REFERENCES:
            referenced = cursor.referenced
            if referenced is not None:
                if referenced.kind in FUNCTIONS:
                    made.callee = canonical(referenced.mangled_name or referenced.spelling)
                made.target = (referenced.kind, str(referenced.location.file), referenced.location.offset)
        elif made.kind in (CursorKind.VAR_DECL, CursorKind.PARM_DECL):
            made.type = cursor.type
            made.target = (made.kind, str(cursor.location.file), cursor.location.offset)
        made.whole = self.is_whole(made.start, made.end)
        made.children = [self.node(c, made) for c in cursor.get_children()]
        return made

    def text(self, node):
        return self.data[node.start:node.end]

    def line(self, offset):
        return self.data.count(b"\n", 0, offset) + 1

    def statement_end(self, node):
        """The end of a statement with its semicolon; None: there is none after it."""
        if node.kind in STATEMENTS and self.data[node.end - 1:node.end] in (b"}", b";"):
            return node.end
        found = re.compile(rb"\s*;").match(self.data, node.end)
        return found.end() if found else None


def read_units(program):
    """The units of a program, its own workload left out."""
    folder = programs.CACHE / "trees" / programs.digest(program.name, *[f"{k}{v}".encode(errors="surrogateescape") for k, v in sorted(program.sources.items())])
    for name, text in program.sources.items():
        path = folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, errors="surrogateescape")
    for file in program.units:
        if "_workload" not in file:
            yield Unit(program, folder, file)
