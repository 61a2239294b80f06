/** The filters and the order of the list of arrivals, in its address and as the service takes them. */
import type { QueryOf } from '../../client/operations.ts';
import { choiceOf, idOf, present, type Search, textOf } from '../search.ts';

export type IngestQuery = Omit<QueryOf<'get', '/v6/ingests/'>, 'page' | 'page_size' | 'fields'>;

export const STATUSES = [
  ...(['TRANSFERRING', 'TRANSFERRED', 'DEFERRED', 'INGESTING', 'INGESTED', 'ERRORED', 'DUPLICATE'] as const),
] as const;
/** Ranges by their names in addresses: ISO 8601 durations before now. */
export const RANGES = ['PT1H', 'P1D', 'P7D'] as const;
export const RANGE_WORDS = { PT1H: 'last hour', P1D: 'last day', P7D: 'last 7 days' } as const;
const SORTS = ['id', 'status', 'file_name', 'file_size', 'created', 'last_modified'] as const;
export type Sort = (typeof SORTS)[number];
const ORDERS = [...SORTS, ...SORTS.map((sort) => `-${sort}` as const)];
export const DEFAULT_ORDER = '-last_modified';

export interface ArrivalSearch {
  readonly status?: (typeof STATUSES)[number] | undefined;
  /** Part of the file's name. */
  readonly name?: string | undefined;
  readonly strike?: string | undefined;
  readonly scan?: string | undefined;
  readonly changed?: (typeof RANGES)[number] | undefined;
  readonly order?: Sort | `-${Sort}` | undefined;
}

/** Reads the filters of an address; unknown names and wrong values are left out. */
export function readArrivalSearch(search: Search): ArrivalSearch {
  return present<ArrivalSearch>({
    status: choiceOf(search.status, STATUSES),
    name: textOf(search.name),
    strike: idOf(search.strike),
    scan: idOf(search.scan),
    changed: choiceOf(search.changed, RANGES),
    order: choiceOf(search.order, ORDERS),
  });
}

export function ingestQuery({ status, name, strike, scan, changed, order }: ArrivalSearch): IngestQuery {
  return {
    order: [order ?? DEFAULT_ORDER],
    ...(status === undefined ? {} : { status: [status] }),
    ...(name === undefined ? {} : { file_name: name }),
    ...(strike === undefined ? {} : { strike_id: [Number(strike)] }),
    ...(scan === undefined ? {} : { scan_id: [Number(scan)] }),
    ...(changed === undefined ? {} : { started: changed }),
  };
}

export function isFiltered({ order: _order, ...filters }: ArrivalSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
