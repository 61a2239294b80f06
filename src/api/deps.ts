/** The dependencies of the routes: each resource's service, built from the parts of one coordinator. */
import { randomUUID } from 'node:crypto';
import { type OpenIdParts, openIdApp } from '../auth/openid-login.ts';
import { realClock } from '../lib/real-clock.ts';
import { documentedSpellings, keepSpelling } from '../store/client-spelling/save.ts';
import { accountsApp } from './accounts/service.ts';
import { batchesApp } from './batches/service.ts';
import { type ChangesParts, changesApp } from './changes/service.ts';
import { datasetsApp } from './datasets/service.ts';
import { diagnosticsApp } from './diagnostics/service.ts';
import { executionConfigurations } from './executions/configurations.ts';
import { lineageApp } from './files/lineage.ts';
import { pathsApp } from './files/paths.ts';
import { filesApp } from './files/service.ts';
import { jobRequestsApp } from './job-requests/service.ts';
import { jobTypesApp } from './job-types/service.ts';
import { executionsApp, jobsApp } from './jobs/service.ts';
import type { ApiParts } from './parts.ts';
import { type PrometheusParts, prometheusApp } from './prometheus/service.ts';
import { purgesApp } from './purges/service.ts';
import { recipeTypesApp } from './recipe-types/service.ts';
import { recipesApp } from './recipes/service.ts';
import { scansApp } from './scans/service.ts';
import type { ServiceDeps } from './service.ts';
import { statusApp } from './status/service.ts';
import { strikesApp } from './strikes/service.ts';
import { tokensApp } from './tokens/service.ts';
import { fileWhyApp } from './why/file.ts';
import { whyApp } from './why/service.ts';
import { workspacesApp } from './workspaces/service.ts';

/** The parts of a coordinator from which those of handlers are made. */
export interface CoordinatorParts
  extends Omit<ApiParts, 'openId' | 'prometheus'>,
    Pick<OpenIdParts, 'openId'>,
    Pick<PrometheusParts, 'metrics' | 'metricsToken' | 'log'>,
    Pick<ChangesParts, 'streams'> {}

export function apiDeps(parts: CoordinatorParts): ServiceDeps {
  const { sql } = parts;
  const configurationOf = executionConfigurations(parts);
  return {
    ...parts,
    openId: openIdApp(parts),
    prometheus: prometheusApp(parts),
    workspaces: workspacesApp(parts),
    scans: scansApp(parts),
    strikes: strikesApp(parts),
    files: filesApp({ ...parts, newRequestId: () => randomUUID() }),
    paths: pathsApp({ ...parts, newRequestId: () => randomUUID() }),
    purges: purgesApp(parts),
    lineage: lineageApp(sql, configurationOf),
    status: statusApp({
      ...parts,
      nowMs: realClock.nowMs,
      cluster: 'millrace',
    }),
    jobTypes: jobTypesApp(parts),
    recipeTypes: recipeTypesApp(parts),
    recipes: recipesApp(parts),
    batches: batchesApp(parts),
    changes: changesApp(parts),
    jobs: jobsApp(parts, configurationOf),
    jobRequests: jobRequestsApp(parts),
    executions: executionsApp(sql, configurationOf, parts.streams),
    why: whyApp(parts),
    fileWhy: fileWhyApp(parts),
    datasets: datasetsApp(sql, realClock.nowMs),
    diagnostics: diagnosticsApp(parts),
    accounts: accountsApp(parts.logins),
    tokens: tokensApp({ ...parts.logins, encryption: parts.encryption }),
    spellings: {
      keep: (record, isDocumented) => keepSpelling(sql, record, isDocumented),
      documented: (records) => documentedSpellings(sql, records),
    },
  };
}
