/**
 * The basic changes that differences between the public system's clients and the interface consist of. Each takes an
 * object of a body or an answer, and returns it in the other side's form.
 */
import { changeAt, isHolder } from './places.ts';

type Holder = Readonly<Record<string, unknown>>;
type BodyHolder = Record<string, unknown>;
export type Change = (holder: Holder) => Holder;
export type BodyChange = (holder: BodyHolder) => BodyHolder;

/** Renames a field of a body that is sent under another name. The client's own name takes precedence. */
export function sentAs(theirs: string, ours: string): BodyChange {
  return (holder) => {
    const sent = Object.hasOwn(holder, theirs) ? holder[theirs] : undefined;
    if (sent === undefined) return holder;
    delete holder[theirs];
    if (sent !== null || holder[ours] === undefined) holder[ours] = sent;
    return holder;
  };
}

/** Adds a field of an answer under another name as well. */
export function alsoAs(ours: string, theirs: string): Change {
  return (holder) => (Object.hasOwn(holder, ours) ? { ...holder, [theirs]: holder[ours] } : holder);
}

/** Adds a field to an answer if it is missing. */
export function defaulted(field: string, value: unknown): Change {
  return (holder) => (Object.hasOwn(holder, field) ? holder : { ...holder, [field]: value });
}

/** Removes the errors of this name from the answer of a validation, which may be valid then. */
export function unrefused(name: string): Change {
  return (holder) => {
    const { errors } = holder;
    if (!Array.isArray(errors)) return holder;
    const left = errors.filter((error) => !isHolder(error) || error.name !== name);
    return { ...holder, is_valid: left.length === 0, errors: left };
  };
}

/** Removes the warnings of this name from the answer of a validation. */
export function unwarned(name: string): Change {
  return (holder) => {
    const { warnings } = holder;
    if (!Array.isArray(warnings)) return holder;
    return { ...holder, warnings: warnings.filter((warning) => !isHolder(warning) || warning.name !== name) };
  };
}

/** Removes fields that have no meaning here from a body. */
export function ignored(...fields: readonly string[]): BodyChange {
  return (holder) => {
    for (const field of fields) delete holder[field];
    return holder;
  };
}

/** Removes nulls and empty texts from a body. */
export const withoutBlanks: BodyChange = (holder) => {
  for (const field of Object.keys(holder)) if (isBlank(holder[field])) delete holder[field];
  return holder;
};

const isBlank = (value: unknown): boolean => value === null || value === '';

/** Removes these fields from a body if they are empty texts. */
export function withoutEmpty(...fields: readonly string[]): BodyChange {
  return (holder) => {
    for (const field of fields) if (holder[field] === '') delete holder[field];
    return holder;
  };
}

/** Uses the name of a manifest's job as its title if the title is empty or blank. */
export const titledByName: BodyChange = (job) => {
  if (typeof job.title === 'string' && job.title.trim() === '') job.title = job.name;
  return job;
};

/** Removes a field from an answer. */
export function hidden(field: string): Change {
  return (holder) => {
    if (!Object.hasOwn(holder, field)) return holder;
    const { [field]: _, ...rest } = holder;
    return rest;
  };
}

/** Flattens lists inside these lists of a body; an empty list becomes absent. */
export function flattened(...fields: readonly string[]): BodyChange {
  return (holder) => {
    for (const field of fields) {
      const given = holder[field];
      if (!Array.isArray(given)) continue;
      const items = given.flat(1).filter((item) => !isBlank(item));
      if (items.length === 0) delete holder[field];
      else holder[field] = items;
    }
    return holder;
  };
}

/** Applies changes of a body one after the other. */
export function all(...changes: readonly BodyChange[]): BodyChange {
  return (holder) => changes.reduce((value, change) => change(value), holder);
}

/** Keeps the settings of a scan's configuration only under `scanner`; an answer repeats them as `monitor`. */
export const scannerOnly: BodyChange = (configuration) => {
  const { monitor } = configuration;
  delete configuration.monitor;
  if (configuration.scanner === undefined && monitor !== undefined) configuration.scanner = monitor;
  return configuration;
};

const NODE_TYPE_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['job', ['job_type_name', 'job_type_version', 'job_type_revision']],
  ['recipe', ['recipe_type_name', 'recipe_type_revision']],
  ['condition', ['interface', 'data_filter']],
]);

/** Removes from a node of a definition the fields that only a running graph has. */
export const definedNode: BodyChange = (node) => {
  const { node_type: type } = node;
  const kept = picked(node, ['dependencies', 'input', 'node_type']);
  const known = isHolder(type) ? NODE_TYPE_FIELDS.get(type.node_type) : undefined;
  if (isHolder(type) && known !== undefined) kept.node_type = picked(type, ['node_type', ...known]);
  return kept;
};

/** A copy of the holder with these fields only, as far as it has them. */
function picked(holder: Holder, fields: readonly string[]): BodyHolder {
  const present = fields.filter((field) => Object.hasOwn(holder, field));
  return Object.fromEntries(present.map((field) => [field, holder[field]]));
}

/**
 * Removes the acceptance of nodes that are not conditions, where it has no effect. The public system's UI sends `false`
 * for each of them.
 */
export const conditionsAccepted: BodyChange = (definition) => {
  const { nodes } = definition;
  if (!isHolder(nodes)) return definition;
  const decides = (name: unknown): boolean => {
    const node = typeof name === 'string' && Object.hasOwn(nodes, name) ? nodes[name] : undefined;
    const type = isHolder(node) ? node.node_type : undefined;
    return !isHolder(type) || type.node_type === 'condition';
  };
  return changeAt(definition, 'nodes.*.dependencies[]', (dependency) => {
    if (typeof dependency.acceptance === 'boolean' && !decides(dependency.name)) delete dependency.acceptance;
    return dependency;
  }) as BodyHolder;
};
