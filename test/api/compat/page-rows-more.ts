/** What the pages of batches, data and configuration call, and what they need: the other half of `page-rows.ts`. */
import { ALL_COUNTS, below, DAY, DETAILED_TYPE, PAGE, type PageRow, results, withQuery } from './page-row.ts';

const batches: readonly PageRow[] = [
  {
    page: 'Batches',
    call: `batches/?page=1&page_size=20&${DAY}&order=-recipe_type&recipe_type_id={recipeType}&`,
    needs: results(
      ...[
        'recipe_type.title',
        'title',
        'description',
        'is_creation_done',
        'recipes_total',
        'recipes_completed',
      ],
      ...['recipes_estimated', 'created', 'last_modified', ...ALL_COUNTS],
    ),
  },
  { page: 'Batches', call: 'batches/?root_batch_id={batch}', needs: PAGE },
  {
    page: 'Batch Details',
    call: 'batches/{batch}/',
    needs: [
      ...['id', 'recipe_type.name', 'root_batch', 'superseded_batch', 'configuration.priority', 'title'],
      ...['job_metrics.read-bytes.jobs_total', 'definition.dataset', ...ALL_COUNTS],
    ],
  },
  { page: 'Batch create', call: 'recipe-types/?page_size=100000', needs: results('id', 'title') },
  { page: 'Batch create', call: 'datasets/?page=1', needs: results('id', 'title', 'created', 'files') },
  {
    page: 'Batch create',
    call: withQuery('files/', [
      'created_started={dayAgo}',
      'created_ended={dayEnd}',
      'file_type=SOURCE',
      'media_type=text/plain',
      'countries=',
    ]),
    needs: results('id', 'created', 'file_name', 'file_type', 'media_type', 'countries'),
  },
];

const data: readonly PageRow[] = [
  { page: 'Feed', call: 'strikes/', needs: results('id', 'title') },
  {
    page: 'Ingest Records',
    call: `ingests/?page=1&page_size=20&${DAY}&order=-ingest_started&status=INGESTED&file_name=seen`,
    needs: results(
      ...['id', 'status', 'file_name', 'file_size', 'strike.title', 'transfer_started', 'transfer_ended'],
      ...['ingest_started', 'ingest_ended', 'last_modified', 'job.id'],
    ),
  },
  {
    page: 'Ingest Details',
    call: 'ingests/{ingest}/',
    needs: [
      'status',
      'workspace.title',
      'workspace.json_config.broker.type',
      'file_path',
      'file_name',
      'ingest_started',
    ],
  },
  {
    page: 'Ingest Details',
    call: 'ingests/{ingest}/jobs/',
    needs: results('id', 'status', 'started', 'created', 'job_type.title', 'job_type.version'),
  },
  { page: 'Metrics', call: 'metrics/', needs: results('name', 'title') },
  {
    page: 'Metrics',
    call: 'metrics/job-types/',
    needs: ['filters[].param', ...below('columns[]', ['name', 'title', 'units', 'group'])],
  },
  {
    page: 'Timeline',
    call: 'recipe-types/outer-recipe/revisions/',
    needs: results('revision_num', 'recipe_type.title'),
  },
  {
    page: 'Timeline',
    call: `timeline/recipe-types/?${DAY}&name=outer-recipe&rev=1`,
    needs: ['count', 'results'],
  },
  { page: 'Timeline', call: `timeline/job-types/?${DAY}&id={jobType}&rev=1`, needs: ['count', 'results'] },
  { page: 'Timeline', call: 'job-types/read-bytes/', needs: results('version', 'title', 'docker_image') },
];

const configuration: readonly PageRow[] = [
  {
    page: 'Job Types',
    call: 'job-types/?is_active=true&page=1&page_size=1000&order=title',
    needs: results('title', 'version', 'name', 'description', 'icon_code', 'is_active'),
  },
  { page: 'Job Type Details', call: 'job-types/read-bytes/1.0.0/', needs: DETAILED_TYPE },
  { page: 'Job Type Details', call: 'job-types/millrace-ingest/1.0.0/', needs: DETAILED_TYPE },
  {
    page: 'Job Type Edit',
    call: 'job-types/read-bytes/1.0.0/',
    needs: ['configuration.output_workspaces.default'],
  },
  {
    page: 'Nodes',
    call: 'nodes/?is_active=true&page_size=1000&page=1',
    needs: results('id', 'hostname', 'is_paused', 'is_active', 'created', 'last_modified'),
  },
  {
    page: 'Strikes',
    call: 'strikes/?page=1&page_size=1000&order=title',
    needs: results('title', 'description', ...below('job', ['id', 'status', 'job_type.icon_code'])),
  },
  {
    page: 'Strike Details',
    call: 'strikes/{strike}/',
    needs: ['title', 'job.id', 'job.status', 'job.job_type.icon_code', 'configuration.monitor.type'],
  },
  {
    page: 'Scans',
    call: `scans/?page=1&page_size=20&${DAY}&order=-job`,
    needs: results('name', 'description', 'file_count', 'job.status', 'job.job_type.title'),
  },
  {
    page: 'Scan Details',
    call: 'scans/{scan}/',
    needs: ['job.job_type.title', 'file_count', 'configuration.scanner.type', 'configuration.monitor.type'],
  },
  {
    page: 'Workspaces',
    call: 'workspaces/?page=1&page_size=1000&order=title',
    needs: results('is_active', 'title', 'description', 'id', 'name'),
  },
  {
    page: 'Workspace Details',
    call: 'workspaces/{workspace}/',
    needs: ['is_active', 'configuration.broker.type', 'configuration.broker.host_path'],
  },
];

export const MORE_PAGE_ROWS: readonly PageRow[] = [...batches, ...data, ...configuration];
