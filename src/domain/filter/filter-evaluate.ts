/**
 * Evaluates a data filter exactly as the contract's table says: `<` passes when the FIRST VALUE is less than the
 * incoming data, and so on. A mismatch of types fails a filter, with a reason. Pure; runs on the calling thread or in
 * the evaluator's pool.
 */
import { isJsonObject, type Json, type JsonObject, jsonEquals } from '../document/json-value.ts';
import { type DataFilter, type Filter, type FilterCondition, memberOf, numberOf } from './filter.ts';
import { failedCondition, shownValue } from './filter-failure.ts';

/** The facts of a stored file that filters can check. */
export interface FileFacts {
  readonly fileName: string;
  readonly mediaType: string;
  readonly dataTypes: readonly string[];
  readonly metaData: JsonObject | null;
}

/** The data that a filter checks: values by parameter name, files with their facts. */
export interface FilterData {
  readonly files: Readonly<Record<string, readonly FileFacts[]>>;
  readonly json: Readonly<Record<string, Json>>;
}

export interface FilterVerdict {
  readonly isAccepted: boolean;
  /**
   * Why the data were refused, as sentences; empty if they were accepted. If all entries must pass, the first failure;
   * otherwise the failures of all entries, at most ten.
   */
  readonly reasons: readonly string[];
}

const REASONS_MAX = 10;

/** Evaluates a whole filter. A filter without entries accepts nothing. */
export function evaluateFilter(filter: DataFilter, data: FilterData): FilterVerdict {
  if (filter.filters.length === 0)
    return { isAccepted: false, reasons: ['a filter without entries accepts nothing'] };
  const reasons: string[] = [];
  for (const entry of filter.filters) {
    const reason = failureOf(entry, data);
    if (reason === undefined && !filter.all) return { isAccepted: true, reasons: [] };
    if (reason === undefined) continue;
    if (reasons.length < REASONS_MAX) reasons.push(`${entry.name} ${reason}`);
    if (filter.all) break;
  }
  return { isAccepted: reasons.length === 0, reasons };
}

/** Why an entry fails; undefined when it passes. */
function failureOf(filter: Filter, data: FilterData): string | undefined {
  switch (filter.type) {
    case 'filename':
    case 'media-type':
    case 'data-type':
    case 'meta-data':
      return failureOfFiles(filter, data);
    default:
      return failureOfJson(filter, data);
  }
}

function failureOfFiles(filter: Filter, data: FilterData): string | undefined {
  const files = Object.hasOwn(data.files, filter.name) ? data.files[filter.name] : undefined;
  if (files === undefined || files.length === 0) return 'has no files';
  // One failing file is shown, whether all files or only one had to pass.
  const failed = files.find((file) => !passesFile(filter, file));
  const isPassed =
    failed === undefined || (!filter.all_files && files.some((file) => passesFile(filter, file)));
  return isPassed ? undefined : failureOfFile(filter, failed);
}

function failureOfFile(filter: Filter, file: FileFacts): string {
  const name = `(${shownValue(file.fileName)})`;
  const failed = failedCondition(filter.condition, filter.values);
  switch (filter.type) {
    case 'filename':
      return `${name}: its name ${failed}`;
    case 'media-type':
      return `${name}: its media type ${shownValue(file.mediaType)} ${failed}`;
    case 'data-type':
      return `${name}: of its data types ${shownValue(file.dataTypes)} ${failedTags(filter)}`;
    default:
      return `${name}: its meta-data ${failureOfObject(filter, file.metaData ?? {})}`;
  }
}

function failedTags({ condition, values }: Filter): string {
  const isNegated = condition === '!=' || condition === 'not in';
  return `${isNegated ? 'one' : 'each'} ${failedCondition(condition, values)}`;
}

function passesFile(filter: Filter, file: FileFacts): boolean {
  switch (filter.type) {
    case 'filename':
      return passes(filter.condition, filter.values, file.fileName);
    case 'media-type':
      return passes(filter.condition, filter.values, file.mediaType);
    case 'data-type':
      return passesTags(filter, file.dataTypes);
    default:
      return passesObject(filter, file.metaData ?? {});
  }
}

/** Whether a file's tags pass: any tag may satisfy the filter; for the negated conditions all tags must. */
function passesTags(filter: Filter, tags: readonly string[]): boolean {
  const isNegated = filter.condition === '!=' || filter.condition === 'not in';
  const passesTag = (tag: string): boolean => passes(filter.condition, filter.values, tag);
  return isNegated ? tags.every(passesTag) : tags.some(passesTag);
}

function failureOfJson(filter: Filter, data: FilterData): string | undefined {
  const value = Object.hasOwn(data.json, filter.name) ? data.json[filter.name] : undefined;
  if (value === undefined || value === null) return 'has no value';
  if (filter.type === 'object') {
    if (!isJsonObject(value)) return 'is no object';
    return passesObject(filter, value) ? undefined : failureOfObject(filter, value);
  }
  const isRightType = filter.type === 'integer' ? Number.isInteger(value) : typeof value === filter.type;
  if (!isRightType) return `${shownValue(value)} is not of type '${filter.type}'`;
  const isNumber = filter.type === 'integer' || filter.type === 'number';
  const values = isNumber ? filter.values.map((one) => numberOf(one) ?? one) : filter.values;
  if (passes(filter.condition, values, value)) return undefined;
  return `${shownValue(value)} ${failedCondition(filter.condition, values)}`;
}

/**
 * With `fields`, the value at the nth path is compared with the nth entry of values; without, the whole object is
 * compared.
 */
function passesObject(filter: Filter, object: JsonObject): boolean {
  if (filter.fields === undefined) return passes(filter.condition, filter.values, object);
  const passesPath = (path: readonly string[], index: number): boolean =>
    passesAt(filter, object, path, index);
  return filter.all_fields ? filter.fields.every(passesPath) : filter.fields.some(passesPath);
}

function passesAt(filter: Filter, object: JsonObject, path: readonly string[], index: number): boolean {
  const values = filter.values[index];
  return Array.isArray(values) && passes(filter.condition, values, valueAt(object, path));
}

function valueAt(object: JsonObject, path: readonly string[]): Json {
  return path.reduce<Json>((value, key) => memberOf(value, key), object);
}

/** Shows why an object does not pass: the first field that does not, or the whole object. */
function failureOfObject(filter: Filter, object: JsonObject): string {
  const { fields, condition, values } = filter;
  const index = fields?.findIndex((path, at) => !passesAt(filter, object, path, at)) ?? -1;
  const path = fields?.[index];
  if (path === undefined) return `${shownValue(object)} ${failedCondition(condition, values)}`;
  const wanted = values[index];
  const failure = failedCondition(condition, Array.isArray(wanted) ? wanted : []);
  return `${shownValue(path.join('.'))} ${shownValue(valueAt(object, path))} ${failure}`;
}

/** The table of conditions. `values` is never empty if validation passed; an empty one passes only `not in`. */
function passes(condition: FilterCondition, values: readonly Json[], input: Json): boolean {
  const first = values[0];
  if (condition === 'in') return values.some((value) => jsonEquals(value, input));
  if (condition === 'not in') return !values.some((value) => jsonEquals(value, input));
  if (condition === 'contains') return values.some((value) => contains(input, value));
  if (first === undefined) return false;
  switch (condition) {
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(first, condition, input);
    case '==':
      return jsonEquals(first, input);
    case '!=':
      return !jsonEquals(first, input);
    case 'between': {
      const second = values[1];
      return second !== undefined && isOrdered(first, '<=', input) && isOrdered(input, '<=', second);
    }
    case 'subset of':
      return isSubset(input, first);
    case 'superset of':
      return isSubset(first, input);
  }
}

/**
 * Numbers are compared with numbers and texts with texts (by UTF-16 units, which suits ISO dates); other combinations
 * have no order.
 */
function isOrdered(left: Json, condition: '<' | '<=' | '>' | '>=', right: Json): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areTexts) return false;
  switch (condition) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Texts contain texts, lists contain items, objects contain keys. */
function contains(input: Json, value: Json): boolean {
  if (typeof input === 'string') return typeof value === 'string' && input.includes(value);
  if (Array.isArray(input)) return input.some((item: Json) => jsonEquals(item, value));
  return isJsonObject(input) && typeof value === 'string' && Object.hasOwn(input, value);
}

function isSubset(part: Json, whole: Json): boolean {
  if (!isJsonObject(part) || !isJsonObject(whole)) return false;
  return Object.entries(part).every(([key, value]) => {
    return Object.hasOwn(whole, key) && jsonEquals(value, whole[key] as Json);
  });
}
