/** `/v6/jobs/{id}/executions/` and `/v6/job-executions/{id}/logs/…/`: the executions of a job and their output. */
import { Type } from '@sinclair/typebox';
import type { OpenStream } from '../../auth/open-streams.ts';
import { AppError } from '../../domain/errors.ts';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { EXECUTION_STATUSES } from '../../domain/job/job.ts';
import { formatInstant, parseMoment } from '../../domain/times.ts';
import { IssueList, problemSentence } from '../../domain/validation.ts';
import { defineList } from '../../http/list.ts';
import { choice, choices, flag, integer, integers, type QueryPart } from '../../http/request/parameters.ts';
import { type PathPart, pathChoice, pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import {
  instant,
  NO_BODY,
  named,
  oneOf,
  type StreamBody,
  streamReply,
  integer as wholeNumber,
} from '../../http/schema.ts';
import { findExecution, hasExecution, listExecutions } from '../../store/execution/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { Parts } from '../parts.ts';
import { finished } from '../shared/finished-stream.ts';
import { openLog } from './log.ts';
import { type LogBytesRequest, logBytes } from './log-bytes.ts';
import { asHtml, LOG_PAGE_HEADERS, type LogPiece } from './log-page.ts';
import { JobExecution, JobExecutionDetails, type LogStream } from './schema.ts';

const list = defineList({
  path: '/v6/jobs/{id}/executions/',
  summary: 'List executions of a job',
  description: 'Newest first. An execution exists as soon as a node was found for it.',
  params: { id: pathId },
  query: {
    status: choices('Statuses.', EXECUTION_STATUSES),
    node_id: integers('Ids of nodes.', { minimum: 1 }),
    error_id: integers('Ids of errors.', { minimum: 1 }),
    error_category: choices('Categories of errors.', ERROR_CATEGORIES),
  },
  record: JobExecution,
  async records({ params, query, shown }, { sql }: Parts<'sql'>) {
    const listed = await listExecutions(sql, params.id, query, query.paging, shown);
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
  async handle({ params }, { sql, configurationOf }: Parts<'sql' | 'configurationOf'>) {
    const found = await findExecution(sql, params.id, params.exe_num);
    if (found === undefined) {
      throw new AppError('NOT_FOUND', `job ${params.id} has no execution ${params.exe_num}`);
    }
    return reply(200, { ...found, configuration: await configurationOf(found.id) });
  },
});

const LOG_FORMATS = ['json', 'txt', 'html'] as const;

const pathStream: PathPart<LogStream> = pathChoice(['stdout', 'stderr', 'combined']);

/** A range without an end: only `started`. */
const since: QueryPart<number | undefined> = {
  document: () => [
    {
      name: 'started',
      description: 'Only what was written since this instant, or since this duration ago.',
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

const follow = flag(
  'True: sends output as it is written, until the execution has ended. Only for `stdout` or `stderr`, as text.',
);
const offset = integer('The first byte to send. Only for `stdout` or `stderr`, as text.', { minimum: 0 });

/** The stream whose bytes are sent. Throws INVALID_PARAMETER if other parameters do not fit. */
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
  if (query.since !== undefined) issues.error('NOT_ALLOWED', 'started', `cannot be used with ${name}`);
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
  async handle({ params, query, request }, { sql, streams }: Parts<'sql' | 'streams'>) {
    if (query.follow === true || query.offset !== undefined) {
      const stream = oneStream(params.stream, query);
      const { caller, address, signal: gone } = request;
      if (!(await hasExecution(sql, params.id))) throw unknownExecution(params.id);
      const open = query.follow === true ? streams.open('logs', caller, address) : undefined;
      const wanted = { executionId: params.id, stream, offset: query.offset ?? 0, gone };
      const bytes = openLogBytes(sql, wanted, open);
      return reply(200, bytes, { 'content-type': 'text/plain; charset=utf-8' });
    }
    const wanted = { executionId: params.id, stream: params.stream, sinceMs: query.since };
    const pieces = await openLog(sql, { ...wanted, signal: request.signal });
    if (pieces === undefined) throw unknownExecution(params.id);
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

function unknownExecution(id: number): AppError {
  return new AppError('NOT_FOUND', `there is no execution ${id}`);
}

/** `open`: undefined if only the bytes that are already there are sent. */
function openLogBytes(sql: Sql, wanted: LogBytesRequest, open: OpenStream | undefined): StreamBody {
  if (open === undefined) return { stream: logBytes(sql, wanted) };
  return { stream: finished(logBytes(sql, { ...wanted, open }), () => open.close()), cut: open.ending };
}

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
