/** What the pages of datasets read. */
import { queryOptions } from '@tanstack/react-query';
import type { BodyOf, components, QueryOf } from '../../client/operations.ts';
import { type ChoiceSource, type FoundChoices, LISTED_MAX } from '../choices/object-choice.tsx';
import { byTitleOrId, TITLE_OR_ID } from '../choices/sources.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { shows } from '../live/shown.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';

export type Dataset = components['schemas']['Dataset'];
export type DatasetMember = components['schemas']['ListedDatasetMember'];
export type DatasetBody = BodyOf<'post', '/v6/datasets/'>;
export type DatasetQuery = Omit<QueryOf<'get', '/v6/datasets/'>, 'page' | 'page_size' | 'fields'>;

export const datasetList = (filters: DatasetQuery): RecordSource<Dataset> => ({
  key: ['datasets', filters],
  kinds: ['dataset'],
  read: (page, signal) =>
    client.get('/v6/datasets/', { query: { ...filters, page, page_size: PAGE }, signal }),
});

/** Without the members and files, which are read by their own lists. */
export const datasetDetails = (id: number) =>
  queryOptions({
    queryKey: ['datasets', id],
    queryFn: ({ signal }) =>
      client.get('/v6/datasets/{id}/', {
        path: { id },
        query: { fields: 'id,title,description,definition,created' },
        signal,
      }),
    ...shows(['dataset'], id),
  });

export const memberList = (id: number): RecordSource<DatasetMember> => ({
  key: ['dataset-members', id],
  kinds: ['dataset'],
  read: (page, signal) =>
    client.get('/v6/datasets/{id}/members/', { path: { id }, query: { page, page_size: PAGE }, signal }),
});

export const datasetComparison = (id: number) =>
  queryOptions({
    queryKey: ['datasets', id, 'comparison'],
    queryFn: ({ signal }) => client.get('/v6/datasets/{id}/comparison/', { path: { id }, signal }),
    ...shows(['dataset'], id),
  });

async function readChoices(
  terms: { readonly keyword: string[] } | { readonly id: number[] },
  signal: AbortSignal,
): Promise<FoundChoices> {
  const { count, results } = await client.get('/v6/datasets/', {
    query: { ...terms, page_size: LISTED_MAX, fields: 'id,title,files', order: ['-id'] },
    signal,
  });
  return { count, choices: results.map((dataset) => [String(dataset.id), textOfDataset(dataset)]) };
}

const textOfDataset = ({ id, title, files = 0 }: Partial<Dataset>): string =>
  `${id}${title === '' ? '' : ` ${title}`}, ${counted(files, 'file')}`;

/** The newest first. */
export const datasetsById: ChoiceSource = {
  ...{ key: ['datasets'], kinds: ['dataset'], noun: 'a dataset', searchedBy: TITLE_OR_ID },
  read: (text, signal) => byTitleOrId(text, (terms) => readChoices(terms, signal)),
  textOf: async (id, signal) => (await readChoices({ id: [Number(id)] }, signal)).choices[0]?.[1],
};
