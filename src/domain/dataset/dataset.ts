/**
 * Datasets: the form of a definition and of a member. A definition uses the contract's field names, because it is
 * stored and returned as it is. Callers that can read rows check whether files exist.
 */
import { type Data, EMPTY_DATA, validateData, validateDataFor } from '../data/data.ts';
import { Fields } from '../document/fields.ts';
import { checkJson, childPath, isAbsent, isJsonObject } from '../document/json-value.ts';
import { type Interface, parametersOf, validateInterface } from '../interface/interface.ts';
import { type Checked, IssueList, mapProblems, PROBLEMS_MAX } from '../validation.ts';

export interface DatasetDefinition {
  readonly global_parameters: Interface;
  /** Passed with every member. */
  readonly global_data: Data;
  /** The parameters of each member. */
  readonly parameters: Interface;
}

const SHAPE = 'INVALID_DATASET_DEFINITION';
/** The placeholder for the id of a file in a template. */
export const FILE_VALUE = 'FILE_VALUE';

/** Checks a definition. Global data without a global parameter is dropped. */
export function validateDatasetDefinition(document: unknown): Checked<DatasetDefinition> {
  const issues = new IssueList();
  if (!checkJson(document, issues, SHAPE)) return issues.finish(nothing);
  const fields = Fields.open(issues, SHAPE, document, '');
  if (fields === undefined) return issues.finish(nothing);
  fields.acceptVersion('INVALID_VERSION');
  const globals = interfaceAt(issues, fields, 'global_parameters');
  const parameters = interfaceAt(issues, fields, 'parameters');
  const ofMembers = parametersOf(parameters);
  for (const name of parametersOf(globals).keys()) {
    if (!ofMembers.has(name)) continue;
    const text = `'${name}' is the name of a parameter and of a global parameter`;
    issues.error('NAME_COLLISION_ERROR', childPath('parameters', name), text);
  }
  const data = globalData(issues, fields.raw('global_data'), globals);
  fields.refuseOthers();
  return issues.finish(() => ({ global_parameters: globals, global_data: data, parameters }));
}

function nothing(): never {
  throw new Error('a refused definition has no value');
}

function interfaceAt(issues: IssueList, fields: Fields, key: string): Interface {
  const checked = validateInterface(fields.raw(key));
  if (checked.ok) return checked.value;
  const errors = mapProblems(checked.errors, (problem) => ({
    ...problem,
    name: problem.name === 'DUPLICATE_INPUT' ? 'DUPLICATE_PARAMETER' : SHAPE,
  }));
  issues.include(key, { errors });
  return { files: [], json: [] };
}

function globalData(issues: IssueList, document: unknown, globals: Interface): Data {
  if (isAbsent(document)) {
    if (parametersOf(globals).size > 0) {
      issues.error('MISSING_GLOBAL_DATA', 'global_data', 'is required where there are global parameters');
    }
    return EMPTY_DATA;
  }
  const form = validateData(document);
  const fitting = form.ok ? validateDataFor(form.value, globals) : form;
  if (fitting.ok) return fitting.value;
  const errors = mapProblems(fitting.errors, (problem) => ({ ...problem, name: 'INVALID_GLOBAL_DATA' }));
  issues.include('global_data', { errors });
  return EMPTY_DATA;
}

/**
 * Checks the data of one member. The value omits data without a parameter. At most `problemsMax` problems of missing
 * parameters are listed.
 */
export function validateMember(
  document: unknown,
  { parameters }: DatasetDefinition,
  problemsMax = PROBLEMS_MAX,
): Checked<Data> {
  const form = validateData(document);
  return form.ok ? validateDataFor(form.value, parameters, problemsMax) : form;
}

/** Creates the data document of one file from a template in which file values may be `FILE_VALUE`. */
export type MemberTemplate = (fileId: number) => unknown;

/** Checks the placeholders of a template; the documents that it creates are checked like any member. */
export function readMemberTemplate(document: unknown): Checked<MemberTemplate> {
  const issues = new IssueList();
  const problem = 'INVALID_TEMPLATE';
  const isReadable = checkJson(document, issues, problem) && isJsonObject(document);
  const fields = isReadable ? Fields.open(issues, problem, document, '') : undefined;
  const files = fields?.raw('files');
  if (fields === undefined || !isJsonObject(files)) {
    issues.error(problem, '', 'must be a Data document with files');
    return issues.finish(nothing);
  }
  const json = fields.raw('json');
  fields.acceptVersion();
  fields.refuseOthers();
  let placeCount = 0;
  const makers = Object.entries(files).map(([name, value]) => {
    const items = Array.isArray(value) ? value : [value];
    for (const item of items) {
      if (item === FILE_VALUE) placeCount += 1;
      else if (typeof item !== 'number') {
        issues.error(problem, childPath('files', name), `must be '${FILE_VALUE}' or ids of files`);
      }
    }
    return (fileId: number) => [name, items.map((item) => (item === FILE_VALUE ? fileId : item))] as const;
  });
  if (placeCount === 0) issues.error(problem, 'files', `must have '${FILE_VALUE}' somewhere`);
  return issues.finish(() => (fileId) => ({
    ...(json === undefined ? {} : { json }),
    files: Object.fromEntries(makers.map((make) => make(fileId))),
  }));
}

/** Distinct ids of the files of a member, ascending. */
export function filesOf(data: Data): readonly number[] {
  return [...new Set(Object.values(data.files).flat())].sort((a, b) => a - b);
}
