/** `/v6/files/purge-source/` and `/v6/purges/`: remove source files with all their descendants. */
import { type Static, Type } from '@sinclair/typebox';
import { purgeAddress } from '../../actors/purge/purge.messages.ts';
import type { AppError } from '../../domain/errors.ts';
import { defineList } from '../../http/list.ts';
import { dryRun } from '../../http/request/dry-run.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, integers } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, oneOf, orNull } from '../../http/schema.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { creating } from '../../store/catalog/creating.ts';
import { findPurge, listPurges } from '../../store/purge/list.ts';
import { previewPurge } from '../../store/purge/preview.ts';
import { type BegunPurge, beginPurge } from '../../store/purge/save.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { savesAnswer } from '../shared/idempotency.ts';
import { count, nullableInstant, versionField } from '../shared/records.ts';
import { freshId, unknownReference } from '../shared/requests.ts';

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
type PurgeSourceBody = Static<typeof PurgeSource>;

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
      { description: 'Source files that stay, but lose the products that were made from them and this one.' },
    ),
    dataset_ids: ids('Datasets that have members with these files: the first 20.'),
    batch_ids: ids('Batches of the recipes: the first 20.'),
    is_cut: Type.Boolean({
      description: 'There is more: the search ends after about 100,000 records of a kind.',
    }),
  }),
);

const ORDER = ['file_id', 'file_name', 'file_path', 'file_size', 'phase', 'created', 'completed'] as const;

/** The path of one purge. */
const purgePath = (id: number): string => `/v6/purges/${id}/`;

interface PurgesParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'tell'>;
}

/** Resolves with the id of the purge. Throws UNKNOWN_REFERENCE at `file_id`. */
export async function beginFor(
  { sql, ids, system }: PurgesParts,
  { file_id: fileId, delete_source_bytes: deletesSourceBytes = false }: PurgeSourceBody,
  asker: Asker,
): Promise<number> {
  const { nowMs } = asker;
  const id = await freshId(ids, 'purge');
  const { kind, key } = purgeAddress(id);
  const shard = shardOf(kind, key);
  const also = savesAnswer(asker, async (_tx, made: number) => {
    return { status: 204, location: purgePath(made) };
  });
  const begun = await creating(sql, also, async (tx) =>
    begunId(fileId, await beginPurge(tx, { id, shard, fileId, deletesSourceBytes, nowMs })),
  );
  system.tell(purgeAddress(begun), { type: 'wake' });
  return begun;
}

/** What the purge would remove. Throws as `beginFor`. */
async function preview(
  { sql, ids }: PurgesParts,
  { file_id: fileId, delete_source_bytes: deletesSourceBytes = false }: PurgeSourceBody,
  nowMs: number,
) {
  const id = await freshId(ids, 'purge');
  const found = await previewPurge(sql, { id, shard: 0, fileId, deletesSourceBytes, nowMs });
  if (found.kind !== 'found') throw nothingToPurge(fileId, found);
  const { files, workspaces, jobs, recipes, otherSources, datasetIds, batchIds, isCut } = found;
  return {
    ...{ files, workspaces: [...workspaces], jobs, recipes, is_cut: isCut },
    other_sources: { count: otherSources.count, ids: [...otherSources.ids] },
    ...{ dataset_ids: [...datasetIds], batch_ids: [...batchIds] },
  };
}

/** Throws UNKNOWN_REFERENCE if there is nothing to purge. */
function begunId(fileId: number, begun: BegunPurge): number {
  if (begun.kind === 'begun') return begun.id;
  throw nothingToPurge(fileId, begun);
}

function nothingToPurge(fileId: number, begun: Exclude<BegunPurge, { kind: 'begun' }>): AppError {
  switch (begun.kind) {
    case 'unknown':
      return unknownReference('file_id', `there is no file ${fileId}`);
    case 'product':
      return unknownReference('file_id', `the file ${fileId} is a product: only source files are purged`);
    case 'done':
      return unknownReference('file_id', `the file ${fileId} was purged: see /v6/purges/${begun.id}/`);
  }
}

const begin = defineRoute({
  method: 'POST',
  path: '/v6/files/purge-source/',
  summary: 'Remove a source file with everything that descends from it',
  description:
    'Removes the records, and the bytes of products. The bytes of the source stay unless `delete_source_bytes` is ' +
    'true. `Location` names the purge, which continues after the answer. A repeat during the purge gets the same ' +
    'answer.',
  repeats: 'keyed',
  query: { dry_run: dryRun },
  body: PurgeSource,
  replies: { 200: PurgePreview, 204: NO_BODY },
  async handle({ body, query, request }, parts: PurgesParts) {
    if (query.dry_run === true) return reply(200, await preview(parts, body, request.nowMs));
    const purgeId = await beginFor(parts, body, request);
    return reply(204, undefined, { location: purgePath(purgeId) });
  },
});

const filters = {
  range: timeRange(),
  file_id: integers('Ids of purged files: sources, and products that were removed with theirs.', {
    minimum: 1,
  }),
  is_completed: flag('True: only purges that are done; false: only the others.'),
};
const order = orderBy([...ORDER, 'last_modified'], ['last_modified']);

const list = defineList({
  path: '/v6/purges/',
  summary: 'List purges',
  query: { ...filters, order },
  record: Purge,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listPurges(sql, query, query.order, query.paging, shown),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/purges/{id}/',
  summary: 'How far a purge has come, and what it has removed',
  params: { id: pathId },
  replies: { 200: Purge },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await findPurge(sql, params.id), 'purge', params.id));
  },
});

export const purgeRoutes = [begin, list, details];
