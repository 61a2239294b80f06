/** `/v6/diagnostics/`: recipes that exercise the service itself, in any number. */
import { Type } from '@sinclair/typebox';
import { DIAGNOSTICS_MAX } from '../../domain/diagnostic/diagnostic-run.ts';
import type { DiagnosticName } from '../../domain/diagnostic/diagnostics.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { integer, NO_BODY, named } from '../../http/schema.ts';

export interface DiagnosticRouteDeps {
  readonly diagnostics: {
    /** Resolves when the request is saved; its recipes follow afterwards. */
    queue(name: DiagnosticName, count: number, asker: Asker): Promise<void>;
  };
}

const DiagnosticRequest = named(
  'DiagnosticRequest',
  Type.Object({
    num: integer({ minimum: 1, maximum: DIAGNOSTICS_MAX, description: 'How many recipes to queue.' }),
  }),
);

function diagnostic(name: DiagnosticName, path: string, what: string) {
  return defineRoute({
    method: 'POST',
    path,
    summary: `Queue ${what}`,
    description: 'Accepted at once; the recipes are made in the background, in chunks.',
    repeats: 'keyed',
    body: DiagnosticRequest,
    replies: { 202: NO_BODY },
    async handle({ body, request }, { diagnostics }: DiagnosticRouteDeps) {
      await diagnostics.queue(name, body.num, request);
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
