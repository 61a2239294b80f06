/** `/v6/saved-filters/`: filters of lists that people keep for themselves. */
import { Type } from '@sinclair/typebox';
import type { Caller } from '../../domain/access.ts';
import { NO_ACCOUNT } from '../../domain/idempotency.ts';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, NOT_BLANKS, named } from '../../http/schema.ts';
import { findSavedFilter, listSavedFilters } from '../../store/saved-filter/list.ts';
import { removeFilter, saveFilter } from '../../store/saved-filter/save.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';

const FIELDS = {
  list: Type.String({
    minLength: 1,
    maxLength: 50,
    pattern: '^[a-z-]*$',
    description: 'The list that it filters, such as `jobs`.',
  }),
  title: Type.String({ minLength: 1, maxLength: 100, pattern: NOT_BLANKS }),
  search: Type.String({ maxLength: 4_000, description: 'What follows the `?` in the address of the list.' }),
};
const SavedFilter = named('SavedFilter', Type.Object({ id: id(), ...FIELDS, created: instant() }));
const SavedFilterCreate = named('SavedFilterCreate', Type.Object(FIELDS));

/** Without logins all callers share the filters of one account. */
const ownerOf = ({ accountId }: Caller): number => accountId ?? NO_ACCOUNT;

const order = orderBy(['id', 'list', 'title', 'created'], ['list', 'title']);

const list = defineList({
  path: '/v6/saved-filters/',
  summary: "List one's own saved filters",
  access: 'own',
  query: { list: texts('Lists that they filter, such as `jobs`.'), order },
  record: SavedFilter,
  records: ({ query, shown, request }, { sql }: Parts<'sql'>) =>
    listSavedFilters(
      sql,
      { accountId: ownerOf(request.caller), list: query.list },
      query.order,
      query.paging,
      shown,
    ),
});

const save = defineRoute({
  method: 'POST',
  path: '/v6/saved-filters/',
  summary: 'Save a filter for oneself',
  description: 'A filter of the same title on the same list is replaced.',
  repeats: { reason: 'A repeat replaces the filter by itself.' },
  access: 'own',
  body: SavedFilterCreate,
  replies: { 200: SavedFilter },
  async handle({ body, request }, { sql }: Parts<'sql'>) {
    const accountId = ownerOf(request.caller);
    const saved = await saveFilter(sql, { ...body, accountId, nowMs: request.nowMs });
    return reply(200, existing(await findSavedFilter(sql, accountId, saved), 'saved filter', saved));
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/v6/saved-filters/{id}/',
  summary: "Remove one of one's own saved filters",
  access: 'own',
  params: { id: pathId },
  replies: { 204: NO_BODY },
  async handle({ params, request }, { sql }: Parts<'sql'>) {
    await removeFilter(sql, ownerOf(request.caller), params.id);
    return reply(204);
  },
});

export const savedFilterRoutes = [list, save, remove];
