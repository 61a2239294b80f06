/** The queries about groups of failures and registered errors. */
import { queryOptions } from '@tanstack/react-query';
import type { components, QueryOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';

export type FailureGroup = components['schemas']['FailureGroup'];
export type RegisteredError = components['schemas']['RegisteredError'];
export type FailureRange = 'PT1H' | 'P1D' | 'P7D';

const GROUPS_MAX = 100;
/** The range of the groups begins with a whole slot. */
const SLOT_MS = 300_000;

const untilNextSlot = (): number => SLOT_MS - (Date.now() % SLOT_MS) + 1_000;

/** Groups of jobs that failed within a range; undefined: known or not. */
export const failureGroups = (started: FailureRange, isKnown?: boolean) =>
  queryOptions({
    queryKey: ['failures', started, isKnown],
    queryFn: ({ signal }) =>
      client.get('/v6/failures/', {
        query: { started, page_size: GROUPS_MAX, ...(isKnown === undefined ? {} : { is_known: isKnown }) },
        signal,
      }),
    // Without a change groups only leave the range, a slot at a time.
    refetchInterval: ({ state: { data } }) => (data?.count === 0 ? false : untilNextSlot()),
    ...shows(['job', 'failure_note']),
  });

export type ErrorQuery = Omit<QueryOf<'get', '/v6/errors/'>, 'page' | 'page_size' | 'fields'>;

export const errorList = (filters: ErrorQuery): RecordSource<RegisteredError> => ({
  key: ['errors', filters],
  kinds: ['job_type'],
  read: (page, signal) => client.get('/v6/errors/', { query: { ...filters, page, page_size: PAGE }, signal }),
});
