/**
 * The Data document: values for the parameters of an interface, with files by id. Callers that can read rows check
 * whether the files exist, and their media types.
 */
import { Fields } from '../document/fields.ts';
import { checkJson, childPath, isAbsent, isJsonObject, type Json } from '../document/json-value.ts';
import { type Interface, type JsonType, type Parameter, parametersOf } from '../interface/interface.ts';
import { type Checked, IssueList, PROBLEMS_MAX } from '../validation.ts';

export interface Data {
  readonly files: Readonly<Record<string, readonly number[]>>;
  readonly json: Readonly<Record<string, Json>>;
}

export const EMPTY_DATA: Data = Object.freeze({ files: {}, json: {} });

/** limit: files of one parameter. More would not fit in one message, for a dataset member as for a job's input. */
const FILES_PER_PARAMETER_MAX = 100_000;

/**
 * limit: bytes of all JSON values of one input, as JSON text in UTF-8. Actors and the database keep the values as they
 * are. A job's JSON outputs have the same limit, and a value of more than 128 KiB fits into no task's environment.
 */
const JSON_INPUT_BYTES_MAX = 1_048_576;

/** Checks the form of a Data document. JSON values that are null count as absent and are left out. */
export function validateData(document: unknown): Checked<Data> {
  const issues = new IssueList();
  const isReadable = checkJson(document, issues, 'INVALID_DATA');
  const value = isReadable ? readData(issues, document, '') : EMPTY_DATA;
  return issues.finish(() => value);
}

function readData(issues: IssueList, document: unknown, path: string): Data {
  const fields = Fields.open(issues, 'INVALID_DATA', document, path);
  if (fields === undefined) return EMPTY_DATA;
  fields.acceptVersion();
  const files: [string, readonly number[]][] = [];
  for (const item of fields.map('files')) {
    if (isAbsent(item.value)) continue;
    const ids = readIds(issues, item.value, item.path);
    if (ids !== undefined) files.push([item.name, ids]);
  }
  const json: [string, Json][] = [];
  const fileNames = new Set(files.map(([name]) => name));
  for (const item of fields.map('json')) {
    if (isAbsent(item.value)) continue;
    json.push([item.name, item.value as Json]);
    if (fileNames.has(item.name)) {
      issues.error('DUPLICATE_VALUE', item.path, `'${item.name}' has both files and a JSON value`);
    }
  }
  fields.refuseOthers();
  const values = Object.fromEntries(json);
  if (json.length > 0 && Buffer.byteLength(JSON.stringify(values)) > JSON_INPUT_BYTES_MAX) {
    const text = `the JSON values of an input have at most ${JSON_INPUT_BYTES_MAX} bytes as text`;
    issues.error('INVALID_DATA', childPath(path, 'json'), text);
  }
  return { files: Object.fromEntries(files), json: values };
}

function readIds(issues: IssueList, value: unknown, path: string): readonly number[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= FILES_PER_PARAMETER_MAX;
  if (!isList) {
    const text = `'${path}' must be an array of 1 to ${FILES_PER_PARAMETER_MAX} file ids (integers from 1)`;
    issues.error('INVALID_DATA', path, text);
    return undefined;
  }
  const isId = (id: unknown): boolean => Number.isSafeInteger(id) && (id as number) > 0;
  for (const [index, id] of value.entries()) {
    if (!isId(id))
      issues.error('INVALID_DATA', childPath(path, index), 'must be the id of a file (an integer from 1)');
  }
  return value.every(isId) ? value : undefined;
}

/**
 * Checks that the data can be passed to the interface. The value is the data without names that the interface does not
 * have; those are dropped silently, as the contract says. At most `problemsMax` problems are listed.
 */
export function validateDataFor(
  data: Data,
  parameters: Interface,
  problemsMax = PROBLEMS_MAX,
): Checked<Data> {
  const issues = new IssueList(problemsMax);
  const files: [string, readonly number[]][] = [];
  const json: [string, Json][] = [];
  const byName = parametersOf(parameters);
  let requiredCount = requiredOf(parameters).length;
  for (const name of new Set([...Object.keys(data.files), ...Object.keys(data.json)])) {
    const parameter = byName.get(name);
    if (parameter === undefined) continue;
    const ids = Object.hasOwn(data.files, name) ? data.files[name] : undefined;
    const value = Object.hasOwn(data.json, name) ? data.json[name] : undefined;
    if (ids === undefined && isAbsent(value)) continue;
    if (parameter.required) requiredCount -= 1;
    if ((parameter.kind === 'file') !== (ids !== undefined)) {
      const text = `'${name}' takes ${parameter.kind === 'file' ? 'files' : 'a JSON value'}`;
      issues.error('MISMATCHED_PARAM_TYPE', `${ids === undefined ? 'json' : 'files'}.${name}`, text);
    } else if (parameter.kind === 'file') {
      checkFiles(issues, name, ids?.length ?? 0, parameter.multiple);
      files.push([name, ids ?? []]);
    } else if (!isOfType(value, parameter.type)) {
      issues.error('INVALID_JSON_TYPE', pathOf(parameter), `'${name}' must be of type '${parameter.type}'`);
    } else {
      json.push([name, value as Json]);
    }
  }
  if (requiredCount > 0) listMissing(issues, data, parameters, requiredCount);
  return issues.finish(() => ({ files: Object.fromEntries(files), json: Object.fromEntries(json) }));
}

const required = new WeakMap<Interface, readonly Parameter[]>();

/** Computed once for each interface: thousands of members may be checked against the same one. */
function requiredOf(parameters: Interface): readonly Parameter[] {
  let found = required.get(parameters);
  if (found === undefined) {
    found = [...parametersOf(parameters).values()].filter((parameter) => parameter.required);
    required.set(parameters, found);
  }
  return found;
}

function listMissing(issues: IssueList, data: Data, parameters: Interface, count: number): void {
  let left = count;
  for (const parameter of requiredOf(parameters)) {
    if (left === 0 || issues.isFullOfErrors) break;
    const { name } = parameter;
    if (Object.hasOwn(data.files, name) || (Object.hasOwn(data.json, name) && !isAbsent(data.json[name])))
      continue;
    issues.error('PARAM_REQUIRED', pathOf(parameter), `the required input '${name}' is missing`);
    left -= 1;
  }
  issues.countErrors(left);
}

function checkFiles(issues: IssueList, name: string, count: number, multiple: boolean): void {
  if (count === 0) issues.error('NO_FILES', `files.${name}`, `'${name}' must have at least one file`);
  if (count > 1 && !multiple) {
    issues.error('MULTIPLE_FILES', `files.${name}`, `'${name}' takes one file, not ${count}`);
  }
}

function pathOf(parameter: Parameter): string {
  return `${parameter.kind === 'file' ? 'files' : 'json'}.${parameter.name}`;
}

/** Whether a JSON value is of a type of the contract. Null has none; true and false are not numbers. */
export function isOfType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
