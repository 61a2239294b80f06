/** Query strings as clients of the public system write them, and what they mean in the words of the interface. */

export interface QueryRow {
  readonly what: string;
  /** Below `/api/v6/`; `{jobType}` and the like are ids of the work that was made. */
  readonly sent: string;
  /** Below `/v6/`: answers the same records in the same order. */
  readonly means: string;
}

const PLOT = 'metrics/job-types/plot-data/?started=P1D';

export const QUERY_ROWS: readonly QueryRow[] = [
  { what: 'a page size of null is the default', sent: `${PLOT}&page_size=null`, means: PLOT },
  {
    what: 'a page size beyond the limit is the limit',
    sent: 'recipe-types/?page_size=100000',
    means: 'recipe-types/?page_size=1000',
  },
  { what: 'a page size of 0 is the default', sent: 'jobs/?page_size=0&page=0', means: 'jobs/' },
  {
    what: 'a group of null does not empty the columns',
    sent: `${PLOT}&group=null&column=total_count&column=error_data_count`,
    means: `${PLOT}&column=total_count&column=error_data_count`,
  },
  { what: 'dataType is ignored', sent: `${PLOT}&dataType=job-types`, means: PLOT },
  {
    what: 'sortField and sortOrder are ignored',
    sent: 'files/?sortField=last_modified&sortOrder=desc',
    means: 'files/',
  },
  {
    what: 'empty pieces are ignored',
    sent: `metrics/job-types/plot-data/?&started=P1D&&column=total_count&`,
    means: `${PLOT}&column=total_count`,
  },
  { what: 'empty values are ignored', sent: 'jobs/?job_id=&is_superseded=&status=', means: 'jobs/' },
  { what: 'dots in an order', sent: 'ingests/?order=-strike.id', means: 'ingests/?order=-strike__id' },
  { what: 'dots in an order', sent: 'jobs/?order=error.title', means: 'jobs/?order=error__title' },
  {
    what: 'dots in an order',
    sent: 'recipes/?order=-recipe_type.name',
    means: 'recipes/?order=-recipe_type__name',
  },
  { what: 'an order that is no column', sent: 'jobs/?order=looks', means: 'jobs/' },
  { what: 'an order by scans’ jobs', sent: 'scans/?order=-job', means: 'scans/?order=-job__id' },
  {
    what: 'one of several orders that is no column',
    sent: 'jobs/?order=looks&order=-id',
    means: 'jobs/?order=-id',
  },
  {
    what: 'versions beside names of job types',
    sent: 'jobs/?job_type_name=read-bytes&job_type_version=1.0.0&job_type_version=9',
    means: 'jobs/?job_type_name=read-bytes&job_type_version=1.0.0',
  },
  {
    what: 'filters that nobody knows',
    sent: 'jobs/?job_type_category=x&include_superseded=true',
    means: 'jobs/',
  },
  {
    what: 'rev is ignored for job types',
    sent: 'timeline/job-types/?started=P1D&rev=3&rev=',
    means: 'timeline/job-types/?started=P1D',
  },
  {
    what: 'QUEUED ingests may be asked for',
    sent: 'ingests/?status=QUEUED',
    means: 'ingests/?status=QUEUED',
  },
];

/** Columns that each table is sorted by. */
export const ORDERS: Readonly<Record<string, readonly string[]>> = {
  jobs: [
    ...['job_type', 'recipe', 'created', 'last_modified', 'node', 'duration', 'status', 'error.category'],
    'error.title',
  ],
  recipes: ['recipe_type.name', 'recipe_type', 'created', 'last_modified', 'completed'],
  batches: ['title', 'recipe_type', 'is_creation_done', 'jobs_total', 'created', 'last_modified'],
  ingests: [
    ...[
      'file_name',
      'file_size',
      'strike.id',
      'status',
      'last_modified',
      'transfer_started',
      'transfer_ended',
    ],
    ...['ingest_started', 'ingest_ended'],
  ],
  scans: ['name', 'file_count', 'job', 'created', 'last_modified'],
  'job-types': ['title', 'name', 'version'],
  'recipe-types': ['title', 'name'],
  strikes: ['title', 'name', 'job'],
  workspaces: ['title', 'name'],
  nodes: ['hostname', 'last_modified'],
  errors: ['title', 'last_modified', 'category'],
  files: ['created', 'file_name', 'last_modified'],
  datasets: ['title', 'created'],
};

/** What is still refused: it means something, and nothing that can be done. */
export const REFUSED: readonly string[] = [
  'jobs/?started=yesterday',
  'jobs/?started=2026-01-02T00:00:00Z&ended=2026-01-01T00:00:00Z',
  'jobs/?job_id=seven',
  'jobs/?status=LOST',
  'jobs/?is_superseded=perhaps',
  'timeline/job-types/',
  'jobs/?job_type_name=%00',
];

/** Calls of a server that has nothing yet, all of which must answer. */
export const EMPTY_LISTS: readonly string[] = [
  ...['job-types/status/', 'job-types/running/', 'load/', 'ingests/status/', 'queue/status/', 'metrics/'],
  ...['jobs/', 'recipes/', 'recipe-types/', 'batches/', 'scans/', 'strikes/', 'workspaces/', 'files/'],
  ...['ingests/', 'datasets/', 'errors/', 'job-types/', 'nodes/', 'timeline/job-types/?started=P1D'],
  'timeline/recipe-types/?started=P1D',
];
