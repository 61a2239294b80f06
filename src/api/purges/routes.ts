/** `/v6/files/purge-source/` and `/v6/purges/`: remove source files with all their descendants. */
import { type Static, Type } from '@sinclair/typebox';
import { defineList, type List } from '../../http/list.ts';
import { dryRun } from '../../http/request/dry-run.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, integers } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, oneOf, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { count, nullableInstant, versionField } from '../shared/records.ts';

const PHASES = ['find', 'stop', 'release', 'bytes', 'rows', 'done'] as const;

const Purge = named(
  'Purge',
  Type.Object({
    id: id(),
    ...versionField,
    status: oneOf(['RUNNING', 'WAITING', 'COMPLETED']),
    phase: oneOf(PHASES),
    reason: orNull(Type.String({ description: 'Why it waits.' })),
    file_id: id(),
    file_name: Type.String(),
    file_path: Type.String(),
    file_size: count,
    workspace: Type.Object({ id: id(), name: Type.String() }),
    delete_source_bytes: Type.Boolean(),
    removed: Type.Record(Type.String(), Type.Integer(), {
      description: 'Records that were removed, by kind.',
    }),
    workspaces: Type.Array(
      Type.Object({
        id: id(),
        name: Type.String(),
        files_removed: count,
        files_absent: count,
        files_kept: count,
        files_failed: count,
        bytes_removed: count,
      }),
      { description: 'What became of files in workspaces.' },
    ),
    problems: Type.Array(
      Type.Object({ name: Type.String(), description: Type.String(), path: Type.String() }),
      { description: 'Files that were not removed; the first 100.' },
    ),
    created: instant(),
    completed: nullableInstant,
    last_modified: instant(),
  }),
);
export type PurgeRecord = Static<typeof Purge>;

const PurgeSource = named(
  'PurgeSource',
  Type.Object({
    file_id: id('The id of a SOURCE file.'),
    delete_source_bytes: Type.Optional(
      Type.Boolean({
        description: 'Remove the source itself from its workspace as well; false when absent.',
      }),
    ),
  }),
);
export type PurgeSourceBody = Static<typeof PurgeSource>;

const ids = (description: string) => Type.Array(id(), { description });

const PurgePreview = named(
  'PurgePreview',
  Type.Object({
    files: Type.Object({ count, bytes: count, sources: count }),
    workspaces: Type.Array(Type.Object({ id: id(), name: Type.String(), files: count, bytes: count })),
    jobs: Type.Object({ count, live: count }, { description: '`live`: those that would be canceled.' }),
    recipes: count,
    other_sources: Type.Object(
      { count, ids: ids('The first 20.') },
      { description: 'Source files that stay, and lose what was made of them together with this one.' },
    ),
    dataset_ids: ids('Datasets that have members with these files: the first 20.'),
    batch_ids: ids('Batches of the recipes: the first 20.'),
    is_cut: Type.Boolean({
      description: 'There is more: the search ends after about 100,000 records of a kind.',
    }),
  }),
);
export type PurgePreviewRecord = Static<typeof PurgePreview>;

export interface PurgeRouteDeps {
  readonly purges: {
    /** Resolves with the id of the purge. Throws UNKNOWN_REFERENCE at `file_id`. */
    begin(body: PurgeSourceBody, asker: Asker): Promise<number>;
    /** What it would remove; throws as `begin`. */
    preview(body: PurgeSourceBody, nowMs: number): Promise<PurgePreviewRecord>;
    list: List<typeof filters, typeof order, PurgeRecord>;
    find(id: number): Promise<PurgeRecord | undefined>;
  };
}

const ORDER = ['file_id', 'file_name', 'file_path', 'file_size', 'phase', 'created', 'completed'] as const;

/** The path of one purge. */
export const purgePath = (id: number): string => `/v6/purges/${id}/`;

const begin = defineRoute({
  method: 'POST',
  path: '/v6/files/purge-source/',
  summary: 'Remove a source file with all that descends from it',
  description:
    'Records go, and the bytes of products; those of the source stay unless `delete_source_bytes`. `Location` names ' +
    'the purge, which goes on after the answer; repeated while it does, the answer is the same.',
  repeats: 'keyed',
  query: { dry_run: dryRun },
  body: PurgeSource,
  replies: { 200: PurgePreview, 204: NO_BODY },
  async handle({ body, query, request }, { purges }: PurgeRouteDeps) {
    if (query.dry_run === true) return reply(200, await purges.preview(body, request.nowMs));
    const purgeId = await purges.begin(body, request);
    return reply(204, undefined, { location: purgePath(purgeId) });
  },
});

const filters = {
  range: timeRange(),
  file_id: integers('Ids of purged files.', { minimum: 1 }),
  is_completed: flag('Only purges that are done, or only those that are not.'),
};
const order = orderBy([...ORDER, 'last_modified'], ['last_modified']);

const list = defineList({
  path: '/v6/purges/',
  summary: 'List purges',
  query: { ...filters, order },
  record: Purge,
  records: ({ query }, { purges }: PurgeRouteDeps) => purges.list(query, query.order, query.paging),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/purges/{id}/',
  summary: 'How far a purge has come, and what it has removed',
  params: { id: pathId },
  replies: { 200: Purge },
  async handle({ params }, { purges }: PurgeRouteDeps) {
    return reply(200, existing(await purges.find(params.id), 'purge'));
  },
});

export const purgeRoutes = [begin, list, details];
