/** The part of a flow that leads to a node, and the part that leads on from it. */

/** Nodes and edges by their keys. */
interface Keyed {
  readonly nodes: readonly { readonly key: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** The keys of these nodes, with the node's own; undefined if there is no such node. */
export function connectedTo(
  { nodes, edges }: Keyed,
  at: string | undefined,
): ReadonlySet<string> | undefined {
  if (at === undefined || !nodes.some(({ key }) => key === at)) return undefined;
  const before = reached(
    at,
    edges.map(({ from, to }) => [to, from] as const),
  );
  const after = reached(
    at,
    edges.map(({ from, to }) => [from, to] as const),
  );
  return new Set([...before, ...after]);
}

function reached(
  start: string,
  steps: readonly (readonly [from: string, to: string])[],
): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const [from, to] of steps) next.set(from, [...(next.get(from) ?? []), to]);
  const found = new Set([start]);
  // The loop also visits keys that are added while it runs.
  for (const key of found) for (const to of next.get(key) ?? []) found.add(to);
  return found;
}
