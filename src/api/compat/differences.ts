/**
 * Everything that clients of the public system send and read differently, as one table: the calls, the place in a body
 * or an answer, and the translation. Calls with larger differences are in `special-calls.ts`, the spelling of object
 * stores in `spellings.ts`, the parsing of queries in `lenient-query.ts`. docs/clients-differences.md shows this table.
 */

import { INVALID_NAME } from '../../domain/names.ts';
import { ourSpelling } from './spellings.ts';
import {
  all,
  alsoAs,
  type BodyChange,
  type Change,
  conditionsAccepted,
  defaulted,
  definedNode,
  flattened,
  hidden,
  ignored,
  scannerOnly,
  sentAs,
  titledByName,
  unrefused,
  unwarned,
  withoutBlanks,
  withoutEmpty,
} from './translations.ts';

export interface Difference {
  /** Calls of the interface, as `GET /v6/jobs/`. */
  readonly calls: readonly string[];
  readonly part: 'body' | 'answer';
  /** The place, as in `changeAt`. */
  readonly at: string;
  readonly change: Change | BodyChange;
  /** A phrase for docs/clients-differences.md. */
  readonly says: string;
}

const JOB_TYPE = '/v6/job-types/{name}/{version}/';
/** Validations that answer with `effects`: what a create or edit would do. */
const EFFECTS = ['batches', 'job-types', 'recipe-types', 'strikes'].map(
  (kind) => `POST /v6/${kind}/validation/`,
);
const JOB_TYPE_BODIES = ['POST /v6/job-types/', 'POST /v6/job-types/validation/', `PATCH ${JOB_TYPE}`];
const DEFINITION_BODIES = [
  ...['POST /v6/recipe-types/', 'POST /v6/recipe-types/validation/', 'PATCH /v6/recipe-types/{name}/'],
];
const bodiesOf = (collection: string) => [
  `POST /v6/${collection}/`,
  `POST /v6/${collection}/validation/`,
  `PATCH /v6/${collection}/{id}/`,
];
const detailsOf = (collection: string) => [`POST /v6/${collection}/`, `GET /v6/${collection}/{id}/`];
const JOB_REQUESTS = ['POST /v6/jobs/cancel/', 'POST /v6/jobs/requeue/'];
const BATCH_BODIES = bodiesOf('batches');
const CONFIGURED = [
  ...['workspaces', 'strikes', 'scans'].flatMap(bodiesOf),
  ...[...JOB_TYPE_BODIES, ...BATCH_BODIES, 'POST /v6/jobs/', 'POST /v6/recipes/'],
];
const DEFINED = [
  ...[...DEFINITION_BODIES, 'POST /v6/batches/', 'POST /v6/batches/validation/'],
  ...['POST /v6/datasets/', 'POST /v6/datasets/validation/'],
];

const NAMED = ['workspaces', 'strikes', 'scans', 'recipe-types'].map(
  (collection) => `POST /v6/${collection}/`,
);

const NO_BLANKS = 'fields that are null or an empty text count as absent';

function bodies(calls: readonly string[], at: string, change: BodyChange, says: string): Difference {
  return { calls, part: 'body', at, change, says };
}

/** All places of an answer that show one kind of record. */
function answers(
  places: readonly (readonly [calls: readonly string[], at: string])[],
  change: Change,
  says: string,
): readonly Difference[] {
  return places.map(([calls, at]) => ({ calls, part: 'answer', at, change, says }));
}

const INGEST = ['GET /v6/ingests/{id}/'];

/** Collections whose objects' changes are in the stream of changes. */
const CHANGING = [
  ...[
    'batches',
    'datasets',
    'files',
    'ingests',
    'job-types',
    'jobs',
    'nodes',
    'purges',
    'recipe-types',
    'recipes',
  ],
  ...['scans', 'strikes', 'workspaces'],
].map((collection) => `/v6/${collection}/`);
const CHANGING_BY_ID = CHANGING.filter((path) => !path.endsWith('-types/')).map((path) => `${path}{id}/`);
const CHANGING_CREATED = CHANGING.filter((path) => !/files|ingests|nodes|purges/.test(path));
const EXECUTIONS = '/v6/jobs/{id}/executions/';
const CHANGING_LISTS = [
  ...[...CHANGING, EXECUTIONS, '/v6/ingests/{id}/jobs/', '/v6/job-types/{name}/'],
  ...['/v6/jobs/{id}/input_files/', '/v6/recipes/{id}/input_files/'],
];
const RECIPE_TYPE = '/v6/recipe-types/{name}/';
const CHANGING_RECORDS = [
  ...[
    ...[...CHANGING_BY_ID, JOB_TYPE, RECIPE_TYPE, `${EXECUTIONS}{exe_num}/`],
    ...['/v6/recipes/{id}/graph/', '/v6/scheduler/'],
  ].map((path) => `GET ${path}`),
  ...[...CHANGING_CREATED, '/v6/scans/{id}/process/'].map((path) => `POST ${path}`),
  `PATCH ${JOB_TYPE}`,
];

export const DIFFERENCES: readonly Difference[] = [
  bodies(
    JOB_TYPE_BODIES,
    '',
    sentAs('docker_image', 'container_image'),
    '`docker_image` is another name of `container_image`, and takes precedence if both are given',
  ),
  bodies(bodiesOf('workspaces'), 'configuration', ignored('http'), '`http` is ignored'),
  bodies(
    [...JOB_TYPE_BODIES, 'POST /v6/jobs/', 'POST /v6/recipes/'],
    'configuration',
    ignored('product_path'),
    '`product_path` is ignored',
  ),
  bodies(
    bodiesOf('workspaces'),
    'configuration.broker',
    all(withoutBlanks, ourSpelling),
    `\`type\` may be \`s3\`; ${NO_BLANKS}`,
  ),
  bodies(
    bodiesOf('strikes'),
    'configuration.monitor',
    all(withoutBlanks, sentAs('sqs_name', 'queue_name'), ourSpelling),
    `\`type\` may be \`s3\`; \`sqs_name\` is another name of \`queue_name\`; ${NO_BLANKS}`,
  ),
  bodies(bodiesOf('scans'), 'configuration', scannerOnly, '`monitor` is ignored if `scanner` is given'),
  bodies(
    bodiesOf('scans'),
    'configuration.scanner',
    all(withoutBlanks, ourSpelling),
    `\`type\` may be \`s3\`; ${NO_BLANKS}`,
  ),
  bodies(
    [...bodiesOf('strikes'), ...bodiesOf('scans')],
    'configuration.files_to_ingest[]',
    withoutEmpty('new_workspace', 'new_file_path'),
    '`new_workspace` and `new_file_path` count as absent if they are empty texts',
  ),
  bodies(
    JOB_TYPE_BODIES,
    'manifest.job',
    titledByName,
    '`title` may be empty or blank; `name` is then the title',
  ),
  bodies(
    JOB_TYPE_BODIES,
    'manifest.job.interface.outputs.json[]',
    withoutEmpty('key'),
    '`key` counts as absent if it is an empty text',
  ),
  bodies(CONFIGURED, 'configuration', ignored('version'), '`version` is ignored'),
  bodies(DEFINED, 'definition', ignored('version'), '`version` is ignored'),
  bodies(
    DEFINITION_BODIES,
    'definition.nodes.*',
    definedNode,
    'fields that only the graph of a running recipe has (`status`, `job_id`, counts …) are ignored',
  ),
  bodies(
    DEFINITION_BODIES,
    'definition',
    conditionsAccepted,
    '`acceptance` of a node that is not a condition is ignored, without a warning',
  ),
  bodies(
    JOB_REQUESTS,
    '',
    flattened('error_categories', 'job_type_names'),
    'lists inside `error_categories` and `job_type_names` are flattened; empty lists do not filter',
  ),
  bodies(
    [...['workspaces', 'strikes', 'scans'].flatMap(bodiesOf), ...JOB_TYPE_BODIES, ...DEFINITION_BODIES],
    '',
    ignored('labels'),
    '`labels` is ignored',
  ),
  ...answers(
    [
      [['workspaces', 'strikes', 'scans'].flatMap(detailsOf), ''],
      [['POST /v6/scans/{id}/process/'], ''],
      [['POST /v6/job-types/', `GET ${JOB_TYPE}`, `PATCH ${JOB_TYPE}`], ''],
      [['POST /v6/recipe-types/', 'GET /v6/recipe-types/{name}/'], ''],
      [
        ['workspaces', 'strikes', 'scans', 'job-types', 'recipe-types'].map((kind) => `GET /v6/${kind}/`),
        'results[]',
      ],
      [['GET /v6/job-types/{name}/'], 'results[]'],
      [['GET /v6/job-types/status/'], 'results[].job_type'],
      [['GET /v6/recipe-types/{name}/', 'POST /v6/recipe-types/'], 'job_types[]'],
    ],
    hidden('labels'),
    '`labels` are not shown',
  ),
  bodies(NAMED, '', ignored('name'), '`name` is ignored: the service derives it from the title'),
  ...answers(
    [
      [['GET /v6/job-types/', 'GET /v6/job-types/{name}/', `GET ${JOB_TYPE}revisions/`], 'results[]'],
      [['POST /v6/job-types/', `GET ${JOB_TYPE}`, `PATCH ${JOB_TYPE}`], ''],
      [[`GET ${JOB_TYPE}revisions/{revision_num}/`], ''],
      [['GET /v6/job-types/status/'], 'results[].job_type'],
      [['GET /v6/recipe-types/{name}/', 'POST /v6/recipe-types/'], 'job_types[]'],
      [['GET /v6/jobs/{id}/', 'POST /v6/jobs/'], 'job_type_rev'],
    ],
    alsoAs('container_image', 'docker_image'),
    '`container_image` is shown as `docker_image` as well',
  ),
  ...answers(
    [
      [['GET /v6/nodes/'], 'results[]'],
      [['GET /v6/nodes/{id}/'], ''],
      [['GET /v6/overview/'], 'paused_nodes.results[]'],
    ],
    hidden('executors'),
    '`executors` are not shown',
  ),
  ...answers([[EFFECTS, '']], hidden('effects'), 'there are no `effects`'),
  ...answers(
    [[['POST /v6/recipe-types/validation/'], 'diff']],
    defaulted('can_be_reprocessed', false),
    '`can_be_reprocessed` is also present, as false, when there is nothing to compare',
  ),
  ...answers(
    [[['POST /v6/workspaces/validation/'], '']],
    unwarned('unknown_workspace'),
    'there is no warning if no workspace has the `name`, because pages send a placeholder for a new one',
  ),
  ...answers(
    [[NAMED.map((call) => `${call}validation/`), '']],
    unrefused(INVALID_NAME),
    'any `name` is accepted, whatever its form, even if no record has it',
  ),
  ...answers(
    [
      [detailsOf('strikes'), 'configuration.monitor'],
      [INGEST, 'strike.configuration.monitor'],
    ],
    alsoAs('queue_name', 'sqs_name'),
    '`queue_name` is shown as `sqs_name` as well',
  ),
  ...answers(
    [
      [CHANGING_LISTS.map((path) => `GET ${path}`), 'results[]'],
      [['GET /v6/job-types/status/'], 'results[].job_type'],
      [CHANGING_RECORDS, ''],
      [['GET /v6/jobs/{id}/', 'POST /v6/jobs/'], 'execution'],
      [[`GET ${RECIPE_TYPE}`, 'POST /v6/recipe-types/'], 'job_types[]'],
      [['GET /v6/recipes/{id}/', 'POST /v6/recipes/'], 'details.nodes.*.node_type'],
      [['GET /v6/datasets/members/{id}/'], 'files[].scale_file'],
      [['GET /v6/overview/'], 'paused_nodes.results[]'],
      [['GET /v6/overview/'], 'strikes.results[]'],
    ],
    hidden('object_version'),
    '`object_version` is not shown',
  ),
];
