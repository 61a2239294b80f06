/** What the pages of the public system's UI call when they are opened, and what they need of the answers. */
import {
  ALL_COUNTS,
  AMOUNTS,
  below,
  DAY,
  DETAILED_TYPE,
  JOB_TYPE,
  PAGE,
  type PageRow,
  results,
  TYPE,
  withQuery,
} from './page-row.ts';
import { MORE_PAGE_ROWS } from './page-rows-more.ts';

const start: readonly PageRow[] = [
  { page: 'every page', call: 'version/', needs: ['version'] },
  { page: 'every page', call: 'scheduler/', needs: ['is_paused'] },
  {
    page: 'every page',
    call: 'status/',
    needs: [
      ...[
        'scheduler.state.name',
        'scheduler.state.title',
        'scheduler.state.description',
        'scheduler.hostname',
      ],
      ...['scheduler.warnings', 'resources', 'dependencies.*.detail.msg', 'dependencies.*.OK'],
      ...['dependencies.*.errors', 'dependencies.*.warnings', 'job_types[].id', 'job_types[].title'],
      ...AMOUNTS.flatMap((name) => [`resources.${name}.total`, `nodes[].resources.${name}.total`]),
      ...AMOUNTS.map((name) => `nodes[].resources.${name}.offered`),
      ...below('nodes[]', ['id', 'state.name', 'state.title', 'state.description', 'errors', 'warnings']),
      ...below('nodes[].job_executions', ['running.by_job_type', 'completed.total']),
      ...below('nodes[].job_executions.failed', ['system.total', 'algorithm.total', 'data.total']),
    ],
  },
];

const dashboard: readonly PageRow[] = [
  {
    page: 'Dashboard',
    call: 'job-types/status/?page=1&page_size=1000&is_active=true',
    needs: results(...below('job_type', [...JOB_TYPE, 'docker_image']), 'job_counts'),
  },
  {
    page: 'Dashboard',
    call: 'jobs/?page=1&page_size=1000&status=RUNNING',
    needs: results('status', ...below('job_type', ['id', 'title', 'icon_code', 'is_system'])),
  },
  {
    page: 'Dashboard',
    call: withQuery('metrics/job-types/plot-data/', [
      'page_size=null',
      `${DAY}`,
      'column=completed_count',
      'column=failed_count',
      'group=overview',
      'dataType=job-types',
    ]),
    needs: results('column.name', 'column.title', 'values'),
  },
  { page: 'Dashboard', call: 'job-types/?page_size=1000&', needs: results(...JOB_TYPE) },
  {
    page: 'Dashboard',
    call: `load/?page=1&page_size=1000&${DAY}&job_type_id={jobType}`,
    needs: PAGE,
  },
  {
    page: 'Dashboard',
    call: `ingests/status/?page=1&page_size=1000&${DAY}`,
    needs: results('strike.id', 'values'),
  },
  {
    page: 'Dashboard',
    call: 'ingests/status/?page_size=1000&use_ingest_time=true',
    needs: results('strike.id', 'strike.title', 'values[].time', 'values[].files', 'values[].size'),
  },
];

const recipes: readonly PageRow[] = [
  {
    page: 'Recipe Status',
    call: 'recipe-types/?order=name',
    needs: results('id', 'title', 'description', 'name'),
  },
  {
    page: 'Recipe Status',
    call: 'recipes/?recipe_type_id={recipeType}&page_size=15',
    needs: results('recipe_type_rev.revision_num', 'is_completed', 'completed', 'created', 'last_modified'),
  },
  {
    page: 'Recipe Status',
    call: 'jobs/?recipe_id={recipe}',
    needs: results('id', 'status', ...below('job_type', ['name', 'title', 'description', 'is_published'])),
  },
  {
    page: 'Recipe Status',
    call: 'recipes/?root_recipe_id={recipe}',
    needs: results('id', 'is_completed', 'recipe_type.title', 'recipe_type.revision_num'),
  },
  {
    page: 'Recipe Status',
    call: 'files/?recipe_id={recipe}&order=-created',
    needs: results('id', 'file_name', 'job_type.title', 'job_output', 'url', 'file_path', 'last_modified'),
  },
  {
    page: 'Recipes',
    call: withQuery('recipes/', [
      'page=1',
      'page_size=20',
      `${DAY}`,
      'order=-recipe_type.name',
      'recipe_type_name=outer-recipe',
      'recipe_type_name=x',
    ]),
    needs: results('recipe_type.title', 'created', 'last_modified', 'completed'),
  },
  {
    page: 'Recipe Details',
    call: 'recipes/{recipe}/',
    needs: [
      ...[
        'recipe_type.name',
        'recipe_type.description',
        'recipe_type_rev.recipe_type.title',
        'is_superseded',
      ],
      ...['recipe_type_rev.definition.nodes.*.node_type', 'recipe_type_rev.revision_num', 'completed'],
      ...['details.nodes.*.node_type.node_type', 'details.nodes.read-bytes.node_type.status'],
      ...['details.nodes.read-bytes.node_type.job_id', 'details.nodes.inside.node_type.recipe_id'],
      ...['details.nodes.*.dependencies', 'sub_recipe_types[].name', 'job_types[].name', 'job_types[].title'],
      ...below('details.nodes.inside.node_type', ALL_COUNTS),
      ...ALL_COUNTS,
    ],
  },
  {
    page: 'Recipe Details',
    call: 'recipe-types/outer-recipe/',
    needs: [
      ...['title', 'name', 'description', 'definition.nodes.*.node_type', 'definition.input.files[].name'],
      ...['definition.input.json', 'sub_recipe_types[].definition.input', 'sub_recipe_types[].revision_num'],
      ...below('job_types[]', DETAILED_TYPE),
      ...below('sub_recipe_types[]', ['title', 'name']),
    ],
  },
  {
    page: 'Recipe Types',
    call: 'recipe-types/?is_active=true&page=1&page_size=1000',
    needs: results(
      ...[
        'title',
        'name',
        'description',
        'deprecated',
        'is_active',
        'job_types[].name',
        'job_types[].version',
      ],
      'sub_recipe_types',
    ),
  },
];

const jobs: readonly PageRow[] = [
  {
    page: 'Jobs',
    call: 'job-types/?page_size=1000&is_active=true',
    needs: results(...JOB_TYPE, 'docker_image'),
  },
  {
    page: 'Jobs',
    call: withQuery('jobs/', [
      'page=1',
      'page_size=20',
      `${DAY}`,
      'order=-error.category',
      'job_type_name=read-bytes',
      'job_type_version=1.0.0',
      'job_type_category=x',
      'include_superseded=true',
    ]),
    needs: results(
      ...[
        'status',
        'created',
        'last_modified',
        'started',
        'ended',
        'is_superseded',
        'node.hostname',
        'error',
      ],
      ...below('job_type', JOB_TYPE),
      ...['input_files.INPUT_FILE[]', 'recipe?.recipe_type.title', 'recipe?.id'],
    ),
  },
  {
    page: 'Jobs',
    call: 'jobs/?status=FAILED&order=duration',
    needs: results('error.category', 'error.title', 'error.description'),
  },
  {
    page: 'Job Details',
    call: 'jobs/{failedJob}/',
    needs: [
      ...[
        'status',
        'event.type',
        'event.occurred',
        'configuration.priority',
        'num_exes',
        'max_tries',
        'timeout',
      ],
      ...[
        'created',
        'queued',
        'started',
        'ended',
        'last_status_change',
        'input.json',
        'output.json',
        'error.title',
      ],
      ...['execution.status', 'execution.id', 'superseded_job', 'recipe', 'job_type_rev.docker_image'],
    ],
  },
  {
    page: 'Job Details',
    call: 'jobs/{supersedingJob}/',
    needs: ['superseded_job.job_type.title', 'recipe.recipe_type.title', 'configuration', 'event'],
  },
  {
    page: 'Job Details',
    call: 'jobs/{failedJob}/input_files/',
    needs: results('file_name', 'file_size', 'url', 'created', 'last_modified'),
  },
  {
    page: 'Job Details',
    call: 'files/?job_id={supersedingJob}&sortField=last_modified&sortOrder=desc&page_size=20',
    needs: results('id', 'file_name', 'file_size', 'url', 'created', 'last_modified'),
  },
  {
    page: 'Job Details',
    call: 'jobs/{failedJob}/executions/',
    needs: results(
      ...['id', 'status', 'created', 'queued', 'started', 'ended', 'last_modified', 'error.title'],
    ),
  },
  {
    page: 'Log panel',
    call: 'job-executions/{runningExecution}/logs/combined/?started=',
    needs: below('hits.hits[]._source', ['message', '@timestamp', 'scale_order_num']),
  },
  {
    page: 'Running Jobs',
    call: 'job-types/running/?page=1&page_size=1000',
    needs: results('count', 'longest_running', ...below('job_type', TYPE)),
  },
  {
    page: 'Queued Jobs',
    call: 'queue/status/?page=1&page_size=1000',
    needs: results('count', 'longest_queued', 'highest_priority', ...below('job_type', TYPE)),
  },
  {
    page: 'Job Type History',
    call: 'metrics/job-types/',
    needs: below('choices[]', ['id', 'name', 'version', 'title', 'icon_code', 'is_active']),
  },
  {
    page: 'Job Type History',
    call: withQuery('metrics/job-types/plot-data/', [
      'page_size=null',
      `${DAY}`,
      'choice_id={jobType}',
      'group=null',
      'column=error_system_count',
      'column=error_algorithm_count',
      'column=error_data_count',
      'column=total_count',
    ]),
    needs: results('column.name', 'values'),
  },
  {
    page: 'Job Type History details',
    call: 'errors/?job_type_name=fail-always&order=-last_modified',
    needs: results('title', 'category', 'created', 'last_modified'),
  },
];

export const PAGE_ROWS: readonly PageRow[] = [
  ...[...start, ...dashboard, ...recipes, ...jobs, ...MORE_PAGE_ROWS],
];
