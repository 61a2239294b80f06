/** The filters and the order of the list of arrivals, in its address and as the service takes them. */
import type { QueryOf } from '../../client/operations.ts';
import { choiceOf, idOf, orderOf, present, RANGES, type Search, textOf } from '../search.ts';

export type IngestQuery = Omit<QueryOf<'get', '/v6/ingests/'>, 'page' | 'page_size' | 'fields'>;

export const STATUSES = [
  ...(['TRANSFERRING', 'TRANSFERRED', 'DEFERRED', 'INGESTING', 'INGESTED', 'ERRORED', 'DUPLICATE'] as const),
] as const;
const SORTS = ['id', 'status', 'file_name', 'file_size', 'created', 'last_modified'] as const;
export type Sort = (typeof SORTS)[number];
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
    order: orderOf(search.order, SORTS),
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
