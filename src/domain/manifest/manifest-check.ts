/**
 * Checks a Seed manifest against the field table of version 1.0.0 and fills its defaults. Problems of several fields
 * together (colliding names, duplicates) are found in `manifest-names.ts`.
 */
import { Fields, INT4_MAX } from '../document/fields.ts';
import { checkJson } from '../document/json-value.ts';
import { RESERVED_JOB_TYPE_NAMES } from '../names.ts';
import { type Checked, IssueList } from '../validation.ts';
import { isVersion } from '../version.ts';
import {
  EMPTY_MANIFEST_INTERFACE,
  type Maintainer,
  type Manifest,
  type ManifestError,
  type ManifestInterface,
  type ScalarResource,
} from './manifest.ts';
import { type Origins, readManifestInterface } from './manifest-interface.ts';
import { checkManifestNames } from './manifest-names.ts';

const MANIFEST_PROBLEM = 'JSON_VALIDATION_ERROR';

const ITEMS_MAX = 1_000;
const NAME = {
  pattern: /^[a-zA-Z0-9_-]+$/,
  says: 'made of letters, digits, underscores and hyphens',
} as const;
const NOT_BLANK = { pattern: /\S/, says: 'more than blanks' } as const;
const JOB_NAME = { pattern: /^[a-zA-Z0-9-]+$/, says: 'made of letters, digits and hyphens' } as const;
/** Resources that every node offers; all others are the operator's own. */
const STANDARD_RESOURCES: ReadonlySet<string> = new Set(['cpus', 'mem', 'disk', 'gpus', 'sharedmem']);

/**
 * Checks a manifest; every problem is reported at its path (`job.interface.inputs.files[0].name`).
 * Errors: JSON_VALIDATION_ERROR and those of `manifest-names.ts`; warning: NONSTANDARD_RESOURCE.
 */
export function validateManifest(document: unknown): Checked<Manifest> {
  const issues = new IssueList();
  const isReadable = checkJson(document, issues, MANIFEST_PROBLEM);
  const manifest = isReadable ? readManifest(issues, document) : undefined;
  return issues.finish(() => manifest as Manifest);
}

function readManifest(issues: IssueList, document: unknown): Manifest | undefined {
  const fields = Fields.open(issues, MANIFEST_PROBLEM, document, '');
  if (fields === undefined) return undefined;
  fields.oneOf('seedVersion', ['1.0.0'], { required: true });
  const job = fields.object('job', { required: true });
  const read = job === undefined ? undefined : readJob(issues, job);
  fields.refuseOthers();
  return read === undefined ? undefined : { seedVersion: '1.0.0', job: read };
}

/** Wrong fields are reported and replaced by harmless values, so that the rest can be checked too. */
function readJob(issues: IssueList, fields: Fields): Manifest['job'] {
  const origins: Origins = new Map();
  const name = fields.text('name', { required: true, max: 50, form: JOB_NAME }) ?? '';
  if (RESERVED_JOB_TYPE_NAMES.has(name)) fields.error('name', `'${name}' is reserved, it would hide a route`);
  const job: Manifest['job'] = {
    name,
    jobVersion: readVersion(fields, 'jobVersion'),
    packageVersion: readVersion(fields, 'packageVersion'),
    title: fields.text('title', { required: true, max: 500, form: NOT_BLANK }) ?? '',
    description: fields.text('description', { required: true, min: 0 }) ?? '',
    tags: fields.texts('tags', { max: 50, itemsMax: ITEMS_MAX }),
    maintainer: readMaintainer(fields),
    timeout: fields.integer('timeout', { required: true, min: 1, max: INT4_MAX }) ?? 1,
    resources: { scalar: readResources(issues, fields, origins) },
    interface: readInterfaceOf(issues, fields, origins),
    errors: readErrors(issues, fields, origins),
  };
  fields.refuseOthers();
  checkManifestNames(issues, job, origins);
  return job;
}

function readVersion(fields: Fields, key: string): string {
  const text = fields.text(key, { required: true, max: 50 });
  if (text === undefined) return '';
  if (!isVersion(text)) fields.error(key, `'job.${key}' must be a semantic version such as 1.0.0`);
  return text;
}

function readMaintainer(parent: Fields): Maintainer {
  const fields = parent.object('maintainer', { required: true });
  if (fields === undefined) return { name: '', email: '' };
  const name = fields.text('name', { required: true }) ?? '';
  const email = fields.text('email', { required: true }) ?? '';
  const optional: Record<string, string> = {};
  for (const key of ['organization', 'url', 'phone']) {
    const text = fields.text(key, { min: 0 });
    if (text !== undefined) optional[key] = text;
  }
  fields.refuseOthers();
  return { name, email, ...optional };
}

function readResources(issues: IssueList, parent: Fields, origins: Origins): ScalarResource[] {
  const fields = parent.object('resources');
  if (fields === undefined) return [];
  const scalar = fields.list('scalar', { max: ITEMS_MAX }).flatMap((item) => {
    const resource = Fields.open(issues, MANIFEST_PROBLEM, item.value, item.path);
    const read = resource === undefined ? undefined : readResource(issues, resource);
    if (read === undefined) return [];
    origins.set(read, item.path);
    return [read];
  });
  fields.refuseOthers();
  return scalar;
}

function readResource(issues: IssueList, fields: Fields): ScalarResource | undefined {
  const name = fields.text('name', { required: true, max: 100, form: NAME });
  const value = fields.number('value', { required: true, min: 0, max: Number.MAX_SAFE_INTEGER });
  const inputMultiplier = fields.number('inputMultiplier', { min: 0, max: 1_000_000 });
  fields.refuseOthers();
  if (name === undefined || value === undefined) return undefined;
  // Amounts are kept in objects by these names, where `constructor` would find what every object has.
  if (name.toLowerCase() in {}) fields.error('name', `'${name}' is no usable name`);
  if (name.toLowerCase() === 'gpus' && !Number.isInteger(value)) {
    fields.error('value', 'gpus must be a whole number');
  }
  if (!STANDARD_RESOURCES.has(name.toLowerCase())) {
    const text = `'${name}' is no standard resource: only nodes that offer it will run the job`;
    issues.warning('NONSTANDARD_RESOURCE', `${fields.path}.name`, text);
  }
  return { name, value, ...(inputMultiplier === undefined ? {} : { inputMultiplier }) };
}

function readInterfaceOf(issues: IssueList, parent: Fields, origins: Origins): ManifestInterface {
  const fields = parent.object('interface');
  return fields === undefined ? EMPTY_MANIFEST_INTERFACE : readManifestInterface(issues, fields, origins);
}

function readErrors(issues: IssueList, parent: Fields, origins: Origins): ManifestError[] {
  const given = parent.list('errors', { max: ITEMS_MAX });
  const names = new Set<string>();
  return given.flatMap((item) => {
    const fields = Fields.open(issues, MANIFEST_PROBLEM, item.value, item.path);
    const error = fields === undefined ? undefined : readError(fields, names);
    if (error === undefined) return [];
    origins.set(error, item.path);
    return [error];
  });
}

function readError(fields: Fields, names: Set<string>): ManifestError | undefined {
  const code = fields.integer('code', { required: true, min: -INT4_MAX });
  if (code === 0) fields.error('code', 'an exit code of 0 is success, never an error');
  const isNamed = fields.has('name');
  const givenName = fields.text('name', { max: 50, form: NAME });
  const title = fields.text('title', { max: 250, min: 0 });
  const description = fields.text('description', { min: 0 });
  const category = fields.oneOf('category', ['job', 'data']) ?? 'job';
  fields.refuseOthers();
  if (code === undefined) return undefined;
  const name = isNamed ? givenName : derivedName(title, code, names);
  if (name === undefined) return undefined;
  names.add(name);
  return {
    code,
    name,
    title: title === undefined || title.trim() === '' ? name : title,
    ...(description === undefined ? {} : { description }),
    category,
  };
}

/** A name for an error that has none: a slug of its title, else its code; made unique by the code. */
function derivedName(title: string | undefined, code: number, names: ReadonlySet<string>): string {
  const slug = (title ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 30);
  const name = slug === '' ? `error-${code}` : slug;
  return names.has(name) ? `${name}-${code}` : name;
}
