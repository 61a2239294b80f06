/**
 * The forced-nodes document: the nodes that are reprocessed although nothing about them changed. It uses the contract's
 * field names, because batches store it as it is. `recipe-diff.ts` applies it to a definition.
 */
import { Fields } from '../document/fields.ts';
import { checkJson } from '../document/json-value.ts';
import { type Checked, IssueList } from '../validation.ts';
import type { RecipeTypeRevision } from './type-revisions.ts';

export interface ForcedNodes {
  /** Every node, including those of sub-recipes; the other fields are then absent. */
  readonly all: boolean;
  readonly nodes?: readonly string[];
  /** By the name of a recipe node, which is forced too: the nodes that are forced inside it. */
  readonly sub_recipes?: Readonly<Record<string, ForcedNodes>>;
}

export const NOTHING_FORCED: ForcedNodes = Object.freeze({ all: false, nodes: [], sub_recipes: {} });
export const ALL_FORCED: ForcedNodes = Object.freeze({ all: true });

const SHAPE = 'INVALID_FORCED_NODES';
/** limit: levels of sub-recipes in one document. */
const DEPTH_MAX = 20;
const NODES_MAX = 1_000;
const NODE_NAME_CHARS_MAX = 100;
// limit: names in total. Each recipe of a batch is compared with them, on the event loop.
export const FORCED_NAMES_MAX = 10_000;

/** Checks the form. */
export function validateForcedNodes(document: unknown): Checked<ForcedNodes> {
  const issues = new IssueList();
  const isReadable = checkJson(document, issues, SHAPE);
  const names = { left: FORCED_NAMES_MAX };
  const value = isReadable ? readForcedNodes(issues, document, '', names) : NOTHING_FORCED;
  if (names.left < 0) issues.error(SHAPE, '', `at most ${FORCED_NAMES_MAX} nodes are named in all`);
  return issues.finish(() => value);
}

/** Stops at the limit of names. */
function readForcedNodes(
  issues: IssueList,
  document: unknown,
  path: string,
  names: { left: number },
  depth = 0,
): ForcedNodes {
  const fields = Fields.open(issues, SHAPE, document, path);
  if (fields === undefined) return NOTHING_FORCED;
  fields.acceptVersion();
  const all = fields.flag('all', undefined);
  if (all === undefined && !fields.has('all')) {
    const says = "is required: true for all nodes, false for those of 'nodes' and those that differ";
    fields.error('all', `'${path === '' ? '' : `${path}.`}all' ${says}`);
  }
  const nodes = fields.texts('nodes', { max: NODE_NAME_CHARS_MAX, itemsMax: NODES_MAX });
  names.left -= nodes.length;
  const subRecipes: [string, ForcedNodes][] = [];
  for (const { name, value, path: at } of fields.map('sub_recipes')) {
    names.left -= 1;
    if (names.left < 0) break;
    if (depth >= DEPTH_MAX) issues.error(SHAPE, at, `sub-recipes are nested at most ${DEPTH_MAX} deep`);
    else subRecipes.push([name, readForcedNodes(issues, value, at, names, depth + 1)]);
  }
  fields.refuseOthers();
  if (all === true) {
    if (nodes.length > 0 || subRecipes.length > 0) {
      issues.warning(
        'FORCED_NODES_IGNORED',
        path,
        `'nodes' and 'sub_recipes' have no effect if 'all' is true`,
      );
    }
    return ALL_FORCED;
  }
  return { all: false, nodes: [...new Set(nodes)], sub_recipes: Object.fromEntries(subRecipes) };
}

/**
 * Checks that every name is a node of the revision, that those of `sub_recipes` are recipe nodes, and so on inside
 * them.
 */
export function checkForcedNodes(forced: ForcedNodes, revision: RecipeTypeRevision): Checked<true> {
  const issues = new IssueList();
  checkInside(issues, forced, revision, '');
  return issues.finish(() => true);
}

function checkInside(
  issues: IssueList,
  forced: ForcedNodes,
  revision: RecipeTypeRevision,
  path: string,
): void {
  const at = path === '' ? '' : `${path}.`;
  const declared = revision.definition.nodes as Readonly<Record<string, unknown>>;
  const { nodes = [], sub_recipes: subRecipes = {} } = forced;
  for (const [index, name] of nodes.entries()) {
    const where = `${at}nodes[${index}]`;
    if (!Object.hasOwn(declared, name)) {
      issues.error(
        'UNKNOWN_NODE',
        where,
        `the recipe type '${revision.recipeTypeName}' has no node '${name}'`,
      );
    } else if (revision.subRecipes.has(name) && !Object.hasOwn(subRecipes, name)) {
      const text = `'${name}' is a sub-recipe: what did not change inside it is kept unless it is forced, too`;
      issues.warning('SUB_RECIPE_NOT_FORCED', where, text);
    }
  }
  const named = new Set(nodes);
  for (const [name, inner] of Object.entries(subRecipes)) {
    const where = `${at}sub_recipes.${name}`;
    const sub = revision.subRecipes.get(name);
    if (sub === undefined) {
      const text = `the recipe type '${revision.recipeTypeName}' has no sub-recipe node '${name}'`;
      issues.error('UNKNOWN_NODE', where, text);
      continue;
    }
    if (!named.has(name)) {
      issues.warning('NODE_FORCED', where, `'${name}' itself is forced though 'nodes' does not name it`);
    }
    checkInside(issues, inner, sub, where);
  }
}
