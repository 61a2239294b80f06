/** `/v6/diagnostics/`: recipes that exercise the service itself, in any number. */
import { Type } from '@sinclair/typebox';
import { type DiagnosticMessage, diagnosticAddress } from '../../actors/diagnostic/diagnostic.messages.ts';
import { DIAGNOSTICS_MAX } from '../../domain/diagnostic/diagnostic-run.ts';
import { DIAGNOSTIC_RECIPE_TYPES, type DiagnosticName } from '../../domain/diagnostic/diagnostics.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { integer, NO_BODY, named } from '../../http/schema.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { assert } from '../../lib/assert.ts';
import { diagnosticImage, ensureDiagnostics } from '../../store/diagnostic/type-records.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { answerByKey } from '../shared/idempotency.ts';
import { FIRST_ASK, freshId, userEvent } from '../shared/requests.ts';

const DiagnosticRequest = named(
  'DiagnosticRequest',
  Type.Object({
    num: integer({ minimum: 1, maximum: DIAGNOSTICS_MAX, description: 'How many recipes to queue.' }),
  }),
);

interface DiagnosticParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
  readonly diagnosticsImage: string;
}

/** Resolves when the run is saved. Its actor creates the recipes afterwards. */
async function queue(
  { sql, ids, system, diagnosticsImage }: DiagnosticParts,
  name: DiagnosticName,
  count: number,
  asker: Asker,
): Promise<void> {
  const { nowMs } = asker;
  const image = await diagnosticImage(sql, diagnosticsImage);
  const revIds = await ensureDiagnostics(sql, image, nowMs);
  const recipeTypeRevId = revIds.get(DIAGNOSTIC_RECIPE_TYPES[name].name);
  assert(recipeTypeRevId !== undefined, `the diagnostic ${name} has no recipe type`);
  const event = await userEvent(ids, asker);
  const runId = await freshId(ids, 'diagnostic_run');
  const address = diagnosticAddress(runId);
  const shard = shardOf(address.kind, address.key);
  const run = { id: runId, shard, recipeTypeRevId, eventId: event.id, total: count, atMs: nowMs };
  const message: DiagnosticMessage = { type: 'begin', event, run, ...answerByKey(asker, { status: 202 }) };
  await system.ask(address, message, FIRST_ASK);
}

function diagnostic(name: DiagnosticName, path: string, what: string) {
  return defineRoute({
    method: 'POST',
    path,
    summary: `Queue ${what}`,
    description: 'Answered at once; the recipes are created in the background, in chunks.',
    repeats: 'keyed',
    body: DiagnosticRequest,
    replies: { 202: NO_BODY },
    async handle({ body, request }, parts: DiagnosticParts) {
      await queue(parts, name, body.num, request);
      return reply(202);
    },
  });
}

export const diagnosticRoutes = [
  diagnostic('bake', '/v6/diagnostics/job/bake/', 'jobs that wait 15 minutes'),
  diagnostic('count', '/v6/diagnostics/job/count/', 'jobs that print numbers on both streams'),
  diagnostic('hello', '/v6/diagnostics/job/hello/', 'jobs that print a greeting'),
  diagnostic('roulette', '/v6/diagnostics/job/roulette/', 'jobs that fail at random'),
  diagnostic('casino', '/v6/diagnostics/recipe/casino/', 'recipes of three jobs that fail at random'),
];
