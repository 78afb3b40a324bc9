// Suggestions of the search in the header, as an editable combobox with a list. Without this script
// the form leads to the page with all results.
interface Group {
  title: string;
  hits: { text: string; about: string; url: string }[];
}

const pause = 150; // milliseconds between the last key and the request

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// One list for each group; the options of all groups have one order.
function listOf(groups: Group[]): { lists: HTMLElement[]; options: HTMLElement[] } {
  const options: HTMLElement[] = [];
  const lists = groups.map((group, i) => {
    const list = element("div", "suggested-group");
    const title = element("div", "suggested-title", group.title);
    title.id = `suggested-title-${i}`;
    list.setAttribute("role", "group");
    list.setAttribute("aria-labelledby", title.id);
    list.append(title);
    for (const hit of group.hits) {
      const option = element("div", "suggested");
      option.id = `suggested-${options.length}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset["url"] = hit.url;
      option.append(element("code", "", hit.text), element("span", "about", hit.about));
      options.push(option);
      list.append(option);
    }
    return list;
  });
  return { lists, options };
}

export function suggest(field: HTMLInputElement): void {
  const list = element("div", "suggestions");
  list.id = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  field.after(list);
  const status = element("span", "hidden");
  status.setAttribute("role", "status");
  list.after(status);
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-expanded", "false");
  field.setAttribute("aria-controls", list.id);

  let options: HTMLElement[] = [];
  let chosen = -1;
  let waiting = 0;
  let request = new AbortController();

  const choose = (at: number): void => {
    options[chosen]?.setAttribute("aria-selected", "false");
    chosen = at;
    const option = options[chosen];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option === undefined) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", option.id);
  };
  const show = (groups: Group[]): void => {
    const made = listOf(groups);
    options = made.options;
    choose(-1);
    list.replaceChildren(...made.lists);
    list.hidden = options.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    status.textContent =
      field.value.trim() === "" ? ""
      : options.length === 1 ? "1 suggestion" : `${options.length} suggestions`;
  };
  const close = (): void => {
    clearTimeout(waiting);
    request.abort();
    show([]);
    status.textContent = "";
  };
  const ask = async (): Promise<void> => {
    request.abort();
    request = new AbortController();
    const url = new URL(field.dataset["url"]!, location.href);
    url.searchParams.set("q", field.value.trim());
    try {
      const response = await fetch(url, { signal: request.signal });
      if (response.ok) show(((await response.json()) as { groups: Group[] }).groups);
    } catch {
      // A newer request replaced this one, or the server is away: the form still works.
    }
  };

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    if (field.value.trim() === "") close();
    else waiting = setTimeout(() => void ask(), pause);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      close();
      event.stopPropagation();
    } else if (list.hidden) {
      return;
    } else if (event.key === "ArrowDown") {
      choose(chosen + 1 === options.length ? -1 : chosen + 1);
    } else if (event.key === "ArrowUp") {
      choose(chosen < 0 ? options.length - 1 : chosen - 1);
    } else if (event.key === "Enter" && options[chosen] !== undefined) {
      location.href = options[chosen].dataset["url"]!;
    } else {
      return;
    }
    event.preventDefault();
  });
  // Before the field loses its focus, which closes the list.
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const option = (event.target as Element).closest<HTMLElement>(".suggested");
    if (option !== null) location.href = option.dataset["url"]!;
  });
  field.addEventListener("blur", close);
}
