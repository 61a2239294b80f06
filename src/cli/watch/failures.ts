/** Why a job of a watch has failed, and what to do about a path that its product could not have. */
import type { Client } from '../../client/client.ts';
import type { RecordOf } from '../../client/operations.ts';
import { FOREIGN_FILE } from '../../domain/task/path-verdict.ts';
import { INPUT } from './script.ts';

type Job = RecordOf<'/v6/jobs/'>;

export interface FailureReader {
  readonly client: Client;
  readonly jobTypeName: string;
  /** A command of this program as it is typed to call the service of the watch. */
  readonly typed: (command: string) => string;
}

export interface Failure {
  readonly reason: string;
  /** The end of what the script wrote to standard error. */
  readonly stderr: readonly string[];
  /** What to do. */
  readonly advice: readonly string[];
}

const STDERR_LINES = 5;
const STDERR_FOLLOWS = /; standard error (?:ends with:|shows nothing)$/;
/** limit: earlier versions of a file whose products are examined. */
const EARLIER_MAX = 10;

/** Takes the end of standard error from the job's reason, because the stored log may be complete later than the job. */
export async function failureOf(reader: FailureReader, job: Job, signal: AbortSignal): Promise<Failure> {
  const [first = '', ...lines] = (job.reason ?? '').trimEnd().split('\n');
  const cause = first.replace(STDERR_FOLLOWS, '');
  const reason = [job.error?.title ?? '', cause].filter((text) => text !== '').join(': ');
  const stderr = lines.filter((line) => line !== '').slice(-STDERR_LINES);
  const isTaken = job.error?.name === 'product-path-taken';
  return { reason, stderr, advice: isTaken ? [await pathAdvice(reader, job, signal)] : [] };
}

async function pathAdvice(reader: FailureReader, { id, reason }: Job, signal: AbortSignal): Promise<string> {
  const again = reader.typed(`job requeue ${id}`);
  if (reason?.includes(FOREIGN_FILE)) return `nothing is overwritten: move it away, then ${again}`;
  const { input } = await reader.client.get('/v6/jobs/{id}/', { path: { id }, signal });
  const [fileId] = [input.files[INPUT] ?? []].flat();
  const earlier = fileId === undefined ? undefined : await earlierOf(reader, fileId, signal);
  if (earlier === undefined) {
    return 'nothing is overwritten: let the script use $name in the name of its product, so that each file has its own';
  }
  return (
    'its content has changed since its product was made, and nothing is overwritten. To replace the product: ' +
    `${reader.typed(`purge ${earlier} --wait`)}, then ${again}. To keep both, let the script use $(date +%s) ` +
    'in the name'
  );
}

/** The id of an earlier version of the file (same path, other content) from which the line has made a product. */
async function earlierOf(
  { client, jobTypeName }: FailureReader,
  fileId: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const file = await client.get('/v6/files/{id}/', { path: { id: fileId }, signal });
  const query = { file_name: [file.file_name], file_type: ['SOURCE' as const] };
  let looked = 0;
  for await (const one of client.list('/v6/files/', { query, signal })) {
    const isSamePlace = one.file_path === file.file_path && one.workspace?.id === file.workspace?.id;
    if (!isSamePlace || one.is_deleted || one.id === fileId) continue;
    looked += 1;
    if (looked > EARLIER_MAX) return undefined;
    const { files, jobs } = await client.get('/v6/files/{id}/lineage/', {
      path: { id: one.id },
      query: { depth: 1, direction: 'descendants' },
      signal,
    });
    const isOfLine = jobs.some(({ job_type: type }) => type.name === jobTypeName);
    if (isOfLine && files.some((made) => made.file_type === 'PRODUCT' && !made.is_deleted)) return one.id;
  }
  return undefined;
}
