#!/usr/bin/env python3
"""Writes a gmon.out from a description, for tests.

  make_gmon.py OUT [ITEM...]

Items, in file order:
  --size 4|8 --big --version N          header; 8, little and 1 by default
  --hist LOW HIGH BINS RATE DIMENSION ABBREVIATION
  --sample ADDRESS COUNT                into the bins of the histogram before it
  --arc FROM SELF COUNT
  --block ADDRESS COUNT                 all blocks make one record, at the end
  --raw HEX                             any bytes
"""
import struct
import sys


class Writer:
    def __init__(self):
        self.address = "Q"
        self.order = "<"
        self.version = 1
        self.records = []
        self.histogram = None
        self.blocks = []

    def pack(self, format_, *values):
        return struct.pack(self.order + format_, *values)

    def flush(self):
        if self.histogram is None:
            return
        low, high, bins, rate, dimension, abbreviation = self.histogram
        head = self.pack(self.address * 2 + "ii15sc", low, high, len(bins), rate,
                         dimension.encode(), abbreviation.encode())
        self.records.append(b"\0" + head + self.pack("%dH" % len(bins), *bins))
        self.histogram = None

    def add(self, item, values):
        numbers = [int(v, 0) if v[:1].isdigit() else None for v in values]
        if item == "--size":
            self.address = "Q" if numbers[0] == 8 else "I"
        elif item == "--big":
            self.order = ">"
        elif item == "--version":
            self.version = numbers[0]
        elif item == "--hist":
            self.flush()
            self.histogram = [numbers[0], numbers[1], [0] * numbers[2], numbers[3]] + values[4:]
        elif item == "--sample":
            low, high, bins = self.histogram[:3]
            bins[(numbers[0] - low) * len(bins) // (high - low)] += numbers[1]
        elif item == "--arc":
            self.flush()
            self.records.append(b"\1" + self.pack(self.address * 2 + "I", *numbers))
        elif item == "--block":
            self.blocks.append(self.pack(self.address * 2, *numbers))
        elif item == "--raw":
            self.flush()
            self.records.append(bytes.fromhex(values[0]))

    def content(self):
        self.flush()
        if self.blocks:
            self.records.append(b"\2" + self.pack("I", len(self.blocks)) + b"".join(self.blocks))
        return b"gmon" + self.pack("i", self.version) + bytes(12) + b"".join(self.records)


ARITY = {"--size": 1, "--big": 0, "--version": 1, "--hist": 6, "--sample": 2, "--arc": 3,
         "--block": 2, "--raw": 1}


def make(items):
    writer = Writer()
    at = 0
    while at < len(items):
        count = ARITY[items[at]]
        writer.add(items[at], items[at + 1:at + 1 + count])
        at += 1 + count
    return writer.content()


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(make(sys.argv[2:]))
