/** Datasets: reads them from the store, and creates their members from given data or stored files. */
import type { Data } from '../../domain/data/data.ts';
import {
  type DatasetDefinition,
  readMemberTemplate,
  validateDatasetDefinition,
  validateMember,
} from '../../domain/dataset/dataset.ts';
import { IssueList, PROBLEMS_MAX } from '../../domain/validation.ts';
import type { Asker, Findings, RawBody } from '../../http/route.ts';
import { creating } from '../../store/catalog/creating.ts';
import { findDataset, findDatasetDefinition, membersOf } from '../../store/dataset/list.ts';
import { addMembers, createDataset } from '../../store/dataset/save.ts';
import { fileInfos } from '../../store/file/facts.ts';
import { listFiles } from '../../store/file/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { existing } from '../shared/existing.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import { refuseProblems } from '../shared/requests.ts';
import { fileOrderOf, fileSelectionOf } from './file-selection.ts';
import {
  type DatasetCreateBody,
  datasetPath,
  MEMBERS_MAX,
  type MemberSourceBody,
  type MembersOutcome,
} from './schema.ts';

// limit: bytes of all documents from a template, as many as a body could have.
const MEMBERS_BYTES_MAX = 10_485_760;

/**
 * Checks a request for a dataset. `body`: the same as `raw` if its form is valid, else undefined. `nowMs`: the time
 * from which durations in the body count back.
 */
export async function checkDataset(
  sql: Sql,
  raw: RawBody,
  body: DatasetCreateBody | undefined,
  nowMs: number,
): Promise<Findings> {
  if (raw.definition === undefined) return { errors: [], warnings: [] };
  const issues = new IssueList();
  const definition = await acceptDefinition(sql, raw.definition, issues);
  if (definition !== undefined && body !== undefined && issues.ok) {
    await membersOfBody(sql, definition, body, nowMs, issues);
  }
  return { errors: issues.errors, warnings: issues.warnings };
}

/** Creates a dataset with its members. Throws INVALID_REQUEST or INVALID_DEFINITION. */
export async function addDataset(
  sql: Sql,
  body: DatasetCreateBody,
  asker: Asker,
): Promise<MembersOutcome<number>> {
  const { nowMs } = asker;
  const issues = new IssueList();
  const definition = await acceptDefinition(sql, body.definition, issues);
  refuseProblems(issues);
  const members = definition === undefined ? [] : await membersOfBody(sql, definition, body, nowMs, issues);
  refuseProblems(issues);
  if (body.dry_run === true) return { kind: 'dry', data: members ?? [] };
  if (members?.length === 0 || definition === undefined) return { kind: 'none' };
  const { title = '', description = '' } = body;
  const { warnings } = issues;
  const also = savesAnswer(asker, async (tx, id: number) => {
    return { status: 201, location: datasetPath(id), warnings, record: await findDataset(tx, id) };
  });
  const row = { title, description, definition, members: members ?? [], nowMs };
  const made = await creating(sql, also, (tx) => createDataset(tx, row));
  return { kind: 'made', made, warnings };
}

/** Adds members to a dataset. Throws NOT_FOUND or INVALID_REQUEST. */
export async function addMembersTo(
  sql: Sql,
  datasetId: number,
  body: MemberSourceBody,
  asker: Asker,
): Promise<MembersOutcome<Awaited<ReturnType<typeof membersOf>>>> {
  const { nowMs } = asker;
  const definition = existing(await findDatasetDefinition(sql, datasetId), 'dataset', datasetId);
  const issues = new IssueList();
  const members = await membersOfBody(sql, definition, body, nowMs, issues);
  if (members === undefined && issues.ok) {
    issues.error('MISSING_FIELD', 'data', `'data' or 'data_template' is required`);
  }
  refuseProblems(issues);
  if (body.dry_run === true) return { kind: 'dry', data: members ?? [] };
  if (members === undefined || members.length === 0) return { kind: 'none' };
  const { warnings } = issues;
  const also = savesAnswer(asker, async (tx, made: readonly number[]) => {
    return { status: 201, warnings, record: await membersOf(tx, made) };
  });
  const ids = await creating(sql, also, (tx) => addMembers(tx, datasetId, members, nowMs));
  return { kind: 'made', made: await membersOf(sql, ids), warnings };
}

/** The definition; undefined if it is invalid. Adds every problem to `issues`. */
async function acceptDefinition(
  sql: Sql,
  document: unknown,
  issues: IssueList,
): Promise<DatasetDefinition | undefined> {
  const checked = validateDatasetDefinition(document);
  if (!checked.ok) {
    issues.include('definition', { errors: checked.errors });
    return undefined;
  }
  await checkFiles(sql, [['definition.global_data', checked.value.global_data]], issues);
  return checked.value;
}

/** The members of the body; undefined if it has none. Adds problems to `issues`. */
async function membersOfBody(
  sql: Sql,
  definition: DatasetDefinition,
  body: MemberSourceBody,
  nowMs: number,
  issues: IssueList,
): Promise<readonly Data[] | undefined> {
  const given = await documentsOfBody(sql, body, nowMs, issues);
  if (given === undefined) return undefined;
  const members: [path: string, data: Data][] = [];
  for (const [path, document] of given) {
    // The text is built only for problems that will be listed.
    const checked = validateMember(document, definition, issues.isFullOfErrors ? 0 : PROBLEMS_MAX);
    if (checked.ok) members.push([path, checked.value]);
    else issues.include(path, { errors: checked.errors });
  }
  await checkFiles(sql, members, issues);
  return members.map(([, data]) => data);
}

type Placed = readonly [path: string, document: unknown];

/** The documents of the members, with their paths in the body. `data` takes precedence over `data_template`. */
async function documentsOfBody(
  sql: Sql,
  body: MemberSourceBody,
  nowMs: number,
  issues: IssueList,
): Promise<readonly Placed[] | undefined> {
  const { data, data_template: template } = body;
  if (data !== undefined && data !== null) {
    const isMany = Array.isArray(data);
    const documents: readonly unknown[] = isMany ? data : [data];
    if (documents.length > MEMBERS_MAX) {
      issues.error('TOO_MANY_MEMBERS', 'data', `at most ${MEMBERS_MAX} members at a time`);
      return [];
    }
    return documents.map((document, at) => [isMany ? `data[${at}]` : 'data', document]);
  }
  if (template === undefined || template === null) return undefined;
  const checked = readMemberTemplate(template);
  if (!checked.ok) issues.include('data_template', { errors: checked.errors });
  const selection = fileSelectionOf(body, nowMs, issues);
  const order = fileOrderOf(body, issues);
  if (!checked.ok || !issues.ok) return [];
  const page = { offset: 0, pageSize: MEMBERS_MAX };
  const found = await listFiles(sql, selection, order, page);
  if (found.count > MEMBERS_MAX) {
    const text = `${found.count} files match: at most ${MEMBERS_MAX} members can be made at a time`;
    issues.error('TOO_MANY_MEMBERS', 'data_template', text);
    return [];
  }
  const files = found.results.filter((file) => !file.is_deleted);
  const bytes = Buffer.byteLength(JSON.stringify(template));
  if (bytes * files.length > MEMBERS_BYTES_MAX) {
    const text = `makes ${files.length} members of ${bytes} bytes: at most ${MEMBERS_BYTES_MAX} bytes in all`;
    issues.error('TOO_MANY_MEMBERS', 'data_template', text);
    return [];
  }
  return files.map((file) => ['data_template', checked.value(file.id)]);
}

/** Checks that every file of the data exists. */
async function checkFiles(
  sql: Sql,
  placed: readonly (readonly [path: string, data: Data])[],
  issues: IssueList,
): Promise<void> {
  const known = await fileInfos(sql, new Set(placed.flatMap(([, data]) => Object.values(data.files).flat())));
  for (const [path, data] of placed) {
    for (const [name, ids] of Object.entries(data.files)) {
      for (const [at, id] of ids.entries()) {
        const file = known.get(id);
        if (file !== undefined && !file.isDeleted) continue;
        const where = `${path}.files.${name}[${at}]`;
        if (file === undefined) issues.error('UNKNOWN_FILE', where, `there is no file ${id}`);
        else issues.error('DELETED_FILE', where, `the file ${id} is deleted`);
      }
    }
  }
}
