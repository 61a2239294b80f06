/** The dependencies of the routes: each resource's service, built from the parts of one coordinator. */
import { randomUUID } from 'node:crypto';
import { type OpenIdParts, openIdApp } from '../auth/openid-login.ts';
import { realClock } from '../lib/real-clock.ts';
import { batchesApp } from './batches/service.ts';
import { type ChangesParts, changesApp } from './changes/service.ts';
import { datasetsApp } from './datasets/service.ts';
import { executionConfigurations } from './executions/configurations.ts';
import { pathsApp } from './files/paths.ts';
import { filesApp } from './files/service.ts';
import { jobTypesApp } from './job-types/service.ts';
import { executionsApp, jobsApp } from './jobs/service.ts';
import type { ApiParts } from './parts.ts';
import { type PrometheusParts, prometheusApp } from './prometheus/service.ts';
import { recipeTypesApp } from './recipe-types/service.ts';
import { recipesApp } from './recipes/service.ts';
import type { ApiDeps } from './resources.ts';
import { scansApp } from './scans/service.ts';
import { StatusKeeper } from './status/service.ts';
import { strikesApp } from './strikes/service.ts';
import { workspacesApp } from './workspaces/service.ts';

/** The parts of a coordinator from which those of handlers are made. */
export interface CoordinatorParts
  extends Omit<ApiParts, 'openId' | 'prometheus' | 'status' | 'configurationOf'>,
    Pick<OpenIdParts, 'openId'>,
    Pick<PrometheusParts, 'metrics' | 'metricsToken' | 'log'>,
    Pick<ChangesParts, 'streams'> {}

export function apiDeps(parts: CoordinatorParts): ApiDeps {
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
    status: new StatusKeeper({ ...parts, nowMs: realClock.nowMs, cluster: 'millrace' }),
    configurationOf,
    jobTypes: jobTypesApp(parts),
    recipeTypes: recipeTypesApp(parts),
    recipes: recipesApp(parts),
    batches: batchesApp(parts),
    changes: changesApp(parts),
    jobs: jobsApp(parts, configurationOf),
    executions: executionsApp(sql, configurationOf, parts.streams),
    datasets: datasetsApp(sql, realClock.nowMs),
  };
}
