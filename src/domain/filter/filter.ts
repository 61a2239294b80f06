/**
 * The data filter document: its form and static checks, alone and against the interface whose data it checks.
 * `filter-evaluate.ts` evaluates filters.
 */
import { Fields } from '../document/fields.ts';
import { isAbsent, isJsonObject, type Json } from '../document/json-value.ts';
import { type Interface, type Parameter, parametersOf } from '../interface/interface.ts';
import { type Checked, IssueList } from '../validation.ts';

export const FILTER_CONDITIONS = [
  '<',
  '<=',
  '>',
  '>=',
  '==',
  '!=',
  'between',
  'in',
  'not in',
  'contains',
  'subset of',
  'superset of',
] as const;
export type FilterCondition = (typeof FILTER_CONDITIONS)[number];

const TEXT_CONDITIONS: readonly FilterCondition[] = ['==', '!=', 'in', 'not in', 'contains'];
const NUMBER_CONDITIONS: readonly FilterCondition[] = [
  '<',
  '<=',
  '>',
  '>=',
  '==',
  '!=',
  'between',
  'in',
  'not in',
];
const OBJECT_CONDITIONS: readonly FilterCondition[] = ['subset of', 'superset of'];

/** The conditions of each type. Object types take every condition when they name `fields`. */
const CONDITIONS_OF = {
  string: TEXT_CONDITIONS,
  filename: TEXT_CONDITIONS,
  'media-type': TEXT_CONDITIONS,
  'data-type': TEXT_CONDITIONS,
  integer: NUMBER_CONDITIONS,
  number: NUMBER_CONDITIONS,
  boolean: ['==', '!='],
  object: OBJECT_CONDITIONS,
  'meta-data': OBJECT_CONDITIONS,
} as const satisfies Record<string, readonly FilterCondition[]>;
export type FilterType = keyof typeof CONDITIONS_OF;
export const FILTER_TYPES = Object.keys(CONDITIONS_OF) as readonly FilterType[];
const FILE_TYPES: ReadonlySet<FilterType> = new Set(['filename', 'media-type', 'data-type', 'meta-data']);

export interface Filter {
  readonly name: string;
  readonly type: FilterType;
  readonly condition: FilterCondition;
  /** With `fields`, the nth entry is itself the array of values for the nth path. */
  readonly values: readonly Json[];
  readonly fields?: readonly (readonly string[])[];
  readonly all_fields: boolean;
  readonly all_files: boolean;
}
export interface DataFilter {
  readonly filters: readonly Filter[];
  readonly all: boolean;
}

/** Accepts nothing, like any filter without entries. */
export const EMPTY_FILTER: DataFilter = Object.freeze({ filters: [], all: true });

const SHAPE = 'INVALID_DATA_FILTER';
const FILTERS_MAX = 1_000;
const VALUES_MAX = 10_000;

/**
 * Checks a data filter document at `path` of another one, and fills its defaults. The types of values are checked when
 * it runs.
 */
export function readFilter(issues: IssueList, document: unknown, path: string): DataFilter {
  const fields = Fields.open(issues, SHAPE, document, path);
  if (fields === undefined) return EMPTY_FILTER;
  fields.acceptVersion();
  const filters = fields.list('filters', { max: FILTERS_MAX }).flatMap((item) => {
    const entry = Fields.open(issues, SHAPE, item.value, item.path);
    const filter = entry === undefined ? undefined : readEntry(issues, entry);
    return filter === undefined ? [] : [filter];
  });
  const all = fields.flag('all', true);
  fields.refuseOthers();
  return { filters, all };
}

function readEntry(issues: IssueList, entry: Fields): Filter | undefined {
  const name = entry.text('name', { required: true, max: 250, missing: 'MISSING_NAME' });
  const type = readType(entry);
  const needs = { required: true, missing: 'MISSING_CONDITION', problem: 'INVALID_CONDITION' };
  const condition = entry.oneOf('condition', FILTER_CONDITIONS, needs);
  const values = entry.list('values', { required: true, min: 1, max: VALUES_MAX, missing: 'MISSING_VALUES' });
  const paths = readPaths(
    issues,
    entry,
    values.map(({ value }) => value),
  );
  const allFields = entry.flag('all_fields', true);
  const allFiles = entry.flag('all_files', false);
  entry.refuseOthers();
  if (type === undefined || condition === undefined) return undefined;
  checkCondition(entry, type, condition, paths !== undefined);
  const plain = values.map(({ value }) => (value ?? null) as Json);
  if (paths === undefined) warnOfValues(issues, entry, { type, condition, values: plain });
  else if (type !== 'object' && type !== 'meta-data') {
    const text = `only filters of type 'object' and 'meta-data' look at 'fields': this one compares lists`;
    issues.warning('UNUSED_FIELDS', `${entry.path}.fields`, text);
  }
  if (name === undefined) return undefined;
  const common = { name, type, condition, values: plain, all_fields: allFields, all_files: allFiles };
  return paths === undefined ? common : { ...common, fields: paths };
}

/** `array` is listed by the contract, but no condition takes it. */
function readType(entry: Fields): FilterType | undefined {
  const type = entry.oneOf('type', [...FILTER_TYPES, 'array'], { required: true, missing: 'MISSING_TYPE' });
  if (type !== 'array') return type;
  entry.error('type', `there is no condition for arrays`, 'INVALID_TYPE');
  return undefined;
}

function readPaths(
  issues: IssueList,
  entry: Fields,
  values: readonly unknown[],
): readonly (readonly string[])[] | undefined {
  if (!entry.has('fields')) return undefined;
  const items = entry.list('fields', { min: 1, max: VALUES_MAX });
  const paths = items.map(({ value, path }) => {
    const isPath = Array.isArray(value) && value.length > 0 && value.length <= 100;
    if (isPath && value.every((key) => typeof key === 'string')) return value;
    issues.error(SHAPE, path, `'${path}' must be an array of at least one key (texts)`);
    return [];
  });
  if (items.length !== values.length) {
    entry.error('fields', `'fields' must have as many entries as 'values'`, 'INVALID_FIELDS');
  }
  for (const [index, value] of values.entries()) {
    if (Array.isArray(value)) continue;
    const at = `${entry.path}.values[${index}]`;
    issues.error('INVALID_FIELDS', at, `with 'fields', every entry of 'values' must itself be an array`);
  }
  return paths;
}

function checkCondition(
  entry: Fields,
  type: FilterType,
  condition: FilterCondition,
  hasFields: boolean,
): void {
  const allowed: readonly FilterCondition[] = CONDITIONS_OF[type];
  const isObject = type === 'object' || type === 'meta-data';
  if (allowed.includes(condition) || (isObject && hasFields)) return;
  const more = isObject ? `; others need 'fields'` : '';
  const text = `a filter of type '${type}' takes the conditions ${allowed.join(', ')}${more}`;
  entry.error('condition', text, 'INVALID_CONDITION');
}

/** Values are checked only when the filter runs, but one that can never pass gets a warning. */
function warnOfValues(
  issues: IssueList,
  entry: Fields,
  filter: { type: FilterType; condition: FilterCondition; values: readonly Json[] },
): void {
  const isNumeric = filter.type === 'integer' || filter.type === 'number';
  for (const [index, value] of filter.values.entries()) {
    if (!isNumeric || numberOf(value) !== undefined) continue;
    issues.warning(
      'VALUE_ERROR',
      `${entry.path}.values[${index}]`,
      'the value is no number and will never match',
    );
  }
  if (filter.condition === 'between' && filter.values.length < 2) {
    issues.warning('VALUE_ERROR', `${entry.path}.values`, `'between' needs two values and will never pass`);
  }
}

const OTHER_BASE = /^0[box]/i;

/**
 * A number as a filter's value: the number itself, or a text that spells it in decimals. It is not found by one
 * expression for the whole text: with two parts that both match digits, 10,000 digits before a letter took 0.9 s.
 */
export function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '' || OTHER_BASE.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Checks a filter against the interface whose data it will check. Errors: MISMATCHED_TYPE; warnings: UNMATCHED_FILTER
 * (there is no such parameter: the filter always fails), UNMATCHED_PARAMETERS (no filter checks them).
 */
export function validateFilterFor(filter: DataFilter, parameters: Interface): Checked<true> {
  const issues = new IssueList();
  const byName = parametersOf(parameters);
  for (const [index, entry] of filter.filters.entries()) {
    const path = `filters[${index}]`;
    const parameter = byName.get(entry.name);
    if (parameter === undefined) {
      issues.warning(
        'UNMATCHED_FILTER',
        `${path}.name`,
        `there is no parameter '${entry.name}': the filter always fails`,
      );
    } else if (!isCompatible(entry.type, parameter)) {
      const kind = parameter.kind === 'file' ? 'takes files' : `is of type '${parameter.type}'`;
      const text = `a filter of type '${entry.type}' cannot examine '${entry.name}', which ${kind}`;
      issues.error('MISMATCHED_TYPE', `${path}.type`, text);
    }
  }
  const examined = new Set(filter.filters.map(({ name }) => name));
  const others = [...byName.keys()].filter((name) => !examined.has(name));
  if (others.length > 0) {
    issues.warning('UNMATCHED_PARAMETERS', 'filters', `no filter examines ${others.join(', ')}`);
  }
  return issues.finish(() => true);
}

function isCompatible(type: FilterType, parameter: Parameter): boolean {
  if (parameter.kind === 'file') return FILE_TYPES.has(type);
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return type === 'integer' || type === 'number';
    case 'array':
      return false;
    default:
      return type === parameter.type;
  }
}

/**
 * The data that certainly exist after a filter accepted: with `all`, every parameter that it names. This is the output
 * interface of a condition.
 */
export function acceptedInterface(parameters: Interface, filter: DataFilter): Interface {
  const named = new Set(filter.all ? filter.filters.map(({ name }) => name) : []);
  const isGuaranteed = (name: string): boolean => named.has(name);
  return {
    files: parameters.files.map((file) => ({ ...file, required: file.required || isGuaranteed(file.name) })),
    json: parameters.json.map((json) => ({ ...json, required: json.required || isGuaranteed(json.name) })),
  };
}

/** The member of a value that a path leads through; null if there is none. */
export function memberOf(value: Json, key: string): Json {
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null;
  const member = value[key];
  return isAbsent(member) ? null : (member as Json);
}
