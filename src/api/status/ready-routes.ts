/**
 * `/v6/ready/`: whether this coordinator accepts requests. For load balancers: open to everyone, without a database
 * query.
 */
import { Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { named } from '../../http/schema.ts';
import type { System } from '../../kernel/mod.ts';
import type { BusState } from '../../transport/linked-transport.ts';
import { readinessWarnings } from './coordinator-warnings.ts';
import type { Readiness } from './readiness.ts';

const Warning = Type.Object({ name: Type.String(), description: Type.String() });

interface ReadyParts {
  readonly readiness: Readiness;
  readonly system: Pick<System, 'stats'>;
  readonly bus: Pick<BusState, 'trouble'>;
}

const WHY = {
  draining: 'the coordinator is about to end',
  waiting: 'the coordinator cannot reach the database, and waits',
} as const;

const getReady = defineRoute({
  method: 'GET',
  path: '/v6/ready/',
  summary: 'Whether this coordinator takes requests',
  description:
    '503 with the reason while it starts, before it ends and while it cannot reach the database. Without NATS it is ' +
    'ready, with a warning. For load balancers; the state of the installation is at `/v6/status/`.',
  access: 'open',
  replies: { 200: named('Ready', Type.Object({ ready: Type.Literal(true), warnings: Type.Array(Warning) })) },
  handle(_input, { readiness, system, bus }: ReadyParts) {
    const reason = readiness.reason(system);
    if (reason === undefined) {
      return reply(200, { ready: true as const, warnings: [...readinessWarnings(bus.trouble())] });
    }
    throw new AppError(reason === 'draining' ? 'SHUTTING_DOWN' : 'OWNER_UNAVAILABLE', WHY[reason]);
  },
});

export const readyRoutes = [getReady];
