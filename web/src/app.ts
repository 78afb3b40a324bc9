// Common to all pages: keyboard, search, sorting, live updates, links into folded parts. Pages are readable
// without this script.
import "./keys";
import { keepAlive } from "./live";
import { suggest } from "./search";
import { makeSortable } from "./sorting";
import { chooseTwo, fillVerdicts } from "./verdicts";

// A link to an element within a folded part opens it.
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

makeSortable(document.querySelector("main") ?? document);
keepAlive();
fillVerdicts();
chooseTwo();
const search = document.querySelector<HTMLInputElement>("#search");
if (search !== null) suggest(search);
