/** `/v6/errors/`: the registered errors of jobs. Read only: errors are added by manifests. */
import { defineList } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { choice, flag, text } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { findError, listErrors } from '../../store/error/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { ErrorRecord } from '../shared/records.ts';

const CATEGORIES = ['SYSTEM', 'ALGORITHM', 'DATA'] as const;

export const ERROR_ORDER = scalarFields(ErrorRecord);

const filters = {
  range: timeRange(),
  is_builtin: flag('Only those of the installation, or only those of job types.'),
  job_type_name: text('Name of the job type, of any version, that declares it.'),
  name: text('Its name.'),
  category: choice('Its category.', CATEGORIES),
};
const order = orderBy(ERROR_ORDER, ['last_modified']);

const list = defineList({
  path: '/v6/errors/',
  summary: 'List registered errors',
  query: { ...filters, order },
  record: ErrorRecord,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listErrors(sql, query, query.order, query.paging, shown),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/errors/{id}/',
  summary: 'A registered error',
  params: { id: pathId },
  replies: { 200: ErrorRecord },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await findError(sql, params.id), 'error', params.id));
  },
});

export const errorRoutes = [list, details];
