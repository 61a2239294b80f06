/** What the routes get: each resource's calls, made of the parts of one coordinator. */
import { randomUUID } from 'node:crypto';
import type { Evaluator } from '../evaluator/evaluator.ts';
import type { CompatDeps } from '../http/compat/compat-routes.ts';
import type { NotificationRouteDeps } from '../http/v6/notifications.ts';
import type { IdPort, System } from '../kernel/mod.ts';
import { realClock } from '../lib/real-clock.ts';
import type { ContentRequests } from '../rpc/content.ts';
import { documentedSpellings, keepSpelling } from '../store/client-spellings.ts';
import type { Encryption } from '../store/encryption.ts';
import type { RevisionCache } from '../store/revision-cache.ts';
import type { Sql } from '../store/sql.ts';
import { accountsApp } from './accounts.ts';
import { auditApp } from './audit.ts';
import { batchesApp } from './batches.ts';
import type { CoordinatorTransport } from './coordinator-transport.ts';
import { datasetsApp } from './datasets.ts';
import { diagnosticsApp } from './diagnostics.ts';
import { errorsApp } from './errors.ts';
import { executionConfigurations } from './execution-configurations.ts';
import { filesApp, inputFilesApp } from './files.ts';
import { ingestStatusApp } from './ingest-status.ts';
import { ingestsApp } from './ingests.ts';
import { jobRequestsApp } from './job-requests.ts';
import { jobTypeViewsApp } from './job-type-views.ts';
import { jobTypesApp } from './job-types.ts';
import { executionsApp, jobsApp } from './jobs.ts';
import { loadApp } from './load.ts';
import { type LoginParts, loginApp } from './login.ts';
import { metricsApp } from './metrics.ts';
import { nodesApp } from './nodes.ts';
import { type OpenIdParts, openIdApp } from './openid-login.ts';
import { purgesApp } from './purges.ts';
import type { Readiness } from './readiness.ts';
import { recipeTypesApp } from './recipe-types.ts';
import { recipesApp } from './recipes.ts';
import { scansApp } from './scans.ts';
import { schedulerApp } from './scheduler.ts';
import { secretKeysApp } from './secret-keys-view.ts';
import { type StatusParts, statusApp } from './status.ts';
import { strikesApp } from './strikes.ts';
import { timelinesApp } from './timelines.ts';
import { tokensApp } from './tokens.ts';
import { typeUpdatesApp } from './type-update-views.ts';
import { workspacesApp } from './workspaces.ts';

export interface ApiParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly ids: IdPort;
  readonly plans: RevisionCache;
  readonly evaluator: Evaluator;
  readonly system: System;
  readonly contents: ContentRequests;
  /** Id of this coordinator. */
  readonly self: string;
  /** Where clients and other coordinators find its HTTP. */
  readonly httpAddress: string;
  readonly httpScheme: 'http' | 'https';
  readonly version: string;
  readonly readiness: Readiness;
  /** Object store of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
  readonly hasNats: boolean;
  /** How this coordinator speaks with the others. */
  readonly bus: Pick<CoordinatorTransport, 'type' | 'trouble'>;
  /** What this coordinator warns of. */
  readonly warnings: StatusParts['warnings'];
  /** Accounts, and what logging in takes. */
  readonly logins: LoginParts;
  readonly openId?: OpenIdParts['openId'];
  readonly notifications: NotificationRouteDeps['notifications'];
  /** What diagnostics run in where no node runs plain processes. */
  readonly diagnosticsImage: string;
}

export function apiDeps(parts: ApiParts): CompatDeps {
  const { sql, system } = parts;
  const configurationOf = executionConfigurations(parts);
  return {
    version: { version: parts.version },
    readiness: parts.readiness.forRoute(system, parts.bus),
    workspaces: workspacesApp(parts),
    scans: scansApp(parts),
    strikes: strikesApp(parts),
    notifications: parts.notifications,
    ingests: ingestsApp(sql),
    ingestStatus: ingestStatusApp(sql),
    files: filesApp({ ...parts, newRequestId: () => randomUUID() }),
    purges: purgesApp(parts),
    typeUpdates: typeUpdatesApp(sql),
    inputFiles: inputFilesApp(sql),
    nodes: nodesApp({ sql, system }),
    scheduler: schedulerApp({ sql, system }),
    secretKeys: secretKeysApp(sql),
    status: statusApp({
      ...parts,
      nowMs: realClock.nowMs,
      cluster: 'millrace',
    }),
    jobTypes: jobTypesApp(parts),
    jobTypeViews: jobTypeViewsApp(sql),
    recipeTypes: recipeTypesApp(parts),
    recipes: recipesApp(parts),
    batches: batchesApp(parts),
    jobs: jobsApp(parts, configurationOf),
    jobRequests: jobRequestsApp(parts),
    executions: executionsApp(sql, configurationOf),
    errors: errorsApp(sql),
    datasets: datasetsApp(sql, realClock.nowMs),
    load: loadApp(sql),
    timelines: timelinesApp(sql),
    metrics: metricsApp(sql),
    diagnostics: diagnosticsApp(parts),
    accounts: accountsApp(parts.logins),
    tokens: tokensApp({ ...parts.logins, encryption: parts.encryption }),
    login: loginApp(parts.logins),
    openId: openIdApp(parts),
    audit: auditApp(parts.logins),
    spellings: {
      keep: (record, isDocumented) => keepSpelling(sql, record, isDocumented),
      documented: (records) => documentedSpellings(sql, records),
    },
  };
}
