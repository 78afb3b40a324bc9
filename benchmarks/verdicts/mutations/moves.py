"""Refactorings by rule of real programs: the same work in other functions, names and places.

Each rule yields its places of one function; the program must print the same afterwards. That
calls are not more by any of them is so by construction: nothing is evaluated twice.
"""

import random
import re

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from mutations.edits import Edit, Mutation
from mutations.source import LOOPS, STATEMENTS
from mutations.tokens import closing, renamed, words

SCALARS = {TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.UCHAR, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.USHORT, TypeKind.INT,
           TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG, TypeKind.ULONGLONG, TypeKind.FLOAT,
           TypeKind.DOUBLE, TypeKind.POINTER, TypeKind.ENUM}
LEAVING = (Kind.RETURN_STMT, Kind.GOTO_STMT, Kind.LABEL_STMT, Kind.BREAK_STMT, Kind.CONTINUE_STMT, Kind.CASE_STMT,
           Kind.DEFAULT_STMT, Kind.INDIRECT_GOTO_STMT)


def is_cplusplus(f):
    return not f.unit.file.endswith(".c")


def made(rule, f, edits, new_units=(), what=""):
    return Mutation(rule, f.unit.file, f.linkage, edits, (f.start, f.end), (f.start, f.end), (), tuple(new_units), what)


def rename_function(f):
    name = f.name.encode()
    if f.cursor.kind in (Kind.CONSTRUCTOR, Kind.DESTRUCTOR) or not re.fullmatch(rb"[A-Za-z_]\w*", name) or name == b"main":
        return
    new = b"do_" + name[::-1].strip(b"_") + b"_now"

    def edits():
        for file, text in f.unit.program.sources.items():
            data = text.encode(errors="surrogateescape")
            changed = renamed(data, name, new)
            if changed != data:
                yield Edit(file, 0, len(data), changed)

    yield made("function renamed", f, edits, what=new.decode())


def _head(f):
    """The text of a definition before its body."""
    return f.unit.data[f.start:f.body.start].rstrip()


def _wrapped(f, text):
    for kind, name in reversed(f.scopes):
        if kind == Kind.NAMESPACE:
            text = b"namespace " + name.encode() + b" {\n" + text + b"\n}\n"
        elif kind in (Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL):
            text = b'extern "C" {\n' + text + b"\n}\n"
        else:
            return None
    return text


def _is_declared(f):
    return f.cursor.canonical != f.cursor


def _taken_away(f):
    """The edit that leaves a declaration in the definition's place, and the definition's text."""
    text = _wrapped(f, f.unit.data[f.start:f.end])
    left = b"" if _is_declared(f) else _head(f) + b";"
    if text is None or not f.node.whole or b"\n#" in text or b")" not in left[-8:] + b")":
        return None, None
    return Edit(f.unit.file, f.start, f.end, left), text


def move_within_file(f):
    edit, text = _taken_away(f)
    if edit:
        end = len(f.unit.data)
        yield made("function moved within its file", f, [edit, Edit(f.unit.file, end, end, b"\n" + text + b"\n")])


def reorder_functions(f):
    """Some of the file's functions to its end, in another order; `f` is among them."""
    def edits():
        chance = random.Random(f.linkage)
        others = [g for g in f.unit.functions if g is not f]
        moved, end = [], len(f.unit.data)
        for g in [f] + chance.sample(others, min(len(others), 4)):
            edit, text = _taken_away(g.read()) if g.read().body else (None, None)
            if edit and all(edit.end <= e.start or e.end <= edit.start for e, _ in moved):
                moved.append((edit, text))
        chance.shuffle(moved)
        if len(moved) > 1:
            yield from (edit for edit, _ in moved)
            yield Edit(f.unit.file, end, end, b"\n" + b"\n".join(text for _, text in moved))

    yield made("functions reordered", f, edits)


def move_to_new_file(f):
    data = f.unit.data
    text = _wrapped(f, data[f.start:f.end])
    if text is None or not f.node.whole or b"\n#" in text or (f.is_static and _is_declared(f)):
        return
    folder, _, name = f.unit.file.rpartition("/")
    new = (folder + "/" if folder else "") + "moved_" + name
    left, moved = b"", text
    if f.is_static:
        head = re.sub(rb"\b(static|local|inline)\b\s*", b"", _head(f))
        left, moved = head + b";", _wrapped(f, head + b" " + data[f.body.start:f.end])
    elif not _is_declared(f):
        return

    def edits():
        before = re.findall(rb"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|^using [^\n]*;", data[:f.start], re.M)
        yield Edit(f.unit.file, f.start, f.end, left)
        yield Edit(new, 0, 0, b"\n".join(before) + b"\n\n" + moved + b"\n")

    yield made("function moved to a new file", f, edits, [new])


def add_parameter(f):
    """An argument that nobody reads, for a function of one file that is only called."""
    if f.is_static and f.is_free:
        yield made("parameter added", f, lambda: _added_parameter(f))


def _added_parameter(f):
    data, name, edits = f.unit.data, f.name.encode(), []
    declared = {c.location.offset for c in f.unit.translation.cursor.walk_preorder()
                if c.kind == Kind.FUNCTION_DECL and c.spelling == f.name} if not f.scopes else {f.cursor.location.offset}
    for offset, word in words(data):
        if word != name:
            continue
        at = offset + len(name)
        while data[at:at + 1].isspace():
            at += 1
        end = closing(data, at) if data[at:at + 1] == b"(" else None
        if end is None:
            return []
        inside = data[at + 1:end].strip()
        is_declaration = offset in declared
        new = b"int unused_" if is_declaration else b"0"
        if inside in (b"", b"void"):
            edits.append(Edit(f.unit.file, at + 1, end, new))
        else:
            edits.append(Edit(f.unit.file, end, end, b", " + new))
    return edits


def _is_written(unit, use):
    before = unit.data[max(0, use.start - 40):use.start].rstrip()
    after = unit.data[use.end:use.end + 40].lstrip()
    return (before.endswith((b"&", b"++", b"--")) and not before.endswith(b"&&") or after.startswith((b"++", b"--", b"<<=", b">>=")) or
            re.match(rb"[-+*/|&%^]?=(?!=)", after) is not None or use.parent.kind == Kind.UNARY_OPERATOR)


def _declarations(f):
    return {n.target: n for n in f.node.of(Kind.VAR_DECL, Kind.PARM_DECL)}


def _parameters(f, inside, first, last):
    """[(name, type, how it is handed on, uses)] of what the statements use from outside; None: not possible."""
    known, wanted = _declarations(f), {}
    for node in inside:
        for use in node.of(Kind.DECL_REF_EXPR):
            declared = known.get(use.target)
            if declared is not None and not first <= declared.start < last:
                if not use.whole:
                    return None
                wanted.setdefault(use.target, (declared, []))[1].append(use)
    found = []
    for declared, uses in wanted.values():
        kind, spelled = declared.type, declared.type.get_canonical().spelling if is_cplusplus(f) else declared.type.spelling
        if any(word in spelled for word in ("(", "unnamed", "anonymous", "lambda", "auto")) or kind.spelling == "":
            return None
        if kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY):
            element = kind.element_type.spelling
            if "[" in element or "(" in element or any(b"sizeof" in f.unit.text(n) for n in inside):
                return None
            found.append((declared.name, element + " *", "value", uses))
        elif kind.get_canonical().kind in SCALARS and not any(_is_written(f.unit, use) for use in uses):
            found.append((declared.name, spelled, "value", uses))
        elif kind.kind == TypeKind.LVALUEREFERENCE:
            found.append((declared.name, spelled, "value", uses))
        else:
            found.append((declared.name, spelled, "reference" if is_cplusplus(f) else "pointer", uses))
    return found


def _may_stand_apart(f, inside, first, last, block_end):
    for node in inside:
        for exit_ in node.of(*LEAVING):
            if exit_.kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT, Kind.CASE_STMT, Kind.DEFAULT_STMT):
                holders = [n for n in exit_.above() if n.start >= first and n.end <= last and
                           (n.kind in LOOPS or (n.kind == Kind.SWITCH_STMT and exit_.kind != Kind.CONTINUE_STMT))]
                if holders:
                    continue
            return False
        if next(node.of(Kind.LAMBDA_EXPR), None):
            return False
    declared = {n.target for node in inside for n in node.of(Kind.VAR_DECL)}
    return not any(use.target in declared and use.start >= last for use in f.body.of(Kind.DECL_REF_EXPR))


def extract_function(f):
    unit, chance = f.unit, random.Random(f.linkage)
    if f.scopes and any(kind in (Kind.CLASS_DECL, Kind.STRUCT_DECL) for kind, _ in f.scopes) or not f.is_free:
        return
    for block in f.body.of(Kind.COMPOUND_STMT):
        statements = [c for c in block.children]
        if len(statements) < 2 or not block.whole:
            continue
        for i in range(len(statements)):
            size = chance.randint(1, 6)
            inside = statements[i:i + size]
            end = unit.statement_end(inside[-1])
            if end is None or not all(n.whole for n in inside) or (block is f.body and len(inside) == len(statements)):
                continue
            first = inside[0].start
            text = unit.data[first:end]
            if b"\n#" in text or not any(n.kind in LOOPS or n.kind == Kind.CALL_EXPR for s in inside for n in s.walk()) or \
                    not _may_stand_apart(f, inside, first, end, block.end):
                continue
            parameters = _parameters(f, inside, first, end)
            if parameters is None or len(parameters) > 8:
                continue
            changes = [Edit("", use.start - first, use.end - first, b"(*" + name.encode() + b")")
                       for name, _, how, uses in parameters if how == "pointer" for use in uses]
            for change in sorted(changes, key=lambda e: e.start, reverse=True):
                text = text[:change.start] + change.text + text[change.end:]
            sign = {"pointer": " *", "reference": " &", "value": " "}
            name = f"{f.name}_part"
            declared = ", ".join(f"{spelled}{sign[how]}{name_}" for name_, spelled, how, _ in parameters) or ("" if is_cplusplus(f) else "void")
            handed = ", ".join(("&" if how == "pointer" else "") + name_ for name_, _, how, _ in parameters)
            keep = "__attribute__((noinline)) " if chance.random() < 0.5 else ""
            function = f"static {keep}void {name}({declared}) {{\n".encode() + text + b"\n}\n\n"
            yield made("statements taken out", f, [Edit(unit.file, f.start, f.start, function),
                                                    Edit(unit.file, first, end, f"{name}({handed});".encode())], what=name)


def inline_by_hand(f):
    """A function that only returns an expression, in the place of its calls in its file."""
    if not f.is_static or not f.is_free or len(f.body.children) != 1 or not f.body.whole:
        return
    (statement,) = f.body.children
    if statement.kind == Kind.RETURN_STMT and statement.children:
        expression = statement.children[0]
    elif statement.kind not in STATEMENTS:
        expression = statement
    else:
        return
    unit, edits = f.unit, []
    numbers = {p.target: i for i, p in enumerate(f.parameters)}
    uses = [use for use in expression.of(Kind.DECL_REF_EXPR) if use.target in numbers]
    if not expression.whole or not all(u.whole for u in uses):
        return
    for g in unit.functions:
        if g is f or f.name.encode() not in unit.data[g.start:g.end]:
            continue
        for call in g.read().node.of(Kind.CALL_EXPR):
            if call.callee != f.linkage:
                continue
            given = call.children[1:]
            if len(given) != len(numbers) or not call.whole or not all(a.whole for a in given):
                return
            for i, argument in enumerate(given):
                written = unit.text(argument)
                often = sum(numbers[u.target] == i for u in uses)
                if often != 1 and (b"(" in written or b"=" in written or b"++" in written or b"--" in written):
                    return
            text, start = unit.text(expression), expression.start
            for use in sorted(uses, key=lambda u: u.start, reverse=True):
                text = text[:use.start - start] + b"(" + unit.text(given[numbers[use.target]]) + b")" + text[use.end - start:]
            edits.append(Edit(unit.file, call.start, call.end, b"(" + text + b")"))
    edits.sort(key=lambda e: e.start)
    if edits and all(a.end <= b.start for a, b in zip(edits, edits[1:])):
        yield made("inlined by hand", f, edits)


RULES = (rename_function, move_within_file, reorder_functions, move_to_new_file, add_parameter, extract_function, inline_by_hand)
