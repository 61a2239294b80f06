/**
 * The small changes that differences between clients of the public system and the interface consist of. Each takes an
 * object of a body or an answer, and gives it as the other side knows it.
 */
import { changeAt, isHolder } from './places.ts';

type Holder = Readonly<Record<string, unknown>>;
export type Change = (holder: Holder) => Holder;

/** Renames a field of a body that is sent under another name. What the client's own name says counts. */
export function sentAs(theirs: string, ours: string): Change {
  return (holder) => {
    const { [theirs]: sent, ...rest } = holder;
    if (sent === undefined) return holder;
    return sent === null && rest[ours] !== undefined ? rest : { ...rest, [ours]: sent };
  };
}

/** Gives a field of an answer under another name as well. */
export function alsoAs(ours: string, theirs: string): Change {
  return (holder) => (Object.hasOwn(holder, ours) ? { ...holder, [theirs]: holder[ours] } : holder);
}

/** Adds a field to an answer that lacks it. */
export function defaulted(field: string, value: unknown): Change {
  return (holder) => (Object.hasOwn(holder, field) ? holder : { ...holder, [field]: value });
}

/** Removes the warnings of this name from the answer of a validation. */
export function unwarned(name: string): Change {
  return (holder) => {
    const { warnings } = holder;
    if (!Array.isArray(warnings)) return holder;
    return { ...holder, warnings: warnings.filter((warning) => !isHolder(warning) || warning.name !== name) };
  };
}

/** Removes fields of a body that say nothing. */
export function ignored(...fields: readonly string[]): Change {
  return (holder) => {
    const kept = Object.entries(holder).filter(([name]) => !fields.includes(name));
    return Object.fromEntries(kept);
  };
}

/** Removes from a body what is null or an empty text, which says nothing. */
export const withoutBlanks: Change = (holder) => {
  const kept = Object.entries(holder).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries(kept);
};

/** Removes these fields from a body where they hold an empty text, which says nothing. */
export function withoutEmpty(...fields: readonly string[]): Change {
  return (holder) => {
    const kept = Object.entries(holder).filter(([name, value]) => value !== '' || !fields.includes(name));
    return Object.fromEntries(kept);
  };
}

/** Gives the job of a manifest its name as its title when the title is empty or blank. */
export const titledByName: Change = (job) =>
  typeof job.title === 'string' && job.title.trim() === '' ? { ...job, title: job.name } : job;

/** Takes lists inside these lists of a body as items of their own; a list that is left without items is absent. */
export function flattened(...fields: readonly string[]): Change {
  return (holder) => {
    const entries = Object.entries(holder).flatMap(([name, value]) => {
      if (!fields.includes(name) || !Array.isArray(value)) return [[name, value] as const];
      const items = value.flat(1).filter((item) => item !== null && item !== '');
      return items.length === 0 ? [] : [[name, items] as const];
    });
    return Object.fromEntries(entries);
  };
}

/** Applies changes of a body one after the other. */
export function all(...changes: readonly Change[]): Change {
  return (holder) => changes.reduce((value, change) => change(value), holder);
}

/** Keeps the settings of a scan's configuration under `scanner` alone; an answer repeats them as `monitor`. */
export const scannerOnly: Change = ({ monitor, ...rest }) =>
  rest.scanner === undefined && monitor !== undefined ? { ...rest, scanner: monitor } : rest;

const NODE_TYPE_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['job', ['job_type_name', 'job_type_version', 'job_type_revision']],
  ['recipe', ['recipe_type_name', 'recipe_type_revision']],
  ['condition', ['interface', 'data_filter']],
]);

/** Removes from a node of a definition what a running graph has beside the definition. */
export const definedNode: Change = (node) => {
  const { dependencies, input, node_type: type } = node;
  const kept: Record<string, unknown> = { dependencies, input, node_type: type };
  const known = isHolder(type) ? NODE_TYPE_FIELDS.get(type.node_type) : undefined;
  if (isHolder(type) && known !== undefined) {
    const fields = Object.entries(type).filter(([name]) => name === 'node_type' || known.includes(name));
    kept.node_type = Object.fromEntries(fields);
  }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
};

/**
 * Removes from a definition what is said of the acceptance of nodes that are no conditions, which has no effect. The
 * public system's UI says `false` for each of them.
 */
export const conditionsAccepted: Change = (definition) => {
  const { nodes } = definition;
  if (!isHolder(nodes)) return definition;
  const decides = (name: unknown): boolean => {
    const node = typeof name === 'string' && Object.hasOwn(nodes, name) ? nodes[name] : undefined;
    const type = isHolder(node) ? node.node_type : undefined;
    return !isHolder(type) || type.node_type === 'condition';
  };
  return changeAt(definition, 'nodes.*.dependencies[]', (dependency) => {
    const { acceptance, ...rest } = dependency;
    return typeof acceptance !== 'boolean' || decides(dependency.name) ? dependency : rest;
  }) as Holder;
};
