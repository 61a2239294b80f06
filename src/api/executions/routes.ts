/** `/v6/jobs/{id}/executions/` and `/v6/job-executions/{id}/logs/…/`: the executions of a job and their output. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { EXECUTION_STATUSES } from '../../domain/job/job.ts';
import { formatInstant, parseMoment } from '../../domain/times.ts';
import { IssueList, problemSentence } from '../../domain/validation.ts';
import { defineList, type Listed } from '../../http/list.ts';
import type { Paging } from '../../http/request/paging.ts';
import { choice, choices, flag, integer, integers, type QueryPart } from '../../http/request/parameters.ts';
import { type PathPart, pathChoice, pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, type RouteRequest, reply } from '../../http/route.ts';
import {
  document,
  id,
  instant,
  NO_BODY,
  named,
  oneOf,
  orNull,
  type StreamBody,
  streamReply,
  integer as wholeNumber,
} from '../../http/schema.ts';
import {
  ErrorRecord,
  IdRef,
  JobTypeSummary,
  NodeSummary,
  nullableInstant,
  versionField,
} from '../shared/records.ts';
import { asHtml, LOG_PAGE_HEADERS, type LogPiece } from './log-page.ts';

const amount = (description: string) => orNull(wholeNumber({ minimum: 0, description }));

const fields = {
  id: id(),
  ...versionField,
  status: oneOf(EXECUTION_STATUSES),
  exe_num: wholeNumber({ minimum: 1 }),
  cluster_id: Type.String({ description: 'The name of the execution in the cluster.' }),
  created: instant(),
  queued: instant(),
  started: instant(),
  ended: nullableInstant,
  last_modified: instant(),
  job: IdRef,
  node: orNull(NodeSummary),
  error: orNull(ErrorRecord),
  reason: orNull(Type.String({ description: 'What went wrong this time.' })),
  job_type: JobTypeSummary,
  timeout: wholeNumber({ minimum: 0, description: 'Seconds of the main task; 0 = none.' }),
  input_file_size: orNull(Type.Number({ description: 'MiB.' })),
  image_digest: orNull(
    Type.String({
      description: 'The image that it ran, as `sha256:…`; null for a process, or before its end.',
    }),
  ),
  used: orNull(
    Type.Object(
      {
        source: oneOf(['cgroup', 'rusage', 'engine'] as const),
        memory_bytes: amount('The most memory at one time.'),
        processor_seconds: orNull(Type.Number({ minimum: 0, description: 'Of all processors together.' })),
        read_bytes: amount('Read from storage.'),
        written_bytes: amount('Written to storage.'),
        disk_bytes: amount('Allocated to its folder when its main task ended.'),
      },
      { description: 'What its main task used. Null if nothing was measured, or before its end.' },
    ),
  ),
  log_cut: orNull(
    Type.Object(
      { stdout: wholeNumber({ minimum: 0 }), stderr: wholeNumber({ minimum: 0 }) },
      { description: 'Bytes of its output that were cut off. Null: none.' },
    ),
  ),
};

const JobExecution = named('JobExecution', Type.Object(fields));

const Amounts = Type.Record(Type.String(), Type.Number());
const Mode = oneOf(['ro', 'rw'] as const);

const TaskVolume = Type.Object({
  container_path: Type.String(),
  mode: Mode,
  type: oneOf(['host', 'volume'] as const),
  host_path: Type.Optional(Type.String()),
  driver: Type.Optional(Type.String()),
  driver_opts: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const ExecutionTask = named(
  'ExecutionTask',
  Type.Object({
    task_id: Type.String(),
    type: oneOf(['pull', 'pre', 'main', 'post'] as const),
    resources: Amounts,
    args: Type.String({ description: 'Arguments, values in their places; of `pull` the image.' }),
    env_vars: Type.Record(Type.String(), Type.String(), { description: 'Secrets read `*****`.' }),
    workspaces: Type.Record(Type.String(), Type.Object({ mode: Mode })),
    mounts: Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Names of volumes; null where the mount is not configured.',
    }),
    settings: Type.Record(Type.String(), orNull(Type.String()), {
      description: 'Null where the setting has no value; secrets read `*****`.',
    }),
    volumes: Type.Record(Type.String(), TaskVolume),
    docker_params: Type.Array(Type.Object({ flag: Type.String(), value: Type.String() }), {
      description: 'Limits of its container, as flags of `docker run`.',
    }),
  }),
);

const ExecutionConfiguration = named(
  'ExecutionConfiguration',
  Type.Object({
    version: Type.String(),
    input_files: Type.Record(
      Type.String(),
      Type.Array(
        Type.Object({
          id: id(),
          type: Type.String(),
          workspace_name: Type.String(),
          workspace_path: Type.String(),
          local_file_name: Type.Optional(Type.String()),
          is_deleted: Type.Boolean(),
        }),
      ),
      { description: 'Files by input, where they are now; the first 1,000.' },
    ),
    output_workspaces: Type.Record(Type.String(), Type.String(), {
      description: 'Names of workspaces by output.',
    }),
    tasks: Type.Array(ExecutionTask),
  }),
);

export const JobExecutionDetails = named(
  'JobExecutionDetails',
  Type.Object({
    ...fields,
    task_results: orNull(document('Times and exit codes of its tasks.')),
    resources: Type.Object({ resources: document('Amounts that it holds, by name.') }),
    configuration: ExecutionConfiguration,
    output: Type.Object({
      output_data: Type.Array(Type.Object({ name: Type.String(), file_id: id() })),
      files: document('Ids of files by output.'),
      json: document('JSON values by output.'),
    }),
  }),
);

export interface ExecutionQuery {
  readonly status: readonly string[];
  readonly node_id: readonly number[];
  readonly error_id: readonly number[];
  readonly error_category: readonly string[];
  readonly paging: Paging;
}

export type LogStream = 'stdout' | 'stderr' | 'combined';

export interface ExecutionRouteDeps {
  readonly executions: {
    /** Undefined if there is no such job. */
    list(jobId: number, query: ExecutionQuery): Promise<Listed<Static<typeof JobExecution>> | undefined>;
    find(jobId: number, exeNum: number): Promise<Static<typeof JobExecutionDetails> | undefined>;
    /**
     * The output of its tasks, lines from `sinceMs` on, in the order of their arrival. Undefined: no such execution;
     * null: it has no output. Stops when `signal` fires.
     */
    log(
      executionId: number,
      stream: LogStream,
      sinceMs: number | undefined,
      signal: AbortSignal,
    ): Promise<AsyncIterable<LogPiece> | null | undefined>;
    /**
     * The bytes of one stream from an offset on, as they were written. `isFollowed`: until the execution has ended.
     * Undefined: no such execution. Throws what `OpenStreams` throws.
     */
    logBytes(
      executionId: number,
      stream: Exclude<LogStream, 'combined'>,
      from: { readonly offset: number; readonly isFollowed: boolean },
      request: Pick<RouteRequest, 'caller' | 'address' | 'signal'>,
    ): Promise<StreamBody | undefined>;
  };
}

const list = defineList({
  path: '/v6/jobs/{id}/executions/',
  summary: 'List executions of a job',
  description: 'Newest first. An execution exists from the moment that a node was found for it.',
  params: { id: pathId },
  query: {
    status: choices('Statuses.', EXECUTION_STATUSES),
    node_id: integers('Ids of nodes.', { minimum: 1 }),
    error_id: integers('Ids of errors.', { minimum: 1 }),
    error_category: choices('Categories of errors.', ERROR_CATEGORIES),
  },
  record: JobExecution,
  async records({ params, query }, { executions }: ExecutionRouteDeps) {
    const listed = await executions.list(params.id, query);
    if (listed === undefined) throw new AppError('NOT_FOUND', `there is no job ${params.id}`);
    return listed;
  },
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/jobs/{id}/executions/{exe_num}/',
  summary: 'Show an execution of a job',
  params: { id: pathId, exe_num: pathId },
  replies: { 200: JobExecutionDetails },
  async handle({ params }, { executions }: ExecutionRouteDeps) {
    const found = await executions.find(params.id, params.exe_num);
    if (found === undefined) {
      throw new AppError('NOT_FOUND', `job ${params.id} has no execution ${params.exe_num}`);
    }
    return reply(200, found);
  },
});

const LOG_FORMATS = ['json', 'txt', 'html'] as const;

const pathStream: PathPart<LogStream> = pathChoice(['stdout', 'stderr', 'combined']);

/** Only `started`: a log has no end to ask for. */
const since: QueryPart<number | undefined> = {
  document: () => [
    {
      name: 'started',
      description: 'Only what was written from this instant, or duration ago, on.',
      schema: Type.String(),
    },
  ],
  read: (_key, { query, issues, nowMs }) => {
    const text = query.last('started');
    if (text === undefined || text === '') return undefined;
    const atMs = parseMoment(text.replace(/ (\d\d:?\d\d)$/, '+$1'), nowMs);
    if (atMs === undefined) {
      issues.error('NOT_A_TIME', 'started', 'must be an ISO-8601 instant with a zone, or a duration');
    }
    return atMs;
  },
};

const LogLines = named(
  'LogLines',
  Type.Object({
    hits: Type.Object({
      hits: Type.Array(
        Type.Object({
          _source: Type.Object({
            message: Type.String({ description: 'A line.' }),
            '@timestamp': instant('When it arrived.'),
            stream: oneOf(['stdout', 'stderr']),
            scale_order_num: wholeNumber({ minimum: 1, description: 'Its place.' }),
            scale_job_exe: Type.String({ description: 'The id of the execution.' }),
          }),
        }),
      ),
      total: wholeNumber({ minimum: 0 }),
    }),
  }),
);
const LOG_FORMS = { 'application/json': LogLines, 'text/plain': Type.String(), 'text/html': Type.String() };

const follow = flag('True: goes on until the execution has ended. Of `stdout` or `stderr`, as text.');
const offset = integer('The first byte of `stdout` or `stderr`, as text.', { minimum: 0 });

/** Throws INVALID_PARAMETER where bytes of one stream are not what is asked for. */
function oneStream(
  stream: LogStream,
  query: {
    readonly since?: number | undefined;
    readonly format?: string | undefined;
    readonly follow?: boolean | undefined;
  },
): Exclude<LogStream, 'combined'> {
  const issues = new IssueList();
  const name = query.follow === true ? 'follow' : 'offset';
  if (stream === 'combined') issues.error('NOT_ALLOWED', name, 'needs one stream: stdout or stderr');
  if ((query.format ?? 'txt') !== 'txt') issues.error('NOT_ALLOWED', 'format', `must be txt with ${name}`);
  if (query.since !== undefined) issues.error('NOT_ALLOWED', 'started', `excludes ${name}`);
  const { errors } = issues;
  if (stream !== 'combined' && errors.length === 0) return stream;
  throw new AppError('INVALID_PARAMETER', problemSentence(errors, 'the query'), { errors });
}

const getLog = defineRoute({
  method: 'GET',
  path: '/v6/job-executions/{id}/logs/{stream}/',
  summary: 'Read what an execution wrote',
  description: `As JSON it is 
\`{hits: {hits: [{_source: {message, "@timestamp", stream, scale_order_num, …}}]}}\`, a hit a line, as a
search engine would answer; as \`txt\` the bytes as they were written; as \`html\` a page, what was written to
one stream in elements of the class \`stdout\` or \`stderr\`. 204 while there is nothing. With \`follow\` the
bytes of a stream come as they are written, until the execution has ended. An answer that breaks off is resumed with
\`offset\`.`,
  params: { id: pathId, stream: pathStream },
  query: {
    since,
    format: choice('Form of the answer; as `Accept` says if not given.', LOG_FORMATS),
    follow,
    offset,
  },
  replies: { 200: streamReply('application/json', LOG_FORMS), 204: NO_BODY },
  async handle({ params, query, request }, { executions }: ExecutionRouteDeps) {
    if (query.follow === true || query.offset !== undefined) {
      const stream = oneStream(params.stream, query);
      const from = { offset: query.offset ?? 0, isFollowed: query.follow === true };
      const bytes = await executions.logBytes(params.id, stream, from, request);
      if (bytes === undefined) throw new AppError('NOT_FOUND', `there is no execution ${params.id}`);
      return reply(200, bytes, { 'content-type': 'text/plain; charset=utf-8' });
    }
    const pieces = await executions.log(params.id, params.stream, query.since, request.signal);
    if (pieces === undefined) throw new AppError('NOT_FOUND', `there is no execution ${params.id}`);
    if (pieces === null) return reply(204);
    switch (query.format ?? acceptedFormat(request.headers)) {
      case 'txt':
        return reply(200, { stream: asText(pieces) }, { 'content-type': 'text/plain; charset=utf-8' });
      case 'html':
        return reply(200, { stream: asHtml(params.id, pieces) }, LOG_PAGE_HEADERS);
      case 'json':
        return reply(200, { stream: asHits(params.id, pieces) });
    }
  },
});

function acceptedFormat(headers: ReadonlyMap<string, string>): (typeof LOG_FORMATS)[number] {
  const accept = headers.get('accept') ?? '';
  if (accept.startsWith('text/plain')) return 'txt';
  return accept.startsWith('text/html') ? 'html' : 'json';
}

async function* asText(pieces: AsyncIterable<LogPiece>): AsyncGenerator<Uint8Array> {
  for await (const { text } of pieces) yield Buffer.from(text);
}

async function* asHits(executionId: number, pieces: AsyncIterable<LogPiece>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"hits":{"hits":[');
  let order = 0;
  for await (const { stream, atMs, text } of pieces) {
    const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
    const hits = lines.map((message) => {
      order += 1;
      const line = { message, '@timestamp': formatInstant(atMs), stream, scale_order_num: order };
      return JSON.stringify({ _source: { ...line, scale_job_exe: String(executionId) } });
    });
    yield Buffer.from((order === hits.length ? '' : ',') + hits.join(','));
  }
  yield Buffer.from(`],"total":${order}}}`);
}

export const executionRoutes = [list, get, getLog];
