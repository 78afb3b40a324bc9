// What all pages have: the keyboard, sorting, links into folded parts. Without this script
// everything can be read all the same.

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

// ---- Walking through findings and rows with j and k ----

const stops = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(".walk")].filter((stop) => stop.offsetParent !== null);

function walk(step: number): void {
  const all = stops();
  if (all.length === 0) return;
  const here = all.findIndex((stop) => stop.classList.contains("here"));
  const next = here < 0 ? (step > 0 ? 0 : all.length - 1) : here + step;
  const stop = all[Math.max(0, Math.min(all.length - 1, next))]!;
  all.forEach((one) => one.classList.toggle("here", one === stop));
  const focused = stop.querySelector<HTMLElement>("a") ?? stop;
  focused.focus({ preventScroll: true });
  stop.scrollIntoView({ block: "nearest" });
}

// ---- The list of keys ----

const keys: [string, string][] = [
  ["/", "find a function"],
  ["j  k", "next and previous finding or row"],
  ["Enter", "open it"],
  ["u", "up, the way back"],
  ["?", "this list"],
];

function showKeys(): void {
  let dialog = document.querySelector<HTMLDialogElement>("#keys-list");
  if (dialog === null) {
    dialog = document.createElement("dialog");
    dialog.id = "keys-list";
    const heading = document.createElement("h2");
    heading.textContent = "Keys";
    const list = document.createElement("dl");
    for (const [key, words] of keys) {
      const term = document.createElement("dt");
      const what = document.createElement("dd");
      const code = document.createElement("kbd");
      code.textContent = key;
      term.append(code);
      what.textContent = words;
      list.append(term, what);
    }
    const close = document.createElement("button");
    close.textContent = "Close";
    close.addEventListener("click", () => dialog!.close());
    dialog.append(heading, list, close);
    document.body.append(dialog);
  }
  dialog.showModal();
}

const search = (): void => {
  const field =
    document.querySelector<HTMLInputElement>("#filter") ??
    document.querySelector<HTMLInputElement>("#search");
  field?.focus();
  field?.select();
};

const up = (): void => {
  const steps = document.querySelectorAll<HTMLAnchorElement>(".way a");
  steps[steps.length - 1]?.click();
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") (event.target as HTMLElement).blur();
    return;
  }
  const action = {
    "/": search,
    j: () => walk(1),
    k: () => walk(-1),
    u: up,
    "?": showKeys,
  }[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});

const button = document.querySelector<HTMLButtonElement>("#keys");
if (button !== null) {
  button.hidden = false;
  button.addEventListener("click", showKeys);
}

// ---- A link to something within a folded part opens it ----

function openTarget(): void {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === "" ? null : document.getElementById(id);
  if (target === null) return;
  const folded = target.closest("details");
  if (folded !== null) folded.open = true;
  target.classList.add("here");
  target.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", openTarget);
openTarget();

// ---- Sorting by a column ----

// Numbers as the server writes them: "1,234", "12.3 ms", "+54%", "×10.1", "<0.1%".
const units: Record<string, number> = { ns: 1e-9, "µs": 1e-6, us: 1e-6, ms: 1e-3, s: 1, "%": 1 };
export function valueOf(text: string): number {
  const found = /^[<≈]?([+×-]?)([\d,]+(?:\.\d+)?)\s*(ns|µs|us|ms|s|%)?/.exec(text.trim());
  if (found === null) return Number.NEGATIVE_INFINITY;
  const number = Number(found[2]!.replaceAll(",", "")) * (units[found[3] ?? ""] ?? 1);
  if (found[1] === "×") return (number - 1) * 100;
  return found[1] === "-" ? -number : number;
}

function sortBy(table: HTMLTableElement, column: number, head: HTMLElement): void {
  const body = table.tBodies[0]!;
  const descending = head.getAttribute("aria-sort") !== "descending";
  const isNumber = head.classList.contains("num");
  const rows = [...body.rows];
  const text = (row: HTMLTableRowElement): string => row.cells[column]?.textContent ?? "";
  rows.sort((a, b) =>
    isNumber ? valueOf(text(a)) - valueOf(text(b)) : text(a).localeCompare(text(b)),
  );
  if (descending) rows.reverse();
  body.append(...rows);
  for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
}

for (const table of document.querySelectorAll<HTMLTableElement>("main table")) {
  if ((table.tBodies[0]?.rows.length ?? 0) < 2) continue;
  table.querySelectorAll<HTMLElement>("thead th").forEach((head, column) => {
    if (head.textContent === "") return;
    const sort = document.createElement("button");
    sort.type = "button";
    sort.className = "sort";
    sort.append(...head.childNodes);
    sort.addEventListener("click", () => sortBy(table, column, head));
    head.append(sort);
  });
}
