/** Ingests: what their routes need, from the store, with the secrets of embedded configurations masked. */
import { withLegacyKeys } from '../../domain/strike/legacy-configuration.ts';
import { findIngest, listIngests } from '../../store/ingest/list.ts';
import { listJobsOfIngest } from '../../store/job/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { shown } from '../scans/service.ts';
import { masked as maskedStrike } from '../strikes/service.ts';
import { masked as maskedWorkspace } from '../workspaces/service.ts';
import type { IngestDetailsRecord, IngestRouteDeps } from './routes.ts';

export function ingestsApp(sql: Sql): IngestRouteDeps['ingests'] {
  return {
    list: (filter, order, page) => listIngests(sql, filter, order, page),
    async find(id) {
      const found = await findIngest<IngestDetailsRecord>(sql, id);
      return found === undefined ? undefined : withoutSecrets(found);
    },
    jobs: (id, order, page) => listJobsOfIngest(sql, id, order, page),
  };
}

function withoutSecrets(found: IngestDetailsRecord): IngestDetailsRecord {
  const { scan, strike, workspace, new_workspace: target } = found;
  const settings = maskedWorkspace(workspace.json_config);
  const broker = settings.broker as Readonly<Record<string, unknown>>;
  return {
    ...found,
    workspace: { ...workspace, json_config: settings },
    new_workspace: target === null ? null : { ...target, json_config: maskedWorkspace(target.json_config) },
    scan: scan === null ? null : { ...scan, configuration: shown(scan.configuration) },
    strike:
      strike === null
        ? null
        : { ...strike, configuration: withLegacyKeys(maskedStrike(strike.configuration), broker) },
  };
}
