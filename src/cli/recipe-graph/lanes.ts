/** Draws a graph without cycles as text: a line for each node, after columns with the lines between nodes. */

export interface GraphNode {
  readonly name: string;
  /** Nodes that it depends on. */
  readonly after: readonly string[];
}

export interface GraphLine {
  readonly name: string;
  /** The columns with the node's own symbol. */
  readonly columns: string;
  /** The columns below it, for further lines about the node. */
  readonly below: string;
}

/** Sorts nodes after those that they depend on, and close to them. Unknown names in `after` are left out. */
export function inOrder(nodes: readonly GraphNode[]): GraphNode[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const followers = new Map<string, GraphNode[]>(nodes.map(({ name }) => [name, []]));
  const waiting = new Map<string, number>();
  for (const node of nodes) {
    const parents = new Set(node.after.filter((name) => byName.has(name)));
    waiting.set(node.name, parents.size);
    for (const name of parents) followers.get(name)?.push(node);
  }
  const ready = nodes.filter(({ name }) => waiting.get(name) === 0).reverse();
  const ordered: GraphNode[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    ordered.push(node);
    for (const follower of (followers.get(node.name) ?? []).toReversed()) {
      const left = (waiting.get(follower.name) ?? 0) - 1;
      waiting.set(follower.name, left);
      if (left === 0) ready.push(follower);
    }
  }
  return ordered;
}

/** The lines of the drawing; undefined if it needs more than `columnsMax` columns. */
export function drawGraph(
  nodes: readonly GraphNode[],
  symbolOf: (name: string) => string,
  columnsMax: number,
): GraphLine[] | undefined {
  const ordered = inOrder(nodes);
  const names = new Set(nodes.map(({ name }) => name));
  const parentsOf = (node: GraphNode) => [...new Set(node.after)].filter((name) => names.has(name));
  const left = new Map<string, number>();
  for (const node of nodes) for (const name of parentsOf(node)) left.set(name, (left.get(name) ?? 0) + 1);
  /** By column: the node whose followers have not all been drawn. */
  const open: (string | undefined)[] = [];
  const lines: GraphLine[] = [];
  for (const node of ordered) {
    const parents = parentsOf(node);
    for (const name of parents) left.set(name, (left.get(name) ?? 0) - 1);
    const from = parents.map((name) => open.indexOf(name));
    const ending = from.filter((column) => left.get(open[column] ?? '') === 0);
    const at = ending.length > 0 ? Math.min(...ending) : freeColumn(open, from);
    if (at >= columnsMax) return undefined;
    const columns = lineOf(open, { from, ending, at, symbol: symbolOf(node.name) });
    for (const column of ending) open[column] = undefined;
    open[at] = (left.get(node.name) ?? 0) > 0 ? node.name : undefined;
    while (open.length > 0 && open.at(-1) === undefined) open.pop();
    lines.push({
      name: node.name,
      columns,
      below: open.map((one) => (one === undefined ? '  ' : '│ ')).join(''),
    });
  }
  return lines;
}

/** The first free column right of the first parent, if there is one. */
function freeColumn(open: readonly (string | undefined)[], from: readonly number[]): number {
  const first = from.length === 0 ? 0 : Math.min(...from) + 1;
  for (let column = first; column < open.length; column += 1) if (open[column] === undefined) return column;
  return Math.max(first, open.length);
}

interface Joint {
  readonly from: readonly number[];
  readonly ending: readonly number[];
  readonly at: number;
  readonly symbol: string;
}

function lineOf(open: readonly (string | undefined)[], { from, ending, at, symbol }: Joint): string {
  const [first, last] = [Math.min(at, ...from), Math.max(at, ...from)];
  let line = '';
  for (let column = 0; column < Math.max(open.length, at + 1); column += 1) {
    if (column === at) line += symbol;
    else if (from.includes(column))
      line += corner(column, { first, last, isEnding: ending.includes(column) });
    else if (open[column] !== undefined) line += '│';
    else line += column > first && column < last ? '─' : ' ';
    line += column >= first && column < last ? '─' : ' ';
  }
  return line;
}

function corner(
  column: number,
  { first, last, isEnding }: { readonly first: number; readonly last: number; readonly isEnding: boolean },
): string {
  if (column === first) return isEnding ? '└' : '├';
  if (column === last) return isEnding ? '┘' : '┤';
  return isEnding ? '┴' : '┼';
}
