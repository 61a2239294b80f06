/** `/v6/ingests/`: one record for each file that is being or was ingested. */
import { Type } from '@sinclair/typebox';
import { INGEST_STATUSES } from '../../domain/ingest/ingest.ts';
import { withLegacyKeys } from '../../domain/ingest/legacy-configuration.ts';
import { shownScanConfiguration } from '../../domain/scan/scan-config.ts';
import { maskedStrikeConfiguration } from '../../domain/strike/strike-config.ts';
import {
  maskedWorkspaceConfiguration,
  type WorkspaceConfiguration,
} from '../../domain/workspace/workspace-config.ts';
import { defineList } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { choices, integers, text } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { document, id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { findIngest, listIngests } from '../../store/ingest/list.ts';
import { listJobsOfIngest } from '../../store/job/list.ts';
import { ScanConfiguration, StrikeConfiguration } from '../documents/ingest.ts';
import { SourceFile, type SourceFileRecord, type Unaddressed, withUrl } from '../files/file-record.ts';
import { JOB_ORDER } from '../jobs/routes.ts';
import { Job } from '../jobs/schema.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { IdRef, versionField } from '../shared/records.ts';
import { WorkspaceSummary, WorkspaceWithSettings } from '../workspaces/schema.ts';

const STRIKE = {
  id: id(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  job: IdRef,
};
const SCAN = { ...STRIKE, dry_run_job: IdRef };
const BEFORE = {
  id: id(),
  ...versionField,
  file_name: Type.String(),
  status: oneOf(INGEST_STATUSES),
  reason: orNull(Type.String({ description: 'Why it is deferred, failed, or waits.' })),
  bytes_transferred: integer({ minimum: 0 }),
  transfer_started: orNull(instant()),
  transfer_ended: orNull(instant()),
  media_type: Type.String(),
  file_size: integer({ minimum: 0, description: 'Bytes.' }),
  data_type_tags: Type.Array(Type.String()),
  file_path: Type.String({ description: 'Relative to its workspace.' }),
  new_file_path: orNull(Type.String({ description: 'Where the ingest moves it.' })),
};
const AFTER = {
  job: orNull(IdRef),
  ingest_started: orNull(instant()),
  ingest_ended: orNull(instant()),
  source_file: orNull(SourceFile),
  data_started: orNull(instant()),
  data_ended: orNull(instant()),
  created: instant(),
  last_modified: instant(),
};

const IngestSummary = named(
  'Ingest',
  Type.Object({
    ...BEFORE,
    scan: orNull(Type.Object(SCAN)),
    strike: orNull(Type.Object(STRIKE)),
    workspace: WorkspaceSummary,
    new_workspace: orNull(WorkspaceSummary),
    ...AFTER,
  }),
);
const IngestDetails = named(
  'IngestDetails',
  Type.Object({
    ...BEFORE,
    scan: orNull(Type.Object({ ...SCAN, configuration: document(undefined, ScanConfiguration) })),
    strike: orNull(
      Type.Object({ ...STRIKE, configuration: document('Secrets are masked.', StrikeConfiguration) }),
    ),
    workspace: WorkspaceWithSettings,
    new_workspace: orNull(WorkspaceWithSettings),
    ...AFTER,
  }),
);

/** Adds the address of the stored file's content. */
function withSourceUrl<R extends { readonly source_file: Unaddressed<SourceFileRecord> | null }>(
  record: R,
  base: string,
): Omit<R, 'source_file'> & { source_file: SourceFileRecord | null } {
  const { source_file: file } = record;
  return { ...record, source_file: file === null ? null : withUrl(file, base) };
}

function withoutSecrets(found: NonNullable<Awaited<ReturnType<typeof findIngest>>>) {
  const { scan, strike, workspace, new_workspace: target } = found;
  const { broker } = workspace.json_config;
  return {
    ...found,
    workspace: withMaskedSecrets(workspace),
    new_workspace: target && withMaskedSecrets(target),
    scan: scan && { ...scan, configuration: { ...shownScanConfiguration(scan.configuration) } },
    strike: strike && {
      ...strike,
      configuration: withLegacyKeys({ ...maskedStrikeConfiguration(strike.configuration) }, { ...broker }),
    },
  };
}

function withMaskedSecrets<W extends { readonly json_config: WorkspaceConfiguration }>(workspace: W) {
  return { ...workspace, json_config: { ...maskedWorkspaceConfiguration(workspace.json_config) } };
}

const filters = {
  range: timeRange(),
  // QUEUED exists in the public system only, for TRANSFERRED with a job; no ingest has it here.
  status: choices('Statuses.', [...INGEST_STATUSES, 'QUEUED']),
  scan_id: integers('Scans.'),
  strike_id: integers('Strikes.'),
  file_name: text('Part of the file name.'),
};
const order = orderBy(scalarFields(IngestSummary), ['last_modified']);

const list = defineList({
  path: '/v6/ingests/',
  summary: 'List ingests',
  query: { ...filters, order },
  record: IngestSummary,
  async records({ query, shown, request }, { sql }: Parts<'sql'>) {
    const { count, some } = await listIngests(sql, query, query.order, query.paging, shown);
    const addressed = some.map(({ source_file, ...record }) =>
      source_file === undefined ? record : withSourceUrl({ ...record, source_file }, request.base),
    );
    return { count, some: addressed };
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/ingests/{id}/',
  summary: 'Details of an ingest',
  params: { id: pathId },
  replies: { 200: IngestDetails },
  async handle({ params, request }, { sql }: Parts<'sql'>) {
    return reply(
      200,
      withSourceUrl(
        withoutSecrets(existing(await findIngest(sql, params.id), 'ingest', params.id)),
        request.base,
      ),
    );
  },
});

const jobOrder = orderBy(JOB_ORDER, ['id']);

const jobs = defineList({
  path: '/v6/ingests/{id}/jobs/',
  summary: 'List the jobs of an ingest: its own, and those of the recipe that it started',
  params: { id: pathId },
  query: { order: jobOrder },
  record: Job,
  records: async ({ params, query, shown }, { sql }: Parts<'sql'>) =>
    existing(await listJobsOfIngest(sql, params.id, query.order, query.paging, shown), 'ingest', params.id),
});

export const ingestRoutes = [list, details, jobs];
