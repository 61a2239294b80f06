/** `DELETE` for workspaces, strikes, scans, datasets, batches, job types and recipe types. */
import { Type } from '@sinclair/typebox';
import { dryRun } from '../../http/request/dry-run.ts';
import { type PathParts, type PathValues, pathId, pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, type Route, reply } from '../../http/route.ts';
import { id, NO_BODY, named, oneOf } from '../../http/schema.ts';
import { type DeletableKind, type Target, targetById, targetByName } from '../../store/deletion/kinds.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { count, nullableText } from '../shared/records.ts';
import { type DeletionParts, preview, remove } from './service.ts';

const KINDS = [
  ...['file', 'purge', 'job', 'recipe', 'ingest', 'workspace', 'strike', 'scan', 'batch'],
  ...['job_type', 'recipe_type'],
];

const DeletionPreview = named(
  'DeletionPreview',
  Type.Object({
    outcome: oneOf(
      ['removed', 'hidden', 'refused'],
      '`removed`: the record and its name would be removed. `hidden`: it has a history, and a create under its name ' +
        'would bring it back. `refused`: something live needs it.',
    ),
    needed_by: Type.Array(
      Type.Object({
        kind: oneOf(KINDS),
        id: id(),
        name: nullableText,
        reason: Type.String({ description: 'A sentence.' }),
      }),
      { description: 'What needs it: the first 20.' },
    ),
    more_count: count,
    is_cut: Type.Boolean({ description: 'There are still more: at most 1,000 of a kind are counted.' }),
  }),
);

const DESCRIPTION =
  'The call is refused with 409 while something live needs the record; the answer names what does. A record without ' +
  'a history is removed with its name. One with a history is hidden: its summaries stay in other records, and a ' +
  'create under its name brings it back, with its id. ';

interface Deletion<P extends PathParts> {
  readonly kind: DeletableKind;
  readonly path: string;
  readonly params: P;
  readonly summary: string;
  /** What counts as live for this kind, as sentences. */
  readonly needs: string;
  find(sql: Sql, params: PathValues<P>): Promise<Target | undefined>;
}

function deletion<const P extends PathParts>({
  kind,
  path,
  params,
  summary,
  needs,
  find,
}: Deletion<P>): Route<DeletionParts> {
  return defineRoute({
    method: 'DELETE',
    path,
    summary,
    description: DESCRIPTION + needs,
    params,
    query: { dry_run: dryRun },
    waitsForEntry: true,
    replies: { 200: DeletionPreview, 204: NO_BODY },
    async handle({ params: values, query, request }, parts: DeletionParts) {
      const found = await find(parts.sql, values);
      if (query.dry_run === true) return reply(200, await preview(parts, kind, found));
      await remove(parts, kind, found, request);
      return reply(204);
    },
  });
}

function byId(kind: DeletableKind, path: string, summary: string, needs: string): Route<DeletionParts> {
  const params = { id: pathId };
  return deletion({ kind, path, params, summary, needs, find: (sql, { id }) => targetById(sql, kind, id) });
}

export const deletionRoutes: readonly Route<DeletionParts>[] = [
  byId(
    'workspace',
    '/v6/workspaces/{id}/',
    'Delete a workspace',
    'Live are its files that are not deleted, active job types that store products in it, strikes that name it and ' +
      'are not paused, and scans that name it and are under way.',
  ),
  byId(
    'strike',
    '/v6/strikes/{id}/',
    'Delete a strike',
    'It must be paused, and its ingests must have ended.',
  ),
  byId('scan', '/v6/scans/{id}/', 'Delete a scan', 'Its runs and its ingests must have ended.'),
  byId(
    'dataset',
    '/v6/datasets/{id}/',
    'Delete a dataset',
    'Live are batches of it that do not have all their recipes yet.',
  ),
  byId(
    'batch',
    '/v6/batches/{id}/',
    'Delete a batch',
    'It must have all its recipes, and these must have ended.',
  ),
  deletion({
    kind: 'job_type',
    path: '/v6/job-types/{name}/{version}/',
    params: { name: pathText, version: pathText },
    summary: 'Delete a version of a job type',
    needs: 'Live are its jobs that have not ended, and active recipe types that contain it.',
    find: (sql, { name, version }) => targetByName(sql, 'job_type', name, version),
  }),
  deletion({
    kind: 'recipe_type',
    path: '/v6/recipe-types/{name}/',
    params: { name: pathText },
    summary: 'Delete a recipe type',
    needs:
      'Live are its recipes that have not ended, active recipe types that contain it, and strikes, scans and batches ' +
      'that start recipes of it and are under way.',
    find: (sql, { name }) => targetByName(sql, 'recipe_type', name),
  }),
];
