/** What the page of a job type reads. */
import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';

/** limit: revisions and versions that a page lists. */
const REVISIONS = 200;

export interface TypeVersion {
  readonly name: string;
  readonly version: string;
}

export type JobType = AnswerOf<'get', '/v6/job-types/{name}/{version}/'>;

export const jobTypeDetails = (path: TypeVersion) =>
  queryOptions({
    queryKey: ['job-type', path],
    queryFn: ({ signal }) => client.get('/v6/job-types/{name}/{version}/', { path, signal }),
    ...shows(['job_type']),
  });

export const jobTypeVersions = (name: string) =>
  queryOptions({
    queryKey: ['job-type-versions', name],
    queryFn: ({ signal }) =>
      client.get('/v6/job-types/{name}/', {
        path: { name },
        query: { page_size: REVISIONS, fields: 'name,version' },
        signal,
      }),
    ...shows(['job_type']),
  });

export const jobTypeRevisions = (path: TypeVersion) =>
  queryOptions({
    queryKey: ['job-type', path, 'revisions'],
    queryFn: ({ signal }) =>
      client.get('/v6/job-types/{name}/{version}/revisions/', {
        path,
        query: { page_size: REVISIONS },
        signal,
      }),
    ...shows(['job_type']),
  });

export const jobTypeRevision = (path: TypeVersion, revision_num: number) =>
  queryOptions({
    queryKey: ['job-type', path, 'revision', revision_num],
    queryFn: ({ signal }) =>
      client.get('/v6/job-types/{name}/{version}/revisions/{revision_num}/', {
        path: { ...path, revision_num },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
