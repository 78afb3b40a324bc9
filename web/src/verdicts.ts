// Loads verdicts of comparisons in lists. The server compares on request, so they load one at a
// time.
interface Verdict {
  kind: string;
  words: string;
  headline: string;
}

export async function fillVerdicts(): Promise<void> {
  for (const place of document.querySelectorAll<HTMLElement>("[data-verdict]")) {
    try {
      const response = await fetch(place.dataset["verdict"]!);
      const answer = await response.json();
      if (!response.ok) throw new Error(answer?.error?.message ?? String(response.status));
      const verdict = answer as Verdict;
      const badge = document.createElement("span");
      badge.className = `badge ${verdict.kind}`;
      badge.textContent = verdict.words;
      place.replaceChildren(badge, ` ${verdict.headline}`);
    } catch (error) {
      place.textContent = `not known: ${(error as Error).message}`;
    }
  }
}
