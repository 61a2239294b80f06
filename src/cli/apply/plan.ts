/** The steps that make a server match the files, each after those that it needs. */
import { mentionsOfDefinition } from '../../domain/recipe/recipe-definition.ts';
import type { CheckedRecord } from './check.ts';
import { type Comparison, compareRecord, ownerProblem } from './compare.ts';
import { KINDS, SET_LABEL, titleOf } from './documents.ts';
import type { Records } from './server.ts';
import type { Findings } from './source.ts';

export interface Step {
  readonly record: CheckedRecord;
  readonly action: 'create' | 'change' | 'keep';
  /** Undefined: the record is created. */
  readonly comparison: Comparison | undefined;
  /** The set that it belonged to before, or '' if it had none. Undefined: it is not adopted. */
  readonly adoptedFrom: string | undefined;
}

/**
 * Compares all records with the server's. Records of other sets are findings, unless they are adopted: nothing has been
 * changed yet.
 */
export async function planSteps(
  records: readonly CheckedRecord[],
  server: Records,
  { isAdopting }: { readonly isAdopting: boolean },
  findings: Findings,
): Promise<readonly Step[]> {
  const ordered = inOrder(records);
  const found = await server.findAll(ordered.map(({ desired }) => desired));
  return ordered.flatMap((record, index): readonly Step[] => {
    const { desired } = record;
    const current = found[index];
    if (current === undefined)
      return [{ record, action: 'create', comparison: undefined, adoptedFrom: undefined }];
    const problem = ownerProblem(desired, current);
    if (problem !== undefined && (!isAdopting || current.isSystem)) {
      findings.error(desired.file, desired.at, `the ${titleOf(desired)} ${problem}`);
      return [];
    }
    const comparison = compareRecord(record, current);
    const action = Object.keys(comparison.edit).length === 0 ? 'keep' : 'change';
    const adoptedFrom = problem === undefined ? undefined : (current.labels[SET_LABEL] ?? '');
    return [{ record, action, comparison, adoptedFrom }];
  });
}

/** Workspaces, job types, recipe types (the inner ones first), strikes, scans; else as in the files. */
export function inOrder(records: readonly CheckedRecord[]): readonly CheckedRecord[] {
  return KINDS.flatMap((kind) => {
    const some = records.filter(({ desired }) => desired.kind === kind);
    return kind === 'recipe_type' ? innerFirst(some) : some;
  });
}

/** Recipe types after those that they contain. It has been checked that none contains itself. */
function innerFirst(records: readonly CheckedRecord[]): readonly CheckedRecord[] {
  const byName = new Map(records.map((record) => [record.desired.name, record]));
  const ordered = new Set<CheckedRecord>();
  const open = new Set<CheckedRecord>();
  const visit = (record: CheckedRecord): void => {
    if (ordered.has(record) || open.has(record)) return;
    open.add(record);
    for (const name of mentionsOfDefinition(record.desired.body.definition).recipeTypes) {
      const inner = byName.get(name);
      if (inner !== undefined) visit(inner);
    }
    ordered.add(record);
  };
  for (const record of records) visit(record);
  return [...ordered];
}
