/**
 * Finds colliding names in a manifest. Inputs, settings and resources become environment variables of one container,
 * where their names must differ, regardless of case and dashes.
 */
import { WORK_VARIABLES } from '../job/work-variables.ts';
import type { IssueList } from '../validation.ts';
import { environmentName, type Manifest } from './manifest.ts';
import type { Origins } from './manifest-interface.ts';

/** Variables that every container gets. */
const RESERVED_VARIABLES: ReadonlySet<string> = new Set(['OUTPUT_DIR', 'INPUT_METADATA', ...WORK_VARIABLES]);

interface Named {
  readonly name: string;
}

/** Reports NAME_COLLISION_ERROR, DUPLICATE_* and two mounts at one path, at the paths in `origins`. */
export function checkManifestNames(issues: IssueList, job: Manifest['job'], origins: Origins): void {
  const { inputs, outputs, mounts, settings } = job.interface;
  const taken = new Map<string, string>();
  for (const variable of RESERVED_VARIABLES) taken.set(variable, 'a variable that every job gets');
  const claim = (items: readonly Named[], variableOf: (name: string) => string): void => {
    for (const item of items) {
      const [variable, at] = [variableOf(item.name), `${origins.get(item)}.name`];
      const other = taken.get(variable);
      if (other === undefined) taken.set(variable, `'${at}'`);
      else {
        const text = `'${item.name}' becomes the variable ${variable}, which is taken by ${other}`;
        issues.error('NAME_COLLISION_ERROR', at, text);
      }
    }
  };
  claim(job.resources.scalar, (name) => `ALLOCATED_${environmentName(name)}`);
  for (const items of [inputs.files, inputs.json, settings]) claim(items, environmentName);

  const refuseTwice = <T extends object>(
    problem: string,
    items: readonly T[],
    key: keyof T & string,
  ): void => {
    const seen = new Set<unknown>();
    for (const item of items) {
      const value = item[key];
      if (seen.has(value)) issues.error(problem, `${origins.get(item)}.${key}`, `'${value}' is given twice`);
      seen.add(value);
    }
  };
  refuseTwice<Named>('DUPLICATE_OUTPUT_NAMES', [...outputs.files, ...outputs.json], 'name');
  refuseTwice('DUPLICATE_MOUNT_NAMES', mounts, 'name');
  refuseTwice('INVALID_MOUNT_PATH', mounts, 'path');
  refuseTwice('DUPLICATE_ERROR_NAMES', job.errors, 'name');
  refuseTwice('DUPLICATE_ERROR_CODES', job.errors, 'code');
}
