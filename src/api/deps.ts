/** Makes the parts that handlers use from the parts of one coordinator. */
import { type OpenIdParts, openIdApp } from '../auth/openid-login.ts';
import { realClock } from '../lib/real-clock.ts';
import { changesApp } from './changes/service.ts';
import { executionConfigurations } from './executions/configurations.ts';
import { jobReads } from './jobs/service.ts';
import type { ApiParts } from './parts.ts';
import { type PrometheusParts, prometheusApp } from './prometheus/service.ts';
import { recipeReads } from './recipes/service.ts';
import { StatusKeeper } from './status/service.ts';

/** The parts that the coordinator provides. */
export interface CoordinatorParts
  extends Omit<
      ApiParts,
      'openId' | 'prometheus' | 'status' | 'configurationOf' | 'jobReads' | 'recipeReads' | 'changes'
    >,
    Pick<OpenIdParts, 'openId'>,
    Pick<PrometheusParts, 'metrics' | 'metricsToken' | 'log'> {}

export function apiDeps(parts: CoordinatorParts): ApiParts {
  const { sql } = parts;
  return {
    ...parts,
    openId: openIdApp(parts),
    prometheus: prometheusApp(parts),
    status: new StatusKeeper({ ...parts, nowMs: realClock.nowMs, cluster: 'millrace' }),
    configurationOf: executionConfigurations(parts),
    jobReads: jobReads(sql),
    recipeReads: recipeReads(sql),
    changes: changesApp(parts),
  };
}
