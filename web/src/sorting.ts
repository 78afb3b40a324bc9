// Sorts tables by a column.

// Numbers in the server's formats: "1,234", "12.3 ms", "+54%", "×10.1", "<0.1%".
const units: Record<string, number> = { ns: 1e-9, "µs": 1e-6, us: 1e-6, ms: 1e-3, s: 1, "%": 1 };
function valueOf(text: string): number {
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
  // A time's words are relative; its attribute sorts.
  const text = (row: HTMLTableRowElement): string =>
    row.cells[column]?.querySelector("time")?.dateTime ?? row.cells[column]?.textContent ?? "";
  rows.sort((a, b) =>
    isNumber ? valueOf(text(a)) - valueOf(text(b)) : text(a).localeCompare(text(b)),
  );
  if (descending) rows.reverse();
  body.append(...rows);
  for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
}

function makeHeads(table: HTMLTableElement): void {
  if ((table.tBodies[0]?.rows.length ?? 0) < 2) return;
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

// Turns the column heads of all tables into buttons. Source lines keep their order.
export function makeSortable(root: ParentNode): void {
  for (const table of root.querySelectorAll<HTMLTableElement>("table")) {
    if (table.closest(".diff") === null) makeHeads(table);
  }
}
