/** The saved filters of a list: they can be chosen, saved and removed. The service keeps them for the account. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { Choice } from './choice.tsx';
import { ActionDialog } from './dialogs.tsx';
import { Field, problemAt } from './form.tsx';

const FILTERS_MAX = 200;
const KEY = 'saved-filters';

type SavedFilter = components['schemas']['SavedFilter'];

/** The query of an address without its `?`. */
const textOf = (searchStr: string): string => searchStr.replace(/^\?/, '');

const savedFilters = (list: string) =>
  queryOptions({
    queryKey: [KEY, list],
    queryFn: ({ signal }) =>
      client.get('/v6/saved-filters/', { query: { list: [list], page_size: FILTERS_MAX }, signal }),
  });

/** `list`: the name of the list for the service, such as "jobs". */
export function SavedFilters({ list }: { readonly list: string }) {
  const { pathname, searchStr } = useLocation();
  const navigate = useNavigate();
  const router = useRouter();
  const search = textOf(searchStr);
  const filters = useQuery(savedFilters(list)).data?.results ?? [];
  // Pages write the address in their own way, and leave out what they do not know.
  const [taken, setTaken] = useState<{ readonly id: number; readonly search: string }>();
  const chosen =
    filters.find(({ id }) => id === taken?.id && taken.search === search) ??
    filters.find((one) => one.search === search);
  const take = async (filter: SavedFilter | undefined): Promise<void> => {
    await navigate({ href: filter === undefined ? pathname : `${pathname}?${filter.search}` });
    setTaken(filter && { id: filter.id, search: textOf(router.state.location.searchStr) });
  };
  return (
    <>
      {filters.length > 0 && (
        <Choice
          label="Saved"
          value={chosen === undefined ? undefined : String(chosen.id)}
          any="none"
          choices={filters.map(({ id, title }) => [String(id), title])}
          set={(value) => {
            void take(filters.find(({ id }) => String(id) === value));
          }}
        />
      )}
      {chosen === undefined && search !== '' && (
        <ActionDialog
          button="Save filter…"
          title="Save this filter"
          text="Only you see it. A filter with the same name is replaced."
          confirm="Save"
          isQuiet
          run={(fields) =>
            client.post('/v6/saved-filters/', {
              body: { list, title: String(fields.get('title') ?? ''), search },
            })
          }
          changes={[KEY]}
        >
          {(error) => (
            <Field label="Name" problem={problemAt(error, 'title')}>
              {(ids) => <input {...ids} name="title" required maxLength={100} autoComplete="off" />}
            </Field>
          )}
        </ActionDialog>
      )}
      {chosen !== undefined && (
        <ActionDialog
          button="Remove saved filter…"
          title={`Remove ${chosen.title}`}
          text="The filter is removed from your list. Nothing else changes."
          confirm="Remove"
          isQuiet
          run={() => client.delete('/v6/saved-filters/{id}/', { path: { id: chosen.id } })}
          changes={[KEY]}
        />
      )}
    </>
  );
}
