/** The graph of a recipe definition: the order in which its nodes can run, and the conditions on their ancestors. */
import type { Dependency } from './recipe-definition.ts';

type Nodes = ReadonlyMap<string, { readonly dependencies: readonly Dependency[] }>;

/**
 * All nodes, each after everything that it depends on, otherwise in the order of the definition; or the nodes of its
 * cycles. Dependencies on missing nodes are ignored.
 */
export function topologicalOrder(nodes: Nodes): { order: readonly string[] } | { cycle: readonly string[] } {
  const waitsFor = new Map<string, number>();
  const children = new Map<string, string[]>();
  for (const [name, { dependencies }] of nodes) {
    const parents = dependencies.filter((parent) => nodes.has(parent.name));
    waitsFor.set(name, parents.length);
    for (const parent of parents) {
      const list = children.get(parent.name);
      if (list === undefined) children.set(parent.name, [name]);
      else list.push(name);
    }
  }
  const order = [...nodes.keys()].filter((name) => waitsFor.get(name) === 0);
  for (let index = 0; index < order.length; index += 1) {
    for (const child of children.get(order[index] as string) ?? []) {
      const left = (waitsFor.get(child) as number) - 1;
      waitsFor.set(child, left);
      if (left === 0) order.push(child);
    }
  }
  if (order.length === nodes.size) return { order };
  return { cycle: onCycles(nodes, children, new Set(order)) };
}

/** The nodes on cycles among the nodes that could not be ordered. */
function onCycles(
  nodes: Nodes,
  children: ReadonlyMap<string, string[]>,
  ordered: Set<string>,
): readonly string[] {
  let left = [...nodes.keys()].filter((name) => !ordered.has(name));
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const kept = new Set(left);
    left = left.filter((name) => (children.get(name) ?? []).some((child) => kept.has(child)));
  }
  return left;
}

/** The ancestors of each node with their conditions. Sets of nodes are bits, so that dense graphs stay cheap. */
export class Ancestry {
  readonly #index: ReadonlyMap<string, number>;
  readonly #ancestors = new Map<string, Uint32Array>();
  readonly #accepted = new Map<string, Uint32Array>();
  readonly #refused = new Map<string, Uint32Array>();

  /** `order` must be that of `topologicalOrder`. */
  constructor(nodes: Nodes, order: readonly string[]) {
    this.#index = new Map(order.map((name, index) => [name, index]));
    const words = Math.ceil(order.length / 32);
    for (const name of order) {
      const tables = [this.#ancestors, this.#accepted, this.#refused].map((table) => {
        const bits = new Uint32Array(words);
        table.set(name, bits);
        return { table, bits };
      });
      for (const parent of nodes.get(name)?.dependencies ?? []) {
        const index = this.#index.get(parent.name);
        if (index === undefined) continue;
        for (const { table, bits } of tables) {
          const inherited = table.get(parent.name) as Uint32Array;
          for (let word = 0; word < words; word += 1) bits[word] = (bits[word] ?? 0) | (inherited[word] ?? 0);
          const isOwn = table === this.#ancestors || (table === this.#accepted) === parent.acceptance;
          if (isOwn) bits[index >> 5] = (bits[index >> 5] ?? 0) | (1 << (index & 31));
        }
      }
    }
  }

  /** Whether `name` runs only after `ancestor`. */
  isAncestor(ancestor: string, name: string): boolean {
    return this.#has(this.#ancestors, ancestor, name);
  }

  /** Whether `name` runs only when `condition` has accepted. */
  needsAcceptance(condition: string, name: string): boolean {
    return this.#has(this.#accepted, condition, name);
  }

  /** Whether `name` runs only when `condition` has not accepted. */
  needsRefusal(condition: string, name: string): boolean {
    return this.#has(this.#refused, condition, name);
  }

  #has(sets: ReadonlyMap<string, Uint32Array>, node: string, name: string): boolean {
    const index = this.#index.get(node);
    if (index === undefined) return false;
    return (((sets.get(name)?.[index >> 5] ?? 0) >>> (index & 31)) & 1) === 1;
  }
}
