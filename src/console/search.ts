/** The query string of an address: texts, or lists of texts for repeated names. */
export type Search = Record<string, string | string[]>;

export function parseSearch(text: string): Search {
  const search: Search = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = search[name];
    search[name] = known === undefined ? value : [known, value].flat();
  }
  return search;
}

/** The query string with its `?`. Undefined and empty values are left out. */
export function searchText(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== '') params.append(name, String(one));
    }
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The first value of a name, if it is one of a closed set. */
export function choiceOf<const T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  const [first] = [value].flat();
  return choices.find((choice) => choice === first);
}

export function textOf(value: unknown): string | undefined {
  const [first] = [value].flat();
  return typeof first === 'string' && first !== '' ? first : undefined;
}

const ID = /^[1-9]\d{0,14}$/;

/** The order of a list: one of these fields, with `-` before it for descending. */
export function orderOf<const T extends string>(
  value: unknown,
  sorts: readonly T[],
): T | `-${T}` | undefined {
  return choiceOf(value, [...sorts, ...sorts.map((sort) => `-${sort}` as const)]);
}

/** The ranges of time that filters of lists offer, as ISO 8601 durations before now. */
export const RANGES = ['PT1H', 'P1D', 'P7D'] as const;
export const RANGE_WORDS = { PT1H: 'last hour', P1D: 'last day', P7D: 'last 7 days' } as const;

/** The id of an object. */
export function idOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && ID.test(text) ? text : undefined;
}

/**
 * What a route reads of an address, and nothing else. The router adds all other names of the address to the result of
 * `read`, unless the result has them. So these names are in the result as undefined.
 */
export function onlyRead(read: ((search: Search) => object) | undefined): (search: Search) => object {
  return (search) => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read?.(search),
  });
}

/** Leaves out filters that the address does not have. */
export function present<T extends object>(all: T): T {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T;
}

/** Whether the address of a list has a filter. */
export function isFiltered({ order: _order, ...filters }: { readonly order?: string | undefined }): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
