/**
 * The variables by which a task learns which job, execution, recipe and batch it belongs to. Each value has two names:
 * ours, and the one that images made for the system before us read. Manifests may use neither for anything else.
 */

export interface Work {
  readonly jobId: number;
  readonly exeNum: number;
  readonly recipeId: number | null;
  readonly batchId: number | null;
}

const PREFIXES = ['MILLRACE', 'SCALE'] as const;
const NAMES = { JOB_ID: 'jobId', EXE_NUM: 'exeNum', RECIPE_ID: 'recipeId', BATCH_ID: 'batchId' } as const;

/** All their names, whether a task has them or not. */
export const WORK_VARIABLES: readonly string[] = PREFIXES.flatMap((prefix) =>
  Object.keys(NAMES).map((name) => `${prefix}_${name}`),
);

/** Recipe and batch only where there is one. */
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
