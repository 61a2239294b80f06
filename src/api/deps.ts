/** The dependencies of the routes: each resource's service, built from the parts of one coordinator. */
import { randomUUID } from 'node:crypto';
import { type LoginParts, loginApp } from '../auth/login.ts';
import { type OpenIdParts, openIdApp } from '../auth/openid-login.ts';
import type { Evaluator } from '../evaluator/evaluator.ts';
import type { IdPort, System } from '../kernel/mod.ts';
import { realClock } from '../lib/real-clock.ts';
import type { ContentRequests } from '../rpc/content.ts';
import type { RevisionCache } from '../store/catalog/revision-cache.ts';
import { documentedSpellings, keepSpelling } from '../store/client-spelling/save.ts';
import type { Encryption } from '../store/secret-key/encryption.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { BusState } from '../transport/linked-transport.ts';
import { accountsApp } from './accounts/service.ts';
import { auditApp } from './audit/service.ts';
import { batchesApp } from './batches/service.ts';
import { changesApp } from './changes/service.ts';
import { datasetsApp } from './datasets/service.ts';
import { diagnosticsApp } from './diagnostics/service.ts';
import { errorsApp } from './errors/service.ts';
import { executionConfigurations } from './executions/configurations.ts';
import { lineageApp } from './files/lineage.ts';
import { filesApp, inputFilesApp } from './files/service.ts';
import { ingestsApp } from './ingests/service.ts';
import { ingestStatusApp } from './ingests/status.ts';
import { jobRequestsApp } from './job-requests/service.ts';
import { jobTypesApp } from './job-types/service.ts';
import { jobTypeViewsApp } from './job-types/views.ts';
import { executionsApp, jobsApp } from './jobs/service.ts';
import { loadApp } from './load/service.ts';
import { metricsApp } from './metrics/service.ts';
import { nodesApp } from './nodes/service.ts';
import type { NotificationRouteDeps } from './notifications/routes.ts';
import { type PrometheusParts, prometheusApp } from './prometheus/service.ts';
import { purgesApp } from './purges/service.ts';
import { recipeTypesApp } from './recipe-types/service.ts';
import { recipesApp } from './recipes/service.ts';
import { scansApp } from './scans/service.ts';
import { schedulerApp } from './scheduler/service.ts';
import { secretKeysApp } from './secret-keys/service.ts';
import type { ServiceDeps } from './service.ts';
import type { Readiness } from './status/readiness.ts';
import { type StatusParts, statusApp } from './status/service.ts';
import { strikesApp } from './strikes/service.ts';
import { timelinesApp } from './timelines/service.ts';
import { tokensApp } from './tokens/service.ts';
import { typeUpdatesApp } from './type-updates/service.ts';
import { fileWhyApp } from './why/file.ts';
import { whyApp } from './why/service.ts';
import { workspacesApp } from './workspaces/service.ts';

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
  /** The address of its HTTP server for clients and other coordinators. */
  readonly httpAddress: string;
  readonly httpScheme: 'http' | 'https';
  readonly version: string;
  readonly readiness: Readiness;
  /** Object store of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
  readonly hasNats: boolean;
  /** The connections of this coordinator to the others. */
  readonly bus: BusState;
  /** The warnings of this coordinator. */
  readonly warnings: StatusParts['warnings'];
  /** Accounts, and the parts of logging in. */
  readonly logins: LoginParts;
  readonly openId?: OpenIdParts['openId'];
  readonly notifications: NotificationRouteDeps['notifications'];
  /** What this coordinator tells Prometheus of itself. */
  readonly metrics: PrometheusParts['metrics'];
  readonly metricsToken: PrometheusParts['metricsToken'];
  readonly log: PrometheusParts['log'];
  /** What diagnostics run in where no node runs plain processes. */
  readonly diagnosticsImage: string;
}

export function apiDeps(parts: ApiParts): ServiceDeps {
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
    lineage: lineageApp(sql, configurationOf),
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
    changes: changesApp(sql),
    jobs: jobsApp(parts, configurationOf),
    jobRequests: jobRequestsApp(parts),
    executions: executionsApp(sql, configurationOf),
    why: whyApp(parts),
    fileWhy: fileWhyApp(parts),
    errors: errorsApp(sql),
    datasets: datasetsApp(sql, realClock.nowMs),
    load: loadApp(sql),
    timelines: timelinesApp(sql),
    metrics: metricsApp(sql),
    prometheus: prometheusApp(parts),
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
