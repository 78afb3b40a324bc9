// Loads the data of a picture. Errors are shown in its place; the table below has the same data.
export async function load<T>(place: HTMLElement): Promise<T | null> {
  const say = (words: string): void => {
    const note = document.createElement("p");
    note.className = "note";
    note.setAttribute("role", "status");
    note.textContent = words;
    place.replaceChildren(note);
  };
  say("Loading …");
  try {
    const response = await fetch(place.dataset["url"]!, { headers: { accept: "application/json" } });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer?.error?.message ?? `the server said ${response.status}`);
    return answer as T;
  } catch (error) {
    say(`The picture cannot be drawn: ${(error as Error).message}. The table below has the same.`);
    return null;
  }
}

// Marks the picture as drawn, for tests and measurements.
export function drawn(place: HTMLElement): void {
  place.dataset["drawn"] = "true";
  performance.mark("drawn");
}
