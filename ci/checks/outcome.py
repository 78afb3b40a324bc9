"""What a check gives: named outcomes, each with the faults that it found."""

import dataclasses


@dataclasses.dataclass
class Outcome:
    """Passed if there are no faults. A fault is one line or more, with file and line if known."""

    name: str
    faults: list
    note: str = ""  # what was looked at, for the line that says PASS

    def passed(self):
        return not self.faults

    def lines(self, most=40):
        if self.passed():
            note = f" ({self.note})" if self.note else ""
            return [f"PASS: {self.name}{note}"]
        lines = [f"FAIL: {self.name} ({len(self.faults)} found)"]
        for fault in self.faults[:most]:
            lines += ["    " + line for line in fault.splitlines()]
        if len(self.faults) > most:
            lines.append(f"    ... and {len(self.faults) - most} more")
        return lines
