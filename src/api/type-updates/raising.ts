/**
 * Puts a new revision of a type into the definition of a recipe type that contains it, for updates and their previews.
 */
import { isJsonObject } from '../../domain/document/json-value.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import type { Checked } from '../../domain/validation.ts';
import type { InnerMember, MemberOutcome, TypeUpdate, WaitingMember } from '../../store/type-update/save.ts';

/** The type that has a new revision, and the number of this revision. */
export type RaisedType = Pick<TypeUpdate, 'kind' | 'name' | 'version' | 'revisionNum'>;

/** The outcome for a recipe type. `checked`: its changed definition; undefined if the definition has not changed. */
export function outcomeOf(
  { id }: WaitingMember,
  checked: Checked<RecipeDefinition> | undefined,
  inner: readonly InnerMember[],
): MemberOutcome {
  if (checked?.ok === true) return { id, state: 'raised', definition: checked.value };
  if (checked?.ok === false) return { id, state: 'behind', reason: checked.errors[0]?.description ?? '' };
  const behind = inner.find((one) => one.state === 'behind');
  if (behind === undefined) return { id, state: 'unchanged' };
  return { id, state: 'behind', reason: `it contains '${behind.name}', which keeps its revision` };
}

/**
 * The definition with the new revision, and the new revisions of updated recipe types, in its nodes. Returns the same
 * object if no node changes.
 */
export function raisedDefinition(
  { definition }: WaitingMember,
  update: RaisedType,
  inner: readonly InnerMember[],
): Definition {
  const { kind, name, version, revisionNum } = update;
  const raised = new Map([[keyOf(kind, name, version), revisionNum]]);
  for (const one of inner) {
    if (one.revisionNum !== null) raised.set(keyOf('recipe', one.name, null), one.revisionNum);
  }
  let isChanged = false;
  const nodes = isJsonObject(definition.nodes) ? definition.nodes : {};
  const changed = Object.entries(nodes).map(([node, value]) => {
    if (!isJsonObject(value) || !isJsonObject(value.node_type)) return [node, value] as const;
    const type = raisedNode(value.node_type, raised);
    if (type === undefined) return [node, value] as const;
    isChanged = true;
    return [node, { ...value, node_type: type }] as const;
  });
  return isChanged ? { ...definition, nodes: Object.fromEntries(changed) } : definition;
}

type Definition = WaitingMember['definition'];

function keyOf(kind: RaisedType['kind'], name: unknown, version: unknown): string {
  return JSON.stringify(kind === 'job' ? [kind, name, version] : [kind, name]);
}

/** The changed type of a node. Undefined if the type was not updated, or the node has the revision or a newer one. */
function raisedNode(type: Definition, raised: ReadonlyMap<string, number>): object | undefined {
  if (type.node_type === 'job') {
    const newest = raised.get(keyOf('job', type.job_type_name, type.job_type_version));
    const isOlder = newest !== undefined && Number(type.job_type_revision) < newest;
    return isOlder ? { ...type, job_type_revision: newest } : undefined;
  }
  const newest = raised.get(keyOf('recipe', type.recipe_type_name, null));
  const isOlder = newest !== undefined && Number(type.recipe_type_revision) < newest;
  return isOlder ? { ...type, recipe_type_revision: newest } : undefined;
}
