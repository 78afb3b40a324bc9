// Separate bundle: it is large, and loaded only on pages with a graph.
export { Graphviz } from "@hpcc-js/wasm-graphviz";
