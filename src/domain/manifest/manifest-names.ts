/**
 * Names of a manifest that get in each other's way. Inputs, settings and resources become environment
 * variables of one container, so they may not coincide there, whatever their case and dashes.
 *
 * Lists are walked as they were read: an item that was refused for itself takes no part, so an index
 * here can differ from the document's only where an earlier item of the list is reported already.
 */
import type { IssueList } from '../validation.ts';
import { environmentName, type Manifest } from './manifest.ts';

/** Variables that every container gets. */
const RESERVED_VARIABLES: ReadonlySet<string> = new Set([
  'OUTPUT_DIR',
  'INPUT_METADATA',
  'SCALE_JOB_ID',
  'SCALE_EXE_NUM',
  'SCALE_RECIPE_ID',
  'SCALE_BATCH_ID',
]);

interface Named {
  readonly name: string;
}

/** Reports NAME_COLLISION_ERROR, DUPLICATE_* and two mounts at one path. */
export function checkManifestNames(issues: IssueList, job: Manifest['job']): void {
  const { inputs, outputs, mounts, settings } = job.interface;
  const taken = new Map<string, string>();
  for (const variable of RESERVED_VARIABLES) taken.set(variable, 'a variable that every job gets');
  const claim = (list: readonly Named[], path: string, variableOf: (name: string) => string): void => {
    for (const [index, { name }] of list.entries()) {
      const [variable, at] = [variableOf(name), `${path}[${index}].name`];
      const other = taken.get(variable);
      if (other === undefined) taken.set(variable, `'${at}'`);
      else {
        const text = `'${name}' becomes the environment variable ${variable}, which is taken by ${other}`;
        issues.error('NAME_COLLISION_ERROR', at, text);
      }
    }
  };
  claim(job.resources.scalar, 'job.resources.scalar', (name) => `ALLOCATED_${environmentName(name)}`);
  claim(inputs.files, 'job.interface.inputs.files', environmentName);
  claim(inputs.json, 'job.interface.inputs.json', environmentName);
  claim(settings, 'job.interface.settings', environmentName);

  const outputNames = new Set<unknown>();
  refuseTwice(
    issues,
    'DUPLICATE_OUTPUT_NAMES',
    outputs.files,
    'job.interface.outputs.files',
    'name',
    outputNames,
  );
  refuseTwice(
    issues,
    'DUPLICATE_OUTPUT_NAMES',
    outputs.json,
    'job.interface.outputs.json',
    'name',
    outputNames,
  );
  refuseTwice(issues, 'DUPLICATE_MOUNT_NAMES', mounts, 'job.interface.mounts', 'name');
  refuseTwice(issues, 'INVALID_MOUNT_PATH', mounts, 'job.interface.mounts', 'path');
  refuseTwice(issues, 'DUPLICATE_ERROR_NAMES', job.errors, 'job.errors', 'name');
  refuseTwice(issues, 'DUPLICATE_ERROR_CODES', job.errors, 'job.errors', 'code');
}

function refuseTwice<T extends object>(
  issues: IssueList,
  problem: string,
  items: readonly T[],
  path: string,
  key: keyof T & string,
  seen = new Set<unknown>(),
): void {
  for (const [index, item] of items.entries()) {
    const value = item[key];
    if (seen.has(value)) issues.error(problem, `${path}[${index}].${key}`, `'${value}' is given twice`);
    seen.add(value);
  }
}
