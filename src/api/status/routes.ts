import { FIELDS, fieldsOf } from '../../http/request/fields.ts';
import { defineRoute, reply } from '../../http/route.ts';
import type { Parts } from '../parts.ts';
import { Status } from './schema.ts';

/** `/v6/status/`: the state of the installation. */

const getStatus = defineRoute({
  method: 'GET',
  path: '/v6/status/',
  summary: 'State of the installation: scheduler, nodes, what it depends on',
  description: '503 if no coordinator runs the scheduler, or the state could not be read for 12 seconds.',
  query: { [FIELDS]: fieldsOf(Status) },
  replies: { 200: Status },
  async handle({ query }, { status }: Parts<'status'>) {
    const hasJobTypes = query[FIELDS]?.shows(['job_types']) ?? true;
    return reply(200, await status.read({ hasJobTypes }));
  },
});

export const statusRoutes = [getStatus];
