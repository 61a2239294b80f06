/** What the page of accounts reads. */
import type { components, QueryOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';

export type AccountRecord = components['schemas']['Account'];
export type AccountQuery = Omit<QueryOf<'get', '/v6/accounts/'>, 'page' | 'page_size' | 'fields'>;

/** For staff. The stream of changes has no accounts, so the actions of the page read the list again. */
export const accountList = (filters: AccountQuery): RecordSource<AccountRecord> => ({
  key: ['accounts', filters],
  kinds: [],
  read: (page, signal) =>
    client.get('/v6/accounts/', { query: { ...filters, page, page_size: PAGE }, signal }),
});
