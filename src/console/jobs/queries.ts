/** What the list of jobs reads. */

import { type ChoiceSource, LISTED_MAX } from '../choices/object-choice.tsx';
import { client } from '../client.ts';
import { PAGE, type RecordPage, type RecordSource } from '../parts/record-rows.ts';
import type { Job } from './job-columns.tsx';
import type { JobQuery } from './job-search.ts';

const JOB_FIELDS =
  'id,status,job_type,recipe,node,error,reason,num_exes,created,queued,started,ended,last_modified,last_status_change';

/** The list of jobs with these filters. */
export const jobList = (filters: JobQuery): RecordSource<Job> => ({
  key: ['jobs', filters],
  kinds: ['job'],
  // The fields are those that the list's columns show.
  read: (page, signal) =>
    client.get('/v6/jobs/', {
      query: { ...filters, page, page_size: PAGE, fields: JOB_FIELDS },
      signal,
    }) as Promise<RecordPage<Job>>,
});

export const jobTypeNames: ChoiceSource = {
  ...{ key: ['job-type-names'], kinds: ['job_type'], noun: 'a job type' },
  async read(text, signal) {
    const { count, results } = await client.get('/v6/job-type-names/', {
      query: { keyword: [text], order: ['name'], page_size: LISTED_MAX, fields: 'name' },
      signal,
    });
    return { count, choices: results.flatMap(({ name }) => (name === undefined ? [] : [[name, name]])) };
  },
};
