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
  /** A phrase for the user's page. */
  readonly says: string;
}

const JOB_TYPE = '/v6/job-types/{name}/{version}/';
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

const NO_BLANKS = 'what is null or an empty text is as if absent';

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

export const DIFFERENCES: readonly Difference[] = [
  bodies(
    JOB_TYPE_BODIES,
    '',
    sentAs('docker_image', 'container_image'),
    '`docker_image` is `container_image`; where both are given it counts',
  ),
  bodies(bodiesOf('workspaces'), 'configuration', ignored('http'), '`http` says nothing'),
  bodies(
    bodiesOf('workspaces'),
    'configuration.broker',
    all(withoutBlanks, ourSpelling),
    `\`type\` may be \`s3\`, ${NO_BLANKS}`,
  ),
  bodies(
    bodiesOf('strikes'),
    'configuration.monitor',
    all(withoutBlanks, sentAs('sqs_name', 'queue_name'), ourSpelling),
    `\`type\` may be \`s3\`, \`sqs_name\` is \`queue_name\`, ${NO_BLANKS}`,
  ),
  bodies(bodiesOf('scans'), 'configuration', scannerOnly, '`monitor` says nothing beside `scanner`'),
  bodies(
    bodiesOf('scans'),
    'configuration.scanner',
    all(withoutBlanks, ourSpelling),
    `\`type\` may be \`s3\`, ${NO_BLANKS}`,
  ),
  bodies(
    [...bodiesOf('strikes'), ...bodiesOf('scans')],
    'configuration.files_to_ingest[]',
    withoutEmpty('new_workspace', 'new_file_path'),
    '`new_workspace` and `new_file_path` may be empty texts: as if absent',
  ),
  bodies(
    JOB_TYPE_BODIES,
    'manifest.job',
    titledByName,
    '`title` may be an empty text, or blanks: then it is `name`',
  ),
  bodies(
    JOB_TYPE_BODIES,
    'manifest.job.interface.outputs.json[]',
    withoutEmpty('key'),
    '`key` may be an empty text: as if absent',
  ),
  bodies(CONFIGURED, 'configuration', ignored('version'), '`version` says nothing'),
  bodies(DEFINED, 'definition', ignored('version'), '`version` says nothing'),
  bodies(
    DEFINITION_BODIES,
    'definition.nodes.*',
    definedNode,
    'what a running graph has beside the definition (`status`, `job_id`, counts …) says nothing',
  ),
  bodies(
    DEFINITION_BODIES,
    'definition',
    conditionsAccepted,
    '`acceptance` of what is no condition says nothing: there is no warning of it',
  ),
  bodies(
    JOB_REQUESTS,
    '',
    flattened('error_categories', 'job_type_names'),
    'lists inside `error_categories` and `job_type_names` count as their items; empty ones are no filter',
  ),
  bodies(NAMED, '', ignored('name'), '`name` says nothing: the service derives it from the title'),
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
    [[['POST /v6/recipe-types/validation/'], 'diff']],
    defaulted('can_be_reprocessed', false),
    '`can_be_reprocessed` is there also when there is nothing to compare: false',
  ),
  ...answers(
    [[['POST /v6/workspaces/validation/'], '']],
    unwarned('unknown_workspace'),
    '`name` may be of no workspace, as pages call a new one: there is no warning of it',
  ),
  ...answers(
    [[NAMED.map((call) => `${call}validation/`), '']],
    unrefused(INVALID_NAME),
    '`name` may be of no record, and of any form: it is no error',
  ),
  ...answers(
    [
      [detailsOf('strikes'), 'configuration.monitor'],
      [INGEST, 'strike.configuration.monitor'],
    ],
    alsoAs('queue_name', 'sqs_name'),
    '`queue_name` is shown as `sqs_name` as well',
  ),
];
