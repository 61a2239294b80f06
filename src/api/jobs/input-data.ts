/** The input of a requested job or recipe: a data document for its interface, with existing files. */
import { type Data, EMPTY_DATA, validateData, validateDataFor } from '../../domain/data/data.ts';
import { childPath } from '../../domain/document/json-value.ts';
import type { FileInfo } from '../../domain/file/file.ts';
import type { Interface } from '../../domain/interface/interface.ts';
import type { IssueList } from '../../domain/validation.ts';
import { fileInfos } from '../../store/file/facts.ts';
import type { Sql } from '../../store/sql/sql.ts';

export interface GivenInput {
  /** Without names that the interface does not have. */
  readonly data: Data;
  readonly files: ReadonlyMap<number, FileInfo>;
}

/** Reports every problem below `input`; the result is valid only if there is none. */
export async function checkInput(
  sql: Sql,
  document: unknown,
  parameters: Interface,
  issues: IssueList,
): Promise<GivenInput> {
  const nothing = { data: EMPTY_DATA, files: new Map() };
  const form = validateData(document);
  issues.include('input', { errors: form.ok ? [] : form.errors, warnings: form.warnings });
  if (!form.ok) return nothing;
  const fitting = validateDataFor(form.value, parameters);
  issues.include('input', { errors: fitting.ok ? [] : fitting.errors, warnings: fitting.warnings });
  const data = fitting.ok ? fitting.value : form.value;
  const files = await fileInfos(sql, Object.values(data.files).flat());
  for (const [name, ids] of Object.entries(data.files)) {
    for (const [index, id] of ids.entries()) {
      const file = files.get(id);
      const path = childPath(childPath('input.files', name), index);
      if (file === undefined) issues.error('UNKNOWN_FILE', path, `there is no file ${id}`);
      else if (file.isDeleted) issues.error('DELETED_FILE', path, `the file ${id} is deleted`);
    }
  }
  return { data, files };
}
