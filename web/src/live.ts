// Live updates: replaces the part of the page that the server renders again.
import { makeSortable } from "./sorting";

const pause = 2000; // milliseconds
const longest = 60000;

async function renew(old: HTMLElement): Promise<HTMLElement> {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!response.ok) throw new Error(`the server said ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const part = page.getElementById(old.id);
  if (part === null) throw new Error("the page has changed");
  const renewed = document.importNode(part, true);
  for (const open of old.querySelectorAll<HTMLElement>("details[id][open]")) {
    renewed.querySelector(`#${CSS.escape(open.id)}`)?.setAttribute("open", "");
  }
  makeSortable(renewed);
  old.replaceWith(renewed);
  return renewed;
}

// Polls until the work is finished; less often while the server does not respond.
export function keepAlive(): void {
  let part = document.querySelector<HTMLElement>("[data-live]");
  let wait = pause;
  const next = (): void => {
    if (part?.dataset["live"] !== undefined) setTimeout(again, wait);
  };
  const again = async (): Promise<void> => {
    try {
      if (!document.hidden && part !== null) part = await renew(part);
      wait = pause;
    } catch {
      wait = Math.min(longest, wait * 2);
    }
    next();
  };
  next();
}
