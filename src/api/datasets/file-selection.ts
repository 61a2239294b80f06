/** Filters of stored files in a body. They have the same names as the parameters of the list of files. */
import { FILE_TYPES, type FileFilter, type MsRange } from '../../domain/listing/filters.ts';
import { didYouMean } from '../../domain/near-names.ts';
import { parseMoment } from '../../domain/times.ts';
import type { IssueList } from '../../domain/validation.ts';
import type { OrderTerm } from '../../http/request/ordering.ts';
import { FILE_ORDER } from '../files/file-record.ts';
import type { MemberSourceBody } from './schema.ts';

type FileOrder = OrderTerm<(typeof FILE_ORDER)[number]>;

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** Adds problems of the filters to `issues`. The result may be used only if there are none. */
export function fileSelectionOf(body: MemberSourceBody, nowMs: number, issues: IssueList): FileFilter {
  for (const type of listOf(body.file_type)) {
    if (FILE_TYPES.some((known) => known === type)) continue;
    const near = issues.isFullOfErrors ? '' : didYouMean(type, FILE_TYPES);
    issues.error('NOT_ALLOWED', 'file_type', `must be one of: ${FILE_TYPES.join(', ')}${near}`);
  }
  return {
    data: rangeOf(body, 'data', nowMs, issues),
    source: rangeOf(body, 'source', nowMs, issues),
    created: rangeOf(body, 'created', nowMs, issues),
    modified: rangeOf(body, 'modified', nowMs, issues),
    source_sensor_class: listOf(body.source_sensor_class),
    source_sensor: listOf(body.source_sensor),
    source_collection: listOf(body.source_collection),
    source_task: listOf(body.source_task),
    job_output: listOf(body.job_output),
    job_type_id: listOf(body.job_type_id),
    job_type_name: listOf(body.job_type_name),
    job_id: listOf(body.job_id),
    recipe_id: listOf(body.recipe_id),
    recipe_node: listOf(body.recipe_node),
    recipe_type_id: listOf(body.recipe_type_id),
    batch_id: listOf(body.batch_id),
    countries: listOf(body.countries),
    file_name: listOf(body.file_name),
    file_type: listOf(body.file_type),
    media_type: listOf(body.media_type),
    file_name_search: body.file_name_search === '' ? undefined : body.file_name_search,
  };
}

function rangeOf(
  body: MemberSourceBody,
  what: 'data' | 'source' | 'created' | 'modified',
  nowMs: number,
  issues: IssueList,
): MsRange {
  const { errorCount } = issues;
  const moment = (name: `${typeof what}_${'started' | 'ended'}`): number | undefined => {
    const text = body[name];
    if (text === undefined) return undefined;
    const atMs = parseMoment(text, nowMs);
    if (atMs === undefined)
      issues.error('NOT_A_TIME', name, 'must be an ISO-8601 instant with a zone, or a duration');
    return atMs;
  };
  const range = { startedMs: moment(`${what}_started`), endedMs: moment(`${what}_ended`) };
  const endedMs = range.endedMs ?? nowMs;
  if (issues.errorCount > errorCount || range.startedMs === undefined) return range;
  if (range.startedMs === endedMs) issues.error('EMPTY_RANGE', `${what}_started`, 'must differ from its end');
  else if (range.startedMs > endedMs)
    issues.error('REVERSED_RANGE', `${what}_started`, 'must come before its end');
  return range;
}

/** The order of the files; by id unless the body names another one. Adds problems to `issues`. */
export function fileOrderOf(body: MemberSourceBody, issues: IssueList): readonly FileOrder[] {
  const keys = new Map<string, FileOrder>();
  for (const text of listOf(body.order)) {
    const isDescending = text.startsWith('-');
    const name = isDescending ? text.slice(1) : text;
    const field = FILE_ORDER.find((known) => known === name);
    if (field === undefined) {
      const near = issues.isFullOfErrors ? '' : didYouMean(name, FILE_ORDER);
      issues.error('NOT_ALLOWED', 'order', `files cannot be sorted by this field${near}`);
    } else if (!keys.has(field)) keys.set(field, { field, isDescending });
  }
  if (!keys.has('id')) keys.set('id', { field: 'id', isDescending: false });
  return [...keys.values()];
}
