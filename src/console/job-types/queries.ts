/** What the list of job types reads. */
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';
import { type TypeSearch, typeQuery } from '../type-pages/type-search.ts';

export type JobType = components['schemas']['JobType'];

export const jobTypeList = (search: TypeSearch): RecordSource<JobType> => ({
  key: ['job-types', search],
  kinds: ['job_type'],
  read: (page, signal) =>
    client.get('/v6/job-types/', { query: { ...typeQuery(search), page, page_size: PAGE }, signal }),
});
