/** The revisions of a type in an address. */
import { type Search, textOf } from '../search.ts';

export interface RevisionSearch {
  readonly revision?: string;
  /** The other revision of the comparison. */
  readonly with?: string;
}

const NUMBER = /^[1-9]\d{0,8}$/;

export function readRevisionSearch(search: Search): RevisionSearch {
  const [revision, before] = [numberOf(search.revision), numberOf(search.with)];
  return {
    ...(revision === undefined ? {} : { revision }),
    ...(before === undefined ? {} : { with: before }),
  };
}

function numberOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && NUMBER.test(text) ? text : undefined;
}
