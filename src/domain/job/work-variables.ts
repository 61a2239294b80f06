/**
 * Variables that tell a task which job, execution, recipe and batch it belongs to. Each value has two names: Millrace's
 * own, and the one of the public system, which existing images read. Manifests may use neither for other values.
 */

export interface Work {
  readonly jobId: number;
  readonly exeNum: number;
  readonly recipeId: number | null;
  readonly batchId: number | null;
}

const PREFIXES = ['MILLRACE', 'SCALE'] as const;
const NAMES = { JOB_ID: 'jobId', EXE_NUM: 'exeNum', RECIPE_ID: 'recipeId', BATCH_ID: 'batchId' } as const;

/** All their names, also those that only some tasks get. */
export const WORK_VARIABLES: readonly string[] = PREFIXES.flatMap((prefix) =>
  Object.keys(NAMES).map((name) => `${prefix}_${name}`),
);

/** Recipe and batch are included only if they exist. */
export function workVariables(work: Work): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const prefix of PREFIXES) {
    for (const [name, key] of Object.entries(NAMES)) {
      const value = work[key];
      if (value !== null) variables[`${prefix}_${name}`] = String(value);
    }
  }
  return variables;
}
