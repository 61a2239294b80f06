/** The places where two JSON documents differ. */

export interface DocumentChange {
  /** Such as `job.interface.inputs.files[0].name`. List items with a `name` have it in place of the index. */
  readonly path: string;
  /** As JSON; undefined if the document has no such place. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Members = ReadonlyMap<string, unknown>;

/** Places in the order of the first document, then those only of the second. The whole document has an empty path. */
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

/** Undefined for a value without members. */
function membersOf(value: unknown): Members | undefined {
  if (Array.isArray(value)) return new Map(itemNames(value).map((name, index) => [name, value[index]]));
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map(Object.entries(value));
}

/** The names of items, if all are distinct: then an added item does not change the places of those after it. */
function itemNames(items: readonly unknown[]): readonly string[] {
  const names = items.map((item) => (item as { readonly name?: unknown } | null)?.name);
  const areNames = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return areNames ? (names as string[]) : items.map((_, index) => String(index));
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
