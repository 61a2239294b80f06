/** `/v6/audit/`: recorded calls that changed something. */
import { Type } from '@sinclair/typebox';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { choices, texts } from '../../http/request/parameters.ts';
import { timeRange, weekAgo } from '../../http/request/time-range.ts';
import { id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { listAudit } from '../../store/audit/list.ts';
import type { Parts } from '../parts.ts';

const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: id(),
    at: instant(),
    account_id: orNull(id()),
    username: Type.String({ description: '`Anonymous` where authentication is off.' }),
    known_by: oneOf(['none', 'session', 'token', 'command'], '`command`: on the command line of a host.'),
    token_id: orNull(id()),
    address: Type.String({ description: 'Where the request came from.' }),
    request_id: Type.String({ description: 'The `x-request-id` of the answer, and in the log.' }),
    method: Type.String(),
    route: Type.String({ description: 'The path as this document writes it.' }),
    path: Type.String({ description: 'The path as it was called.' }),
    record_id: orNull(id('The record that was created.')),
    status: orNull(
      integer({
        description:
          'The status of the answer. Null: the call was cut off, and may or may not have been done.',
      }),
    ),
  }),
);

const filters = {
  range: timeRange({ startDefault: weekAgo }),
  username: texts('Names of accounts, whatever their case.'),
  route: texts('Paths as documented, such as `/v6/jobs/{id}/`.'),
  method: choices('Methods.', ['POST', 'PATCH', 'PUT', 'DELETE']),
};
const order = orderBy(['at'], ['-at']);

const list = defineList({
  path: '/v6/audit/',
  summary: 'List what was changed, and by whom',
  description:
    'One entry for each request other than a read, a validation or a dry run, including refused requests of known ' +
    'accounts, and one for each login to a known account. Without `started`, the list begins a week ago.',
  access: 'admin',
  query: { ...filters, order },
  record: AuditEntry,
  async records({ query, shown }, { logins }: Parts<'logins'>) {
    const { range, username, route, method } = query;
    // Statuses are written first, so that a caller who has had an answer finds its status here.
    await logins.trail.settle();
    return listAudit(logins.sql, { range, username, route, method }, query.order, query.paging, shown);
  },
});

export const auditRoutes = [list];
