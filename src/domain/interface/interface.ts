/**
 * The interface document: the input or output parameters of a recipe, job or dataset. It uses the contract's field
 * names, because it is stored and returned as it is. `data/data.ts` checks data against it.
 */
import { Fields } from '../document/fields.ts';
import { checkJson, isAbsent } from '../document/json-value.ts';
import { type Checked, IssueList } from '../validation.ts';

export const JSON_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

export interface FileParameter {
  readonly name: string;
  /** Empty: no restriction. */
  readonly media_types: readonly string[];
  readonly required: boolean;
  readonly multiple: boolean;
}
export interface JsonParameter {
  readonly name: string;
  readonly type: JsonType;
  readonly required: boolean;
}
export interface Interface {
  readonly files: readonly FileParameter[];
  readonly json: readonly JsonParameter[];
}
export type Parameter =
  | ({ readonly kind: 'file' } & FileParameter)
  | ({ readonly kind: 'json' } & JsonParameter);

export const EMPTY_INTERFACE: Interface = Object.freeze({ files: [], json: [] });

const PARAMETERS_MAX = 1_000;
const NAME_CHARS_MAX = 250;
/** Data have their values by these names, and no data may have `__proto__` (`checkJson`). */
const NAME = {
  pattern: /^(?!__proto__$)[a-zA-Z_-]+$/,
  says: 'made of letters, underscores and hyphens, and other than __proto__',
} as const;

/** Checks an Interface document and fills its defaults. Absent or null is the empty interface. */
export function validateInterface(document: unknown): Checked<Interface> {
  const issues = new IssueList();
  const isReadable = checkJson(document, issues, 'INVALID_INTERFACE');
  const value = isReadable ? readInterface(issues, document, '') : EMPTY_INTERFACE;
  return issues.finish(() => value);
}

/** As `validateInterface`, for an interface at `path` of another document. */
export function readInterface(issues: IssueList, document: unknown, path: string): Interface {
  if (isAbsent(document)) return EMPTY_INTERFACE;
  const fields = Fields.open(issues, 'INVALID_INTERFACE', document, path);
  if (fields === undefined) return EMPTY_INTERFACE;
  fields.acceptVersion();
  const names = new Set<string>();
  const files = fields.list('files', { max: PARAMETERS_MAX }).flatMap((item) => {
    const parameter = Fields.open(issues, 'INVALID_INTERFACE', item.value, item.path);
    return parameter === undefined ? [] : readFileParameter(parameter, names);
  });
  const json = fields.list('json', { max: PARAMETERS_MAX }).flatMap((item) => {
    const parameter = Fields.open(issues, 'INVALID_INTERFACE', item.value, item.path);
    return parameter === undefined ? [] : readJsonParameter(parameter, names);
  });
  fields.refuseOthers();
  return { files, json };
}

function readFileParameter(fields: Fields, names: Set<string>): FileParameter[] {
  const name = readName(fields, names);
  const mediaTypes = fields.texts('media_types', { max: 250, itemsMax: 100 });
  const required = fields.flag('required', true);
  const multiple = fields.flag('multiple', false);
  fields.refuseOthers();
  return name === undefined ? [] : [{ name, media_types: mediaTypes, required, multiple }];
}

function readJsonParameter(fields: Fields, names: Set<string>): JsonParameter[] {
  const name = readName(fields, names);
  const type = fields.oneOf('type', JSON_TYPES, { required: true });
  const required = fields.flag('required', true);
  fields.refuseOthers();
  return name === undefined || type === undefined ? [] : [{ name, type, required }];
}

function readName(fields: Fields, names: Set<string>): string | undefined {
  const name = fields.text('name', { required: true, max: NAME_CHARS_MAX, form: NAME });
  if (name === undefined) return undefined;
  if (names.has(name)) fields.error('name', `the name '${name}' is used twice`, 'DUPLICATE_INPUT');
  names.add(name);
  return name;
}

const maps = new WeakMap<Interface, ReadonlyMap<string, Parameter>>();

/** All parameters by name, files first. Built once for each interface, because it is read often. */
export function parametersOf(parameters: Interface): ReadonlyMap<string, Parameter> {
  let byName = maps.get(parameters);
  if (byName === undefined) {
    byName = mapOf(parameters);
    maps.set(parameters, byName);
  }
  return byName;
}

function mapOf(parameters: Interface): ReadonlyMap<string, Parameter> {
  const byName = new Map<string, Parameter>();
  for (const file of parameters.files) byName.set(file.name, { kind: 'file', ...file });
  for (const json of parameters.json) byName.set(json.name, { kind: 'json', ...json });
  return byName;
}

/** The interface with these parameters, under the names in the map. */
export function interfaceOf(parameters: ReadonlyMap<string, Parameter>): Interface {
  const files: FileParameter[] = [];
  const json: JsonParameter[] = [];
  for (const [name, parameter] of parameters) {
    if (parameter.kind === 'file') {
      const { media_types, required, multiple } = parameter;
      files.push({ name, media_types, required, multiple });
    } else {
      json.push({ name, type: parameter.type, required: parameter.required });
    }
  }
  return { files, json };
}
