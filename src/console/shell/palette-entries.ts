/** The entries of the palette for a text: pages by their title, and objects that the service finds. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AnswerOf } from '../../client/operations.ts';
import type { SearchEntry } from '../choices/search-list.tsx';
import { client } from '../client.ts';
import { searchText } from '../search.ts';
import { GROUPS, MORE_PLACES } from './places.ts';

type Found = AnswerOf<'get', '/v6/search/'>['results'][number];

/** Its detail is the kind of an object with its name or id, because titles may be equal. */
export interface Entry extends SearchEntry {
  go(): void;
}

const PLACES = [...GROUPS.flatMap(({ places }) => places), ...MORE_PLACES];

const KINDS: Readonly<Record<Found['kind'], readonly [noun: string, folder: string]>> = {
  recipe_type: ['Recipe type', 'recipe-types'],
  job_type: ['Job type', 'job-types'],
  strike: ['Strike', 'strikes'],
  scan: ['Scan', 'scans'],
  workspace: ['Workspace', 'workspaces'],
  batch: ['Batch', 'batches'],
  dataset: ['Dataset', 'datasets'],
  node: ['Node', 'nodes'],
  job: ['Job', 'jobs'],
  recipe: ['Recipe', 'recipes'],
  file: ['File', 'files'],
  ingest: ['Arrival', 'arrivals'],
};

/** The address of an object's page: by name for types, else by id. */
function pageOf({ kind, id, name, version }: Found): string {
  const steps = kind === 'recipe_type' ? [name] : kind === 'job_type' ? [name, version] : [id];
  return `/console/${KINDS[kind][1]}/${steps.map((step) => encodeURIComponent(step ?? '')).join('/')}/`;
}

function detailOf({ kind, id, name, version }: Found): string {
  const [noun] = KINDS[kind];
  return kind === 'recipe_type' || kind === 'job_type'
    ? [noun, name, version].filter((part) => part !== null).join(' ')
    : `${noun} ${id}`;
}

/** The pause in typing after which the service is asked, in ms. */
const PAUSE_MS = 120;

const found = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal.throwIfAborted();
      return client.get('/v6/search/', { query: { text }, signal });
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });

export interface Entries {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
  readonly error: unknown;
}

/** `close` is called before an entry leads away. */
export function useEntries(text: string, close: () => void): Entries {
  const navigate = useNavigate();
  const wanted = text.trim();
  const { data, isFetching, error } = useQuery(found(wanted));
  const entry = (key: string, title: string, detail: string, href: string): Entry => ({
    ...{ key, title, detail, isAtOnce: key === href },
    go() {
      close();
      if (href.startsWith('/docs/')) location.assign(href);
      else void navigate({ href });
    },
  });
  const places = PLACES.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase())).map(
    ({ title, href }) => entry(href, title, '', href),
  );
  if (wanted === '') return { entries: places, isSearching: false, error: null };
  const objects = (data?.results ?? []).map((one) =>
    entry(`${one.kind} ${one.id}`, one.title || 'Untitled', detailOf(one), pageOf(one)),
  );
  const files = `/console/files/${searchText({ name: wanted })}`;
  const isNumber = /^\d+$/.test(wanted);
  const all = isNumber ? [...objects, ...places] : [...places, ...objects];
  return {
    entries: [...all, entry('files', `Files with “${wanted}” in their name`, '', files)],
    isSearching: isFetching,
    error,
  };
}
