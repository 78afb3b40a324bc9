// Declarations of the used parts of packages without types.
declare module "d3-selection" {
  interface Selection {
    datum(data: unknown): Selection;
    call(chart: unknown): Selection;
  }
  export function select(element: Element): Selection;
}

declare module "d3-flame-graph" {
  interface FlameGraph {
    width(pixels: number): FlameGraph;
    cellHeight(pixels: number): FlameGraph;
    minFrameSize(pixels: number): FlameGraph;
    transitionDuration(milliseconds: number): FlameGraph;
    inverted(yes: boolean): FlameGraph;
    sort(yes: boolean): FlameGraph;
    title(text: string): FlameGraph;
    setColorMapper(colour: (node: { data: any }) => string): FlameGraph;
    setLabelHandler(label: (node: { data: any }) => string): FlameGraph;
    setDetailsHandler(show: (text: string | null) => void): FlameGraph;
    search(pattern: string): void;
    clear(): void;
    resetZoom(): void;
  }
  export default function flamegraph(): FlameGraph;
}
