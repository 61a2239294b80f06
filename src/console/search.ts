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

/** The id of an object. */
export function idOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && ID.test(text) ? text : undefined;
}

/**
 * What a route reads of an address, and nothing else. The router adds the rest of the address to what a route has read;
 * a name that is undefined takes the place of it, so that no page gets a value that its route does not take.
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
