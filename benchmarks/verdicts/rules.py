"""What other tools do: three rules over the self times of functions in two sets of
runs. Each gives the functions that it calls changed."""

import itertools
import math
import statistics


def fixed_ten_percent(base, head):
    changed = set()
    for function in base:
        before, after = statistics.mean(base[function]), statistics.mean(head[function])
        if before > 0 and abs(after / before - 1) > 0.10 or before == 0 < after:
            changed.add(function)
    return changed


def mann_whitney_p(a, b):
    """Two-sided; exact for small samples without ties, else the normal
    approximation with corrections for ties and continuity."""
    n, m = len(a), len(b)
    values = sorted(itertools.chain(((v, 0) for v in a), ((v, 1) for v in b)))
    ranks, ties, i = 0.0, 0.0, 0
    while i < len(values):
        j = i
        while j < len(values) and values[j][0] == values[i][0]:
            j += 1
        ranks += sum((i + 1 + j) / 2 for k in range(i, j) if values[k][1] == 0)
        ties += (j - i) ** 3 - (j - i)
        i = j
    u = ranks - n * (n + 1) / 2
    u = min(u, n * m - u)
    if not ties and n * m <= 200:
        counts = _orderings(n, m)
        return min(1.0, 2 * sum(counts[: int(u) + 1]) / sum(counts))
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    return math.erfc(max(0.0, (n * m / 2 - u - 0.5) / math.sqrt(variance)) / math.sqrt(2))


def _orderings(n, m, known={}):
    """How many orderings of n and m values have each U: products of (1 - q^(m+i)) / (1 - q^i)."""
    if (n, m) not in known:
        counts = [1] + [0] * (n * m)
        for i in range(1, n + 1):
            for u in range(n * m, m + i - 1, -1):
                counts[u] -= counts[u - m - i]
            for u in range(i, n * m + 1):
                counts[u] += counts[u - i]
        known[(n, m)] = counts
    return known[(n, m)]


def mann_whitney_bh(base, head, rate=0.05):
    ps = sorted((mann_whitney_p(base[f], head[f]), f) for f in base)
    last = max((i for i, (p, _) in enumerate(ps, 1) if p <= rate * i / len(ps)), default=0)
    return {f for _, f in ps[:last]}


def three_iqr(base, head):
    changed = set()
    for function, before in base.items():
        low, middle, high = statistics.quantiles(before, n=4, method="inclusive")
        if abs(statistics.median(head[function]) - middle) > 3 * (high - low):
            changed.add(function)
    return changed


RULES = {"10%": fixed_ten_percent, "Mann-Whitney + BH": mann_whitney_bh, "3 IQR": three_iqr}
