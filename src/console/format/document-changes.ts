/** The places where two JSON documents differ. */

export interface DocumentChange {
  /** `job.interface.inputs.files[0].name`; items of lists that have a `name` stand under it. */
  readonly path: string;
  /** As JSON; undefined where there is nothing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Members = ReadonlyMap<string, unknown>;

/** In the order of the first document, then what only the second has. The path of the whole document is empty. */
export function documentChanges(before: unknown, after: unknown, path = ''): readonly DocumentChange[] {
  const [old, current] = [membersOf(before), membersOf(after)];
  if (old === undefined || current === undefined || Array.isArray(before) !== Array.isArray(after)) {
    const [was, is] = [textOf(before), textOf(after)];
    return was === is ? [] : [{ path, before: was, after: is }];
  }
  const names = new Set([...old.keys(), ...current.keys()]);
  return [...names].flatMap((name) =>
    documentChanges(old.get(name), current.get(name), joined(path, name, Array.isArray(before))),
  );
}

function joined(path: string, name: string, isList: boolean): string {
  if (isList) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Undefined for what has no members. */
function membersOf(value: unknown): Members | undefined {
  if (Array.isArray(value)) return new Map(itemNames(value).map((name, index) => [name, value[index]]));
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map(Object.entries(value));
}

/** Names where all items have one of their own, so that an item that was added does not change those after it. */
function itemNames(items: readonly unknown[]): readonly string[] {
  const names = items.map((item) => (item as { readonly name?: unknown } | null)?.name);
  const areNames = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return areNames ? (names as string[]) : items.map((_, index) => String(index));
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
