/**
 * Jobs whose input is swapped while it is staged: one that completes has the workspace's own content, one that fails
 * says that the file is missing, and is not tried again. No thread waits for the other end of a pipe.
 */
import { closeSync, constants, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../installation.ts';
import type { ExpectedProduct, Ledger } from '../ledger.ts';
import { asideFolder } from '../work/baits.ts';
import { checkAncestry, checkContent, productOf } from './files.ts';
import type { FileSeen, JobSeen, Observed } from './observed.ts';

export const BAIT_TYPE = 'take-bait';
const MISSING = 'missing-file';
/** From so many jobs on both ends come about: a bait is as often swapped as it is not. */
const JOBS_FOR_BOTH = 30;

const isOfBait = ({ job_type: { name } }: JobSeen) => name === BAIT_TYPE;

function lastOf({ executions }: JobSeen) {
  return executions.reduce((last, one) => (one.exe_num > last.exe_num ? one : last), {
    exe_num: 0,
    error: null,
  } as Pick<JobSeen['executions'][number], 'exe_num' | 'error'>);
}

/** One that took a bait while it was swapped. */
export function mayFail(job: JobSeen): boolean {
  return isOfBait(job) && job.status === 'FAILED' && lastOf(job).error?.name === MISSING;
}

export function checkBaits(all: Installation, ledger: Ledger, seen: Observed): readonly string[] {
  const problems: string[] = [];
  const jobs = seen.jobs.filter(isOfBait);
  const products = new Map<number | undefined, FileSeen[]>();
  for (const file of seen.files)
    if (file.file_type === 'PRODUCT')
      products.set(file.job?.id, [...(products.get(file.job?.id) ?? []), file]);
  for (const job of jobs) {
    const say = (text: string) => problems.push(`job ${job.id} (${BAIT_TYPE}): ${text}`);
    const last = lastOf(job).exe_num;
    if (job.executions.some(({ exe_num, error }) => error?.name === MISSING && exe_num !== last))
      say(`was tried again after ${MISSING}`);
    const found = products.get(job.id) ?? [];
    if (found.length !== (job.status === 'COMPLETED' ? 1 : 0))
      say(`is ${job.status} and has ${found.length} products`);
    for (const file of found) problems.push(...checkProduct(ledger, file, seen));
  }
  const known = new Set(jobs.map(({ id }) => id));
  for (const id of ledger.baitJobs) if (!known.has(id)) problems.push(`job ${id} of a bait: is not listed`);
  if (ledger.baitJobs.length === 0) problems.push('baits: no job was asked to take one');
  if (ledger.swaps < ledger.baitJobs.length) problems.push(`baits: were swapped ${ledger.swaps} times`);
  const failed = jobs.filter(mayFail).length;
  if (jobs.length >= JOBS_FOR_BOTH && (failed === 0 || failed === jobs.length))
    problems.push(`baits: ${failed} of ${jobs.length} jobs found none`);
  return [...problems, ...waiting(all)];
}

function checkProduct(ledger: Ledger, file: FileSeen, seen: Observed): readonly string[] {
  const bait = ledger.baits.find(({ name }) => productOf(name) === file.file_name);
  if (bait === undefined) return [`product ${file.file_name} (file ${file.id}): of no bait`];
  const { sha256, name: parent } = bait;
  const product: ExpectedProduct = { name: file.file_name, place: 'demo-archive', sha256, parent };
  const content = seen.stored['demo-archive'].get(file.file_path)?.sha256;
  return [
    ...(ledger.baits.some(({ foreign }) => foreign === content)
      ? [`product ${file.file_name} (file ${file.id}): holds what lies outside of the workspace`]
      : []),
    ...checkContent(product, file, seen),
    ...checkAncestry(product, bait.name, file),
  ];
}

/**
 * A thread that opens a pipe and waits for a writer counts as a reader of it: only then it can be opened for writing at
 * once. That also lets the thread go.
 */
function waiting(all: Installation): readonly string[] {
  return pipesOf(all)
    .filter(hasReader)
    .map((pipe) => `${pipe}: a thread waits for its other end`);
}

export function pipesOf(all: Installation): readonly string[] {
  const folder = asideFolder(all);
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFIFO());
}

function hasReader(pipe: string): boolean {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false;
    throw error;
  }
}

/** What came of them, for people. */
export function describeBaits(ledger: Ledger, seen: Observed): string {
  const jobs = seen.jobs.filter(isOfBait);
  const failed = jobs.filter(mayFail).length;
  const completed = jobs.filter(({ status }) => status === 'COMPLETED').length;
  const ends = `${completed} completed, ${failed} ${MISSING}, ${jobs.length - completed - failed} neither`;
  return `swapped ${ledger.swaps} times; of ${jobs.length} jobs ${ends}`;
}
