// Trees of call stacks, as flame graphs show them: of one run, or of a run and its base.

// The server's tree. Values are in its unit; `before` is the base's.
export interface Stack {
  name: string;
  value: number;
  before: number;
  children?: Stack[];
}

// A frame with its place. Children are the widest first and lie within their parent.
export interface Frame {
  name: string;
  value: number;
  before: number;
  start: number;
  width: number;
  depth: number;
  parent: Frame | null;
  children: Frame[];
}

// Which of the two runs widths are of.
export type Side = "head" | "base";

export const own = (frame: Stack | Frame, side: Side): number =>
  side === "head" ? frame.value : frame.before;

// A tree that is being summed: children by name.
interface Sum {
  name: string;
  value: number;
  before: number;
  children: Map<string, Sum>;
}

const emptySum = (name: string): Sum => ({ name, value: 0, before: 0, children: new Map() });

function childOf(sum: Sum, name: string): Sum {
  let child = sum.children.get(name);
  if (child === undefined) {
    child = emptySum(name);
    sum.children.set(name, child);
  }
  return child;
}

function add(stack: Stack, sum: Sum): void {
  sum.value += stack.value;
  sum.before += stack.before;
  for (const child of stack.children ?? []) add(child, childOf(sum, child.name));
}

const finished = (sum: Sum): Stack => ({
  name: sum.name,
  value: sum.value,
  before: sum.before,
  children: [...sum.children.values()].map(finished),
});

// The frames of a tree. A frame of the other run only has that run's width, so that it can be seen;
// it makes the frames around it wider by as much.
export function framesOf(root: Stack, side: Side): Frame {
  const grow = (stack: Stack, parent: Frame | null): Frame => {
    const frame: Frame = {
      name: stack.name, value: stack.value, before: stack.before,
      start: 0, width: 0, depth: parent === null ? 0 : parent.depth + 1, parent, children: [],
    };
    frame.children = (stack.children ?? []).map((child) => grow(child, frame));
    const excess = frame.children.reduce((sum, child) => sum + child.width - own(child, side), 0);
    frame.width = own(frame, side) > 0 ? own(frame, side) + excess : Math.max(frame.value, frame.before);
    frame.children.sort((a, b) => b.width - a.width || (a.name < b.name ? -1 : 1));
    return frame;
  };
  const place = (frame: Frame): void => {
    let start = frame.start;
    for (const child of frame.children) {
      child.start = start;
      start += child.width;
      place(child);
    }
  };
  const frame = grow(root, null);
  place(frame);
  return frame;
}

// A function that is on the stack already continues its first frame: f;g;f;h becomes f;h.
export function withoutRecursion(root: Stack): Stack {
  const onPath = new Map<string, Sum>();
  const visit = (stack: Stack, sum: Sum): void => {
    let value = stack.value;
    let before = stack.before;
    for (const child of stack.children ?? []) {
      value -= child.value;
      before -= child.before;
      const known = onPath.get(child.name);
      const place = known ?? childOf(sum, child.name);
      if (known === undefined) onPath.set(child.name, place);
      visit(child, place);
      if (known === undefined) onPath.delete(child.name);
    }
    // Self time; the totals are summed up below.
    sum.value += Math.max(0, value);
    sum.before += Math.max(0, before);
  };
  const total = (sum: Sum): void => {
    for (const child of sum.children.values()) {
      total(child);
      sum.value += child.value;
      sum.before += child.before;
    }
  };
  const sum = emptySum(root.name);
  visit(root, sum);
  total(sum);
  return finished(sum);
}

// All stacks of a function: its callers, from the function outwards, and its callees. A recursive
// call is a part of the outermost one.
export function around(root: Stack, name: string): { callers: Stack; callees: Stack } {
  const callers = emptySum(name);
  const callees = emptySum(name);
  const path: string[] = [];
  const visit = (stack: Stack): void => {
    if (stack.name === name) {
      add(stack, callees);
      let caller = callers;
      caller.value += stack.value;
      caller.before += stack.before;
      // The root is no function.
      for (const outer of path.slice(1).reverse()) {
        caller = childOf(caller, outer);
        caller.value += stack.value;
        caller.before += stack.before;
      }
      return;
    }
    path.push(stack.name);
    for (const child of stack.children ?? []) visit(child);
    path.pop();
  };
  visit(root);
  return { callers: finished(callers), callees: finished(callees) };
}

// The frame at a path of names below the root; as far as it exists.
export function frameAt(root: Frame, names: readonly string[]): Frame {
  let frame = root;
  for (const name of names) {
    const child = frame.children.find((one) => one.name === name);
    if (child === undefined) break;
    frame = child;
  }
  return frame;
}

export function pathOf(frame: Frame): string[] {
  const names: string[] = [];
  for (let at: Frame | null = frame; at?.parent != null; at = at.parent) names.push(at.name);
  return names.reverse();
}

export const matches = (frame: Frame, text: string): boolean =>
  text !== "" && frame.depth > 0 && frame.name.toLowerCase().includes(text.toLowerCase());

// The number of frames that match, and their share of the time. A frame within another one that
// matches counts once.
export function found(root: Frame, text: string, side: Side): { frames: number; share: number } {
  let frames = 0;
  let time = 0;
  const visit = (frame: Frame, isWithin: boolean): void => {
    const isFound = matches(frame, text);
    if (isFound) ++frames;
    if (isFound && !isWithin) time += own(frame, side);
    for (const child of frame.children) visit(child, isWithin || isFound);
  };
  visit(root, false);
  return { frames, share: own(root, side) > 0 ? time / own(root, side) : 0 };
}
