/** Ingests: what their routes need, from the store, with the secrets of embedded configurations masked. */

import { withLegacyKeys } from '../../domain/ingest/legacy-configuration.ts';
import { shownScanConfiguration } from '../../domain/scan/scan-config.ts';
import { maskedStrikeConfiguration } from '../../domain/strike/strike-config.ts';
import {
  maskedWorkspaceConfiguration,
  type WorkspaceConfiguration,
} from '../../domain/workspace/workspace-config.ts';
import { findIngest, listIngests } from '../../store/ingest/list.ts';
import { listJobsOfIngest } from '../../store/job/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { IngestDetailsRecord, IngestRouteDeps } from './routes.ts';

export function ingestsApp(sql: Sql): IngestRouteDeps['ingests'] {
  return {
    list: (filter, order, page) => listIngests(sql, filter, order, page),
    async find(id) {
      const found = await findIngest(sql, id);
      return found === undefined ? undefined : withoutSecrets(found);
    },
    jobs: (id, order, page) => listJobsOfIngest(sql, id, order, page),
  };
}

function withoutSecrets(found: NonNullable<Awaited<ReturnType<typeof findIngest>>>): IngestDetailsRecord {
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
