// By itself: it is large, and loads only where a graph is drawn.
export { Graphviz } from "@hpcc-js/wasm-graphviz";
