/** What the routes get: each resource's calls, made of the parts of one coordinator. */
import { randomUUID } from 'node:crypto';
import type { BrokerType } from '../domain/workspace/workspace-config.ts';
import type { Evaluator } from '../evaluator/evaluator.ts';
import type { ApiDeps } from '../http/v6/index.ts';
import type { IdPort, System } from '../kernel/mod.ts';
import { realClock } from '../lib/real-clock.ts';
import type { ContentRequests } from '../rpc/content.ts';
import type { Seal } from '../store/sealing.ts';
import type { Sql } from '../store/sql.ts';
import { datasetsApp } from './datasets.ts';
import { diagnosticsApp } from './diagnostics.ts';
import { errorsApp } from './errors.ts';
import { filesApp } from './files.ts';
import { ingestsApp } from './ingests.ts';
import { jobRequestsApp } from './job-requests.ts';
import { jobTypesApp } from './job-types.ts';
import { executionsApp, jobsApp } from './jobs.ts';
import { loadApp } from './load.ts';
import { nodesApp } from './nodes.ts';
import { recipeTypesApp } from './recipe-types.ts';
import { recipesApp } from './recipes.ts';
import { schedulerApp } from './scheduler.ts';
import { statusApp } from './status.ts';
import { strikesApp } from './strikes.ts';
import { timelinesApp } from './timelines.ts';
import { workspacesApp } from './workspaces.ts';

export interface ApiParts {
  readonly sql: Sql;
  readonly seal: Seal;
  readonly ids: IdPort;
  readonly evaluator: Evaluator;
  readonly system: System;
  readonly contents: ContentRequests;
  /** Id of this coordinator. */
  readonly self: string;
  /** What it listens on for HTTP. */
  readonly httpAddress: string;
  readonly version: string;
  readonly hasNats: boolean;
  /** What diagnostics run in where no node runs plain processes. */
  readonly diagnosticsImage: string;
}

/** Brokers that agents of this version can serve. */
const SERVED: ReadonlySet<BrokerType> = new Set(['host']);

export function apiDeps(parts: ApiParts): ApiDeps {
  const { sql, system } = parts;
  return {
    version: { version: parts.version },
    workspaces: workspacesApp({ ...parts, served: SERVED }),
    strikes: strikesApp(parts),
    ingests: ingestsApp(sql),
    files: filesApp({ ...parts, newRequestId: () => randomUUID() }),
    nodes: nodesApp({ sql, system }),
    scheduler: schedulerApp({ sql, system }),
    status: statusApp({
      ...parts,
      nowMs: realClock.nowMs,
      cluster: 'millrace',
      busType: parts.hasNats ? 'nats' : 'memory',
    }),
    jobTypes: jobTypesApp(parts),
    recipeTypes: recipeTypesApp(sql),
    recipes: recipesApp(parts),
    jobs: jobsApp(parts),
    jobRequests: jobRequestsApp(parts),
    executions: executionsApp(sql),
    errors: errorsApp(sql),
    datasets: datasetsApp(sql, realClock.nowMs),
    load: loadApp(sql),
    timelines: timelinesApp(sql),
    diagnostics: diagnosticsApp(parts),
  };
}
