// Keyboard shortcuts.

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

// ---- Navigation through findings and rows with j and k ----

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
  ["/", "search"],
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
