/**
 * What reprocessing comes to, said plainly: what is the same and not forced is held by the new recipe as well, the rest
 * is given up. Written from the user documentation; shares no code with the decisions.
 */
import type { ForcedNodes } from '../../../../src/domain/recipe/forced-nodes.ts';
import { type ModelNode, type ModelRecipe, newNode } from './model-nodes.ts';
import type { NodeOfType, TypeSpec } from './specs.ts';

const NOTHING: ForcedNodes = { all: false, nodes: [], sub_recipes: {} };

/** How a node of the new type compares. */
interface Fate {
  readonly isChanged: boolean;
  /** Changed in anything but which revision of its type it is. */
  readonly isOther: boolean;
  readonly isForced: boolean;
  /** Made again. */
  readonly isAnew: boolean;
}

/** The recipe that takes the place of `old`; undefined when that would change nothing. */
export function reprocessed(old: ModelRecipe, type: TypeSpec, forced: ForcedNodes): ModelRecipe | undefined {
  const fates = fatesOf(old.type, type, forced);
  const isGone = old.type.nodes.some(({ name }) => !fates.has(name));
  if (!isGone && ![...fates.values()].some(({ isAnew }) => isAnew)) return undefined;
  const next: ModelRecipe = { kind: 'recipe', type, nodes: new Map(), input: old.input, isComplete: false };
  carry(old, next, forced);
  return next;
}

function fatesOf(old: TypeSpec, type: TypeSpec, forced: ForcedNodes): ReadonlyMap<string, Fate> {
  const fates = new Map<string, Fate>();
  const named = [...(forced.nodes ?? []), ...Object.keys(forced.sub_recipes ?? {})];
  for (const node of type.nodes) {
    const before = old.nodes.find(({ name }) => name === node.name);
    const isForced =
      forced.all || named.includes(node.name) || node.parents.some(({ name }) => fates.get(name)?.isForced);
    if (before === undefined) {
      fates.set(node.name, { isChanged: false, isOther: false, isForced, isAnew: true });
      continue;
    }
    const isOther = isOtherwise(before, node, fates);
    const isChanged = isOther || before.revision !== node.revision;
    fates.set(node.name, { isChanged, isOther, isForced, isAnew: isChanged || isForced });
  }
  return fates;
}

function isOtherwise(before: NodeOfType, node: NodeOfType, fates: ReadonlyMap<string, Fate>): boolean {
  const text = ({ filter, input, parents }: NodeOfType) => {
    const inputs = Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
    return JSON.stringify([filter, inputs, parents]);
  };
  return text(before) !== text(node) || node.parents.some(({ name }) => fates.get(name)?.isChanged);
}

function carry(old: ModelRecipe, next: ModelRecipe, forced: ForcedNodes): void {
  const fates = fatesOf(old.type, next.type, forced);
  for (const [name, node] of old.nodes) {
    const fate = fates.get(name);
    const spec = next.type.nodes.find((one) => one.name === name);
    if (fate === undefined || spec === undefined) giveUp(node);
    else if (!fate.isAnew) {
      if (node.kind !== 'condition' || node.isProcessed) next.nodes.set(name, node);
    } else {
      const isBehind = spec.parents.some((parent) => fates.get(parent.name)?.isAnew);
      if (node.kind !== 'recipe' || isBehind || fate.isOther) giveUp(node);
      else {
        const fresh = newNode(spec) as ModelRecipe;
        next.nodes.set(name, fresh);
        carry(node, fresh, forced.all ? forced : (forced.sub_recipes?.[name] ?? NOTHING));
      }
    }
  }
}

/** What is not at its end will never be. */
function giveUp(node: ModelNode): void {
  if (node.kind === 'recipe') for (const inside of node.nodes.values()) giveUp(inside);
  if (node.kind === 'job' && !['FAILED', 'COMPLETED'].includes(node.status)) node.status = 'CANCELED';
}
