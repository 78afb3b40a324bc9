"""Mutations after which work is done more often, and the program prints the same.

Each rule yields all its places in one function. Whether what is repeated is harmless is not
asked of the text: the program is run, and one that prints something else is no case.
"""

import re

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from mutations.edits import Edit, Mutation
from mutations.source import LOOPS, STATEMENTS


def calls_in(node):
    return tuple(dict.fromkeys(n.callee for n in node.of(Kind.CALL_EXPR) if n.callee))


def is_written_call(unit, node):
    """A call as it is written, with its name and parentheses; not a conversion or operator."""
    text = unit.text(node)
    return (node.kind == Kind.CALL_EXPR and node.callee and node.whole and node.name and text.endswith(b")") and
            re.search(rb"\b" + re.escape(node.name.encode()) + rb"\s*(<[^()]*>)?\s*\(", text))


def mutation(rule, f, edits, site, callees=(), ran=None, more=None):
    """`ran` must have run, and `more` more often, for the mutation to change anything."""
    line = f.unit.line
    return Mutation(rule, f.unit.file, f.linkage, [Edit(f.unit.file, *e) for e in edits], (f.start, f.end),
                    (site.start, site.end), tuple(callees), ran=line((ran or site).start), more=more and line(more.start))


def is_statement(node):
    """An expression that stands as a statement."""
    return node.kind not in STATEMENTS and node.parent is not None and node.parent.kind == Kind.COMPOUND_STMT


def call_doubled(f):
    unit = f.unit
    for node in f.body.of(Kind.CALL_EXPR):
        if not is_written_call(unit, node):
            continue
        text = unit.text(node)
        yield mutation("call doubled", f, [(node.start, node.end, b"((void)(" + text + b"), " + text + b")")], node,
                       calls_in(node))


def _stored_values(f):
    """(variable, the expression with a call that it was given, where it is known from)."""
    unit = f.unit
    for node in f.body.of(Kind.VAR_DECL):
        if node.children and node.type.kind not in (TypeKind.LVALUEREFERENCE, TypeKind.CONSTANTARRAY, TypeKind.RVALUEREFERENCE):
            value = node.children[-1]
            if value.whole and calls_in(value) and unit.data[node.start:value.start].rstrip().endswith(b"="):
                yield node.target, value, node.end
    for node in f.body.of(Kind.BINARY_OPERATOR):
        if len(node.children) == 2 and is_statement(node) and node.whole:
            variable, value = node.children
            if (variable.kind == Kind.DECL_REF_EXPR and value.whole and calls_in(value) and
                    unit.data[variable.end:value.start].strip() == b"="):
                yield variable.target, value, node.end


def value_computed_again(f):
    unit = f.unit
    for target, value, known in _stored_values(f):
        stored_in = set(map(id, value.above()))
        for use in f.body.of(Kind.DECL_REF_EXPR):
            if use.target != target or use.start < known or not use.whole:
                continue
            parent = use.parent
            before, after = unit.data[:use.start].rstrip()[-1:], unit.data[use.end:use.end + 20].lstrip()
            if before == b"&" or after.startswith((b"++", b"--")) or re.match(rb"[-+*/|&%^]?=[^=]", after) or \
                    re.match(rb"(<<|>>)=", after) or (parent.kind == Kind.UNARY_OPERATOR and b"+" in unit.text(parent) + b"-"):
                continue
            in_loop = any(n.kind in LOOPS and id(n) not in stored_in for n in use.above())
            yield mutation("call moved into a loop" if in_loop else "value computed again", f,
                           [(use.start, use.end, b"(" + unit.text(value) + b")")], use, calls_in(value))


def statement_into_loop(f):
    unit = f.unit
    for block in f.body.of(Kind.COMPOUND_STMT):
        for i, node in enumerate(block.children[:-1]):
            end = unit.statement_end(node)
            if not is_statement(node) or not node.whole or not calls_in(node) or end is None:
                continue
            for loop in block.children[i + 1:i + 4]:
                if loop.kind not in LOOPS or not loop.whole:
                    continue
                inside = next((c for c in loop.children if c.kind == Kind.COMPOUND_STMT), None)
                if inside and unit.data[inside.start:inside.start + 1] == b"{" and inside.whole:
                    at = inside.start + 1
                    yield mutation("call moved into a loop", f, [(at, at, b" " + unit.data[node.start:end])], inside, calls_in(node))


def _innermost(node):
    while node.kind == Kind.COMPOUND_STMT and node.children:
        node = node.children[0]
    return node


def _only_exit(node):
    while node.kind == Kind.COMPOUND_STMT and len(node.children) == 1:
        node = node.children[0]
    return node.kind in (Kind.RETURN_STMT, Kind.CONTINUE_STMT, Kind.BREAK_STMT)


def _if_statements(f):
    for node in f.body.of(Kind.IF_STMT):
        if len(node.children) == 2 and node.whole:
            yield node, *node.children


def early_exit_removed(f):
    for node, condition, then in _if_statements(f):
        end = f.unit.statement_end(then)
        if _only_exit(then) and end is not None:
            lines = f.unit.data.count(b"\n", node.start, end)
            yield mutation("early exit removed", f, [(node.start, end, b";" + b"\n" * lines)], f.node,
                           ran=_innermost(then))


def guard_skipped(f):
    unit = f.unit
    for node, condition, then in _if_statements(f):
        if not _only_exit(then) and condition.whole and calls_in(then):
            yield mutation("guard skipped", f,
                           [(condition.start, condition.end, b"((void)(" + unit.text(condition) + b"), 1)")], then, calls_in(then),
                           ran=_innermost(then), more=node)


def dear_check_first(f):
    unit = f.unit
    for node in f.body.of(Kind.BINARY_OPERATOR):
        if len(node.children) != 2 or not node.whole:
            continue
        left, right = node.children
        between = unit.data[left.end:right.start].strip()
        if between in (b"&&", b"||") and calls_in(right) and not calls_in(left) and left.whole and right.whole:
            yield mutation("dear check first", f, [(left.start, right.end, b"(" + unit.text(right) + b") " + between + b" (" +
                                                    unit.text(left) + b")")], node, calls_in(right))


def loop_again(f):
    unit = f.unit
    for node in f.body.of(*LOOPS):
        end = unit.statement_end(node)
        if node.whole and end is not None and calls_in(node):
            yield mutation("loop run again", f, [(node.start, node.start, b"for (int again_ = 0; again_ < 2; ++again_) ")], node,
                           calls_in(node))


def growth_slowed(f):
    unit = f.unit
    for node in f.body.of(Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):
        if len(node.children) != 2 or not node.whole:
            continue
        left, right = node.children
        between, factor, text = unit.data[left.end:right.start].strip(), unit.text(right).strip(), unit.text(left)
        if (between, factor) in ((b"*", b"2"), (b"<<", b"1")):
            yield mutation("growth slowed", f, [(node.start, node.end, b"((" + text + b") + (" + text + b") / 8 + 1)")], f.node, ran=node)
        elif (between, factor) in ((b"*=", b"2"), (b"<<=", b"1")):
            yield mutation("growth slowed", f, [(node.start, node.end, text + b" += (" + text + b") / 8 + 1")], f.node, ran=node)


def reserve_removed(f):
    for node in f.body.of(Kind.CALL_EXPR):
        end = f.unit.statement_end(node)
        if node.name == "reserve" and is_statement(node) and node.whole and end is not None:
            yield mutation("reserve removed", f, [(node.start, end, b";")], f.node, ran=node)


def copied_for_reference(f):
    unit = f.unit
    for node in f.body.of(Kind.VAR_DECL):
        if node.type.kind == TypeKind.LVALUEREFERENCE and node.type.get_pointee().is_const_qualified() and node.whole:
            at = unit.data.find(b"&", node.start, node.end)
            if at >= 0 and unit.data[at:at + 2] != b"&&":
                yield mutation("copy in place of a reference", f, [(at, at + 1, b" ")], node)


RULES = (call_doubled, value_computed_again, statement_into_loop, early_exit_removed, guard_skipped, dear_check_first,
         loop_again, growth_slowed, reserve_removed, copied_for_reference)
