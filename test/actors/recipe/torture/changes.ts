/** Random new revisions of random recipe types, and what somebody wishes to be forced when recipes are done again. */
import type { ForcedNodes } from '../../../../src/domain/recipe/forced-nodes.ts';
import { type Dice, type NodeOfType, randomFilter, randomNode, type TypeSpec } from './specs.ts';

/** What the recipe takes stays as it is. */
export function changedType(dice: Dice, type: TypeSpec, depth: number): TypeSpec {
  const kept = type.nodes.filter((node, at) => {
    const isUsed = type.nodes.slice(at + 1).some((later) => uses(later, node.name));
    return isUsed || !dice.hits(8);
  });
  const nodes = kept.map((node) => changedNode(dice, node, depth));
  if (dice.hits(2)) {
    const added = randomNode(dice, depth, nodes);
    nodes.push({ ...added, name: `${added.name}n${dice.roll(1_000_000)}` });
  }
  return { ...type, nodes };
}

function uses(node: NodeOfType, name: string): boolean {
  const isFed = Object.values(node.input).some((source) => source.startsWith(`${name}.`));
  return isFed || node.parents.some((parent) => parent.name === name);
}

function changedNode(dice: Dice, node: NodeOfType, depth: number): NodeOfType {
  const { kind, revision, sub } = node;
  let changed = node;
  if (kind === 'job' && dice.hits(6)) changed = { ...changed, revision: revision + 1 };
  if (kind === 'condition' && dice.hits(5)) changed = { ...changed, filter: randomFilter(dice) };
  if (sub !== null && dice.hits(3)) {
    changed = { ...changed, revision: revision + 1, sub: changedType(dice, sub, depth - 1) };
  }
  if (dice.hits(6)) {
    const parents = node.parents.map((one) => {
      return one.name.startsWith('C') ? { ...one, acceptance: !one.acceptance } : one;
    });
    changed = { ...changed, parents };
  }
  const [input] = Object.keys(node.input);
  if (input === undefined || !dice.hits(15)) return changed;
  const rest = Object.entries(changed.input).filter(([name]) => name !== input);
  const required = changed.required.filter((name) => name !== input);
  return { ...changed, input: Object.fromEntries(rest), required };
}

export function randomForced(dice: Dice, type: TypeSpec): ForcedNodes {
  if (dice.hits(10)) return { all: true, nodes: [], sub_recipes: {} };
  const nodes = type.nodes.filter(() => dice.hits(6)).map(({ name }) => name);
  const subs = type.nodes.flatMap(({ name, sub }) => {
    return sub === null || !dice.hits(4) ? [] : [[name, randomForced(dice, sub)] as const];
  });
  return { all: false, nodes, sub_recipes: Object.fromEntries(subs) };
}
