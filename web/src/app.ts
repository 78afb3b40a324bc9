// What all pages have: the keyboard, sorting, what goes on, links into folded parts. Without this
// script everything can be read all the same.
import "./keys";
import { keepAlive } from "./live";
import { makeSortable } from "./sorting";
import { fillVerdicts } from "./verdicts";

// A link to something within a folded part opens it.
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
void fillVerdicts();
