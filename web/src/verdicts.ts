// Lists of runs: their verdicts, and the choice of two runs to compare.

// ---- Verdicts ----

interface Verdict {
  kind: string;
  words: string;
  headline: string;
}

async function fill(link: HTMLElement): Promise<void> {
  try {
    const response = await fetch(link.dataset["verdict"]!);
    const answer = await response.json();
    if (!response.ok) throw new Error(answer?.error?.message ?? String(response.status));
    const verdict = answer as Verdict;
    const badge = document.createElement("span");
    badge.className = `badge ${verdict.kind}`;
    badge.textContent = verdict.words;
    const headline = document.createElement("span");
    headline.className = "headline";
    headline.textContent = verdict.headline;
    link.replaceChildren(badge, " ", headline);
  } catch (error) {
    link.title = (error as Error).message;
  }
}

// The server compares on request, so verdicts load one at a time, once their rows are in view.
export function fillVerdicts(): void {
  let last = Promise.resolve();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      last = last.then(() => fill(target as HTMLElement));
    }
  });
  document.querySelectorAll<HTMLElement>("[data-verdict]").forEach((link) => seen.observe(link));
}

// ---- Two runs to compare ----

// A third choice takes the place of the first; the button works with two.
export function chooseTwo(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.choose")) {
    const button = form.querySelector("button")!;
    let chosen: HTMLInputElement[] = [];
    const update = (): void => {
      while (chosen.length > 2) chosen.shift()!.checked = false;
      button.disabled = chosen.length !== 2;
    };
    const boxes = form.querySelectorAll<HTMLInputElement>("input[type=checkbox]");
    boxes.forEach((box) =>
      box.addEventListener("change", () => {
        chosen = chosen.filter((one) => one !== box);
        if (box.checked) chosen.push(box);
        update();
      }),
    );
    // Browsers restore choices when people come back.
    chosen = [...boxes].filter((box) => box.checked);
    update();
  }
}
