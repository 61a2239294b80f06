/** `/v6/errors/`: the errors that jobs fail with. Read only: manifests add to it. */
import type { Static } from '@sinclair/typebox';
import { type OrderTerm, orderBy } from '../../http/request/ordering.ts';
import { type Paging, paging, toPage } from '../../http/request/paging.ts';
import { choice, flag, text } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { type TimeRange, timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { pageOf } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { ErrorRecord, type Listed } from '../shared/records.ts';

export type RegisteredError = Static<typeof ErrorRecord>;

const CATEGORIES = ['SYSTEM', 'ALGORITHM', 'DATA'] as const;

export interface ErrorQuery {
  readonly range: TimeRange;
  readonly is_builtin: boolean | undefined;
  readonly job_type_name: string | undefined;
  readonly name: string | undefined;
  readonly category: (typeof CATEGORIES)[number] | undefined;
}

export interface ErrorRouteDeps {
  readonly errors: {
    list(
      query: ErrorQuery,
      order: readonly OrderTerm<string>[],
      page: Paging,
    ): Promise<Listed<RegisteredError>>;
    find(id: number): Promise<RegisteredError | undefined>;
  };
}

const ORDER = ['name', 'title', 'description', 'job_type_name', 'category', 'is_builtin'] as const;

const list = defineRoute({
  method: 'GET',
  path: '/v6/errors/',
  summary: 'List registered errors',
  query: {
    paging,
    range: timeRange(),
    is_builtin: flag('Only those of the installation, or only those of job types.'),
    job_type_name: text('Name of the job type, of any version, that declares it.'),
    name: text('Its name.'),
    category: choice('Its category.', CATEGORIES),
    order: orderBy([...ORDER, 'should_be_retried', 'created', 'last_modified'], ['last_modified']),
  },
  replies: { 200: pageOf(ErrorRecord) },
  async handle({ query, request }, { errors }: ErrorRouteDeps) {
    return reply(200, toPage(request, query.paging, await errors.list(query, query.order, query.paging)));
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/errors/{id}/',
  summary: 'A registered error',
  params: { id: pathId },
  replies: { 200: ErrorRecord },
  async handle({ params }, { errors }: ErrorRouteDeps) {
    return reply(200, existing(await errors.find(params.id), 'error'));
  },
});

export const errorRoutes = [list, details];
