/** Diagnostics: a request becomes a run, and the run's actor creates its recipes. */
import { type DiagnosticMessage, diagnosticAddress } from '../../actors/diagnostic/diagnostic.messages.ts';
import { DIAGNOSTIC_RECIPE_TYPES } from '../../domain/diagnostic/diagnostics.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { assert } from '../../lib/assert.ts';
import { diagnosticImage, ensureDiagnostics } from '../../store/diagnostic/type-records.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { answerByKey } from '../shared/idempotency.ts';
import { FIRST_ASK, freshId, userEvent } from '../shared/requests.ts';
import type { DiagnosticRouteDeps } from './routes.ts';

export interface DiagnosticParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
  /** The image for clusters where no node runs plain processes. */
  readonly diagnosticsImage: string;
}

export function diagnosticsApp(parts: DiagnosticParts): DiagnosticRouteDeps['diagnostics'] {
  const { sql, ids, system } = parts;
  return {
    async queue(name, count, asker) {
      const { nowMs } = asker;
      const image = await diagnosticImage(sql, parts.diagnosticsImage);
      const revIds = await ensureDiagnostics(sql, image, nowMs);
      const recipeTypeRevId = revIds.get(DIAGNOSTIC_RECIPE_TYPES[name].name);
      assert(recipeTypeRevId !== undefined, `the diagnostic ${name} has no recipe type`);
      const event = await userEvent(ids, asker);
      const runId = await freshId(ids, 'diagnostic_run');
      const address = diagnosticAddress(runId);
      const shard = shardOf(address.kind, address.key);
      const run = { id: runId, shard, recipeTypeRevId, eventId: event.id, total: count, atMs: nowMs };
      const message: DiagnosticMessage = {
        type: 'begin',
        event,
        run,
        ...answerByKey(asker, { status: 202 }),
      };
      await system.ask(address, message, FIRST_ASK);
    },
  };
}
