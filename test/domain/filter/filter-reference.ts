/**
 * A second opinion on data filters, written from the tables of the user documentation alone: as plain and slow as they
 * read. Shares no code with the evaluation.
 */
interface Entry {
  readonly name: string;
  readonly type: string;
  readonly condition: string;
  readonly values: readonly unknown[];
  readonly fields?: readonly (readonly string[])[];
  readonly all_fields?: boolean;
  readonly all_files?: boolean;
}
interface File {
  readonly fileName: string;
  readonly mediaType: string;
  readonly dataTypes: readonly string[];
  readonly metaData: unknown;
}
interface Examined {
  readonly files: Readonly<Record<string, readonly File[]>>;
  readonly json: Readonly<Record<string, unknown>>;
}

export function referenceAccepts(entries: readonly Entry[], all: boolean, data: Examined): boolean {
  const verdicts = entries.map((entry) => accepts(entry, data));
  if (verdicts.length === 0) return false;
  return all ? !verdicts.includes(false) : verdicts.includes(true);
}

function accepts(entry: Entry, data: Examined): boolean {
  if (['filename', 'media-type', 'data-type', 'meta-data'].includes(entry.type)) {
    const verdicts = (data.files[entry.name] ?? []).map((file) => acceptsFile(entry, file));
    if (verdicts.length === 0) return false;
    return entry.all_files === true ? !verdicts.includes(false) : verdicts.includes(true);
  }
  const value = data.json[entry.name];
  if (value === undefined || value === null) return false;
  if (entry.type === 'object') return kind(value) === 'object' && acceptsObject(entry, value);
  if (entry.type === 'integer' && !(kind(value) === 'number' && Number(value) % 1 === 0)) return false;
  if (entry.type !== 'integer' && kind(value) !== entry.type) return false;
  const isNumeric = entry.type === 'integer' || entry.type === 'number';
  return holds(entry.condition, isNumeric ? entry.values.map(spelled) : entry.values, value);
}

/** A text that spells a number is one. */
function spelled(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))
    ? Number(value)
    : value;
}

function acceptsFile(entry: Entry, file: File): boolean {
  if (entry.type === 'filename') return holds(entry.condition, entry.values, file.fileName);
  if (entry.type === 'media-type') return holds(entry.condition, entry.values, file.mediaType);
  if (entry.type === 'meta-data') return acceptsObject(entry, file.metaData ?? {});
  const isAny = (condition: string) => file.dataTypes.some((tag) => holds(condition, entry.values, tag));
  if (entry.condition === '!=') return !isAny('==');
  if (entry.condition === 'not in') return !isAny('in');
  return isAny(entry.condition);
}

function acceptsObject(entry: Entry, object: unknown): boolean {
  if (entry.fields === undefined) return holds(entry.condition, entry.values, object);
  const verdicts = entry.fields.map((path, index) => {
    let found: unknown = object;
    for (const key of path) {
      const isThere = kind(found) === 'object' && Object.keys(found as object).includes(key);
      found = isThere ? (found as Record<string, unknown>)[key] : null;
    }
    return holds(entry.condition, entry.values[index] as unknown[], found);
  });
  return entry.all_fields === false ? verdicts.includes(true) : !verdicts.includes(false);
}

/** The table of conditions, row by row; `[first, second]` are the values, `it` is the incoming data. */
function holds(condition: string, values: readonly unknown[], it: unknown): boolean {
  const [first, second] = values;
  const isComparable = (a: unknown, b: unknown) =>
    kind(a) === kind(b) && (kind(a) === 'number' || kind(a) === 'string');
  const less = (a: unknown, b: unknown) => isComparable(a, b) && (a as number) < (b as number);
  const atMost = (a: unknown, b: unknown) => less(a, b) || (isComparable(a, b) && a === b);
  const isOneOf = () => values.some((value) => same(value, it));
  switch (condition) {
    case '<':
      return less(first, it);
    case '<=':
      return atMost(first, it);
    case '>':
      return less(it, first);
    case '>=':
      return atMost(it, first);
    case '==':
      return values.length > 0 && same(first, it);
    case '!=':
      return values.length > 0 && !same(first, it);
    case 'between':
      return values.length > 1 && atMost(first, it) && atMost(it, second);
    case 'in':
      return isOneOf();
    case 'not in':
      return !isOneOf();
    case 'contains':
      return values.some((value) => isIn(value, it));
    case 'subset of':
      return isWithin(it, first);
    case 'superset of':
      return isWithin(first, it);
    default:
      throw new Error(`no condition ${condition}`);
  }
}

function isIn(value: unknown, it: unknown): boolean {
  if (kind(it) === 'string') return kind(value) === 'string' && (it as string).indexOf(value as string) >= 0;
  if (kind(it) === 'array') return (it as unknown[]).filter((item) => same(item, value)).length > 0;
  return (
    kind(it) === 'object' && kind(value) === 'string' && Object.keys(it as object).includes(value as string)
  );
}

function isWithin(part: unknown, whole: unknown): boolean {
  if (kind(part) !== 'object' || kind(whole) !== 'object') return false;
  const there = new Map(Object.entries(whole as object));
  return Object.entries(part as object).every(
    ([key, value]) => there.has(key) && same(value, there.get(key)),
  );
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Equal as JSON values, whatever the order of keys. */
function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (kind(value) === 'array') return `[${(value as unknown[]).map(canonical).join()}]`;
  if (kind(value) !== 'object') return Object.is(value, -0) ? '0' : String(JSON.stringify(value));
  const keys = Object.keys(value as object).sort();
  const members = keys.map((key) => [
    JSON.stringify(key),
    canonical((value as Record<string, unknown>)[key]),
  ]);
  return `{${members.map((pair) => pair.join(':')).join()}}`;
}
