/** Checks the name in the body of a validation: either an existing record has it, or it is valid for a new one. */
import { nameProblems } from '../../domain/names.ts';
import type { Problem } from '../../domain/validation.ts';
import { isNameKnown } from '../../store/catalog/unique-name.ts';
import type { Sql } from '../../store/sql/sql.ts';

export async function newNameProblems(
  sql: Sql,
  kind: 'strike' | 'scan',
  name: string | undefined,
): Promise<readonly Problem[]> {
  if (name === undefined) return [];
  const problems = nameProblems(name);
  return problems.length === 0 || (await isNameKnown(sql, kind, name)) ? [] : problems;
}
