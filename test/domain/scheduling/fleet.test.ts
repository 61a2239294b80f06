import fc from 'fast-check';
import t from 'tap';
import { Fleet, isEligible, type PassNode } from '../../../src/domain/scheduling/fleet.ts';
import type { SchedulingClass } from '../../../src/domain/scheduling/scheduling-class.ts';
import { makeClass } from './cluster.ts';

type Amounts = Readonly<Record<string, number>>;
type Node = PassNode & { readonly free: Record<string, number> };

const amountOf = (amounts: Amounts, name: string): number => amounts[name] ?? 0;
const fits = (wanted: Amounts, room: Amounts): boolean =>
  Object.keys(wanted).every((name) => amountOf(wanted, name) <= amountOf(room, name) + 1e-6);

function fullness(wanted: Amounts, { free, total }: PassNode): number {
  const shares = Object.keys(total)
    .filter((name) => amountOf(total, name) > 0)
    .map(
      (name) =>
        (amountOf(total, name) - amountOf(free, name) + amountOf(wanted, name)) / amountOf(total, name),
    );
  return Math.max(0, ...shares);
}

/** The specification of a fleet, without its data structures for speed. */
class PlainFleet {
  readonly nodes: readonly Node[];
  readonly reserved = new Set<number>();

  constructor(nodes: readonly Node[]) {
    this.nodes = nodes;
  }

  place(jobClass: SchedulingClass): number | undefined {
    const able = this.#open(jobClass).filter((node) => fits(jobClass.resources, node.free));
    const best = first(able, (node) => -fullness(jobClass.resources, node));
    for (const name in jobClass.resources)
      if (best !== undefined)
        best.free[name] = amountOf(best.free, name) - amountOf(jobClass.resources, name);
    return best?.nodeId;
  }

  reserveFor(jobClass: SchedulingClass): void {
    const able = this.#open(jobClass).filter((node) => fits(jobClass.resources, node.total));
    const best = first(able, (node) => fullness({}, node));
    if (best !== undefined) this.reserved.add(best.nodeId);
  }

  #open(jobClass: SchedulingClass): Node[] {
    return this.nodes.filter((node) => !this.reserved.has(node.nodeId) && isEligible(node, jobClass));
  }
}

function first(nodes: readonly Node[], rank: (node: Node) => number): Node | undefined {
  return nodes.reduce<Node | undefined>(
    (best, node) => (best === undefined || rank(node) < rank(best) ? node : best),
    undefined,
  );
}

const amounts = (max: number) =>
  fc.dictionary(fc.constantFrom('cpus', 'mem', 'disk', 'gpus'), fc.integer({ min: 0, max }), { maxKeys: 4 });
const executors = fc.subarray(['docker', 'oci', 'process:default']);
const workspaceIds = fc.subarray([1, 2, 3]);

const nodes = fc.array(fc.record({ total: amounts(16), used: amounts(20), executors, workspaceIds }), {
  maxLength: 6,
});
const classes = fc.array(
  fc.record({
    resources: amounts(6),
    executor: fc.constantFrom('docker', 'process:default'),
    workspaceIds: fc.subarray([1, 2], { maxLength: 1 }),
  }),
  { minLength: 1, maxLength: 5 },
);
const steps = fc.array(fc.record({ which: fc.nat(4), isReserving: fc.boolean() }), { maxLength: 40 });

/** More may be used than there is, because nodes shrink. */
function nodeOf(
  given: { total: Amounts; used: Amounts; executors: string[]; workspaceIds: number[] },
  at: number,
): Node {
  const names = [...new Set([...Object.keys(given.total), ...Object.keys(given.used)])];
  const free = names.map((name) => [name, amountOf(given.total, name) - amountOf(given.used, name)] as const);
  return {
    nodeId: at + 1,
    total: given.total,
    free: Object.fromEntries(free),
    executors: new Set(given.executors),
    workspaceIds: new Set(given.workspaceIds),
  };
}

t.test('fleet: it places and reserves like its specification for random nodes and classes', async (t) => {
  const isAsSaid = fc.property(nodes, classes, steps, (given, kinds, reservations) => {
    const fleet = new Fleet(given.map(nodeOf));
    const plain = new PlainFleet(given.map(nodeOf));
    const all = kinds.map((kind, at) => makeClass({ jobTypeId: at + 1, ...kind }));
    for (const { which, isReserving } of reservations) {
      const jobClass = all[which % all.length] as SchedulingClass;
      if (isReserving) {
        fleet.reserveFor(jobClass);
        plain.reserveFor(jobClass);
      } else if (fleet.place(jobClass)?.nodeId !== plain.place(jobClass)) return false;
    }
    return true;
  });
  t.doesNotThrow(() => fc.assert(isAsSaid, { numRuns: 2_000 }));
});
