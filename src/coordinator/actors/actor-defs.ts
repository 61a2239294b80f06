/** The actors that a coordinator hosts, one definition for each kind. `actor-ports.ts` has their ports. */
import { batchActor } from '../../actors/batch/batch.actor.ts';
import { changesActor } from '../../actors/change/change.actor.ts';
import { diagnosticActor } from '../../actors/diagnostic/diagnostic.actor.ts';
import { jobActor } from '../../actors/job/job.actor.ts';
import { jobRequestActor } from '../../actors/job-request/job-request.actor.ts';
import { nodeActor } from '../../actors/node/node.actor.ts';
import { purgeActor } from '../../actors/purge/purge.actor.ts';
import { recipeActor } from '../../actors/recipe/recipe.actor.ts';
import { retentionActor } from '../../actors/retention/retention.actor.ts';
import { scanActor } from '../../actors/scan/scan.actor.ts';
import { schedulerActor } from '../../actors/scheduler/scheduler.actor.ts';
import { statisticsActor } from '../../actors/statistics/statistics.actor.ts';
import { strikeActor } from '../../actors/strike/strike.actor.ts';
import { typeUpdateActor } from '../../actors/type-update/type-update.actor.ts';
import type { Config } from '../../config/config.ts';
import type { AnyActorDef } from '../../kernel/mod.ts';

export function actorDefs(config: Pick<Config, 'nodeLostMs' | 'keep'>): readonly AnyActorDef[] {
  return [
    schedulerActor,
    nodeActor({ lostAfterMs: config.nodeLostMs }),
    strikeActor,
    scanActor,
    recipeActor,
    jobActor,
    jobRequestActor,
    batchActor,
    diagnosticActor,
    statisticsActor,
    purgeActor,
    typeUpdateActor,
    changesActor,
    retentionActor(config.keep),
  ];
}
