/**
 * Files that a writer of their workspace swaps all the while for what no job may have: a link to a file of root's, a
 * directory that is such a link, a pipe. Jobs take them meanwhile. A job gets the workspace's own file, or none.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InterfaceClient } from '../../../support/clients/interface-client.ts';
import { until } from '../../harness/until.ts';
import { createJobType } from '../../harness/work/job-types.ts';
import type { Caller } from '../caller.ts';
import type { Installation } from '../installation.ts';
import type { ExpectedBait, Ledger } from '../ledger.ts';
import { sha256 } from './arrivals.ts';

/** Each kill of an agent takes a try of what runs there. */
const TRIES = 100;
const BYTES = 100_000;
const INGEST_MS = 120_000;

/** Below the workspace: what jobs take, and which of its names is swapped. */
const PLACES = [
  { name: 'bait-file.txt', path: 'bait-file.txt', swapped: 'bait-file.txt', by: 'link' },
  { name: 'bait-nested.txt', path: 'outer/inner/bait-nested.txt', swapped: 'outer', by: 'link' },
  { name: 'bait-pipe.txt', path: 'pipes/bait-pipe.txt', swapped: 'pipes/bait-pipe.txt', by: 'pipe' },
] as const;

/**
 * Swaps pairs of names in turn, and rests after each swap: mostly so shortly that the next one falls between two steps
 * of an agent, seldom for hundredths of a second. On SIGTERM it puts back what is swapped and says how often it did.
 */
const SWAPPER = `
use strict; my (@pairs, $count, $end); $SIG{TERM} = sub { $end = 1 }; $| = 1;
while (my ($one, $other) = splice(@ARGV, 0, 2)) { push @pairs, { one => $one, other => $other, swapped => 0 } }
sub swap {
  my ($pair) = @_; my ($one, $other) = @$pair{'one', 'other'};
  rename($one, "$other.meanwhile") and rename($other, $one) and rename("$other.meanwhile", $other) or die "$one: $!";
  $pair->{swapped} = !$pair->{swapped}; $count++;
}
print "begun\\n";
until ($end) { swap($pairs[rand @pairs]); select(undef, undef, undef, rand() ** 6 / 60) }
$_->{swapped} and swap($_) for @pairs;
print "$count\\n";
`;

export function baitFolder({ world }: Installation): string {
  return join(world.folder, 'bait');
}

/** Pipes and links lie here while they are not in the workspace. */
export function asideFolder({ world }: Installation): string {
  return join(world.folder, 'bait-aside');
}

export class Baits {
  readonly #all: Installation;
  readonly #ledger: Ledger;
  readonly #jobTypeId: number;
  readonly #fileIds: readonly number[];
  #swapper: ChildProcess | undefined;
  #said = '';

  private constructor(all: Installation, ledger: Ledger, jobTypeId: number, fileIds: readonly number[]) {
    this.#all = all;
    this.#ledger = ledger;
    this.#jobTypeId = jobTypeId;
    this.#fileIds = fileIds;
  }

  /** They are recorded before anything goes wrong, and then swapped until `end`. */
  static async lay(all: Installation, client: InterfaceClient, ledger: Ledger): Promise<Baits> {
    for (const place of PLACES) ledger.expectBait(layOne(all, place));
    const input = ['$', '{INPUT}'].join('');
    const jobTypeId = await createJobType(client, {
      name: 'take-bait',
      script: `set -e; cat "${input}" >"$OUTPUT_DIR/$(basename "${input}").taken"`,
      inputs: [{ name: 'INPUT' }],
      outputs: [{ name: 'OUT', pattern: '*.taken', mediaType: 'text/plain', required: true }],
      ...{ workspace: 'demo-archive', maxTries: TRIES },
    });
    const broker = { type: 'host', host_path: baitFolder(all) };
    await client.post('/v6/workspaces/', { title: 'Bait', configuration: { broker } });
    const { id: scanId } = await client.post<{ id: number }>('/v6/scans/', {
      title: 'Bait',
      configuration: {
        ...{ workspace: 'bait', scanner: { type: 'dir' }, recursive: true },
        files_to_ingest: [{ filename_regex: '^bait-.*\\.txt$', data_types: [] }],
      },
    });
    await client.post(`/v6/scans/${scanId}/process/`, { ingest: true });
    const baits = new Baits(all, ledger, jobTypeId, await recorded(client));
    await baits.#begin();
    return baits;
  }

  /** One job for each. */
  async take(caller: Caller): Promise<void> {
    for (const id of this.#fileIds) {
      const body = { job_type_id: this.#jobTypeId, input: { files: { INPUT: [id] }, json: {} } };
      const job = await caller.call('a bait', (client) => client.post<{ id: number }>('/v6/jobs/', body));
      this.#ledger.baitJobs.push(job.id);
    }
  }

  /** All lies where it was at first. */
  async end(): Promise<void> {
    const swapper = this.#swapper;
    if (swapper === undefined) return;
    const hasEnded = swapper.exitCode !== null || swapper.signalCode !== null;
    if (!hasEnded) {
      const closed = once(swapper, 'close');
      swapper.kill('SIGTERM');
      await closed;
    }
    this.#swapper = undefined;
    this.#ledger.swaps = Number(this.#said.split('\n')[1] ?? 0);
  }

  async #begin(): Promise<void> {
    const pairs = PLACES.flatMap(({ name, swapped }) => [
      join(baitFolder(this.#all), swapped),
      join(asideFolder(this.#all), name),
    ]);
    const swapper = spawn('perl', ['-e', SWAPPER, ...pairs], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#swapper = swapper;
    swapper.stdout.on('data', (piece: Buffer) => {
      this.#said += piece.toString();
    });
    await once(swapper.stdout, 'data');
  }
}

/** Its own file in the workspace, a foreign one outside, and what it is swapped for. All of one length. */
function layOne(all: Installation, place: (typeof PLACES)[number]): ExpectedBait {
  const { name, path, swapped, by } = place;
  const outside = join(all.world.folder, 'bait-foreign', name);
  const own = randomBytes(BYTES / 2).toString('hex');
  const foreign = randomBytes(BYTES / 2).toString('hex');
  const foreignAt = join(outside, path === swapped ? name : path.slice(swapped.length + 1));
  for (const [at, content] of [
    [join(baitFolder(all), path), own],
    [foreignAt, foreign],
  ] as const) {
    mkdirSync(join(at, '..'), { recursive: true });
    writeFileSync(at, content, { mode: 0o600 });
  }
  mkdirSync(asideFolder(all), { recursive: true });
  const aside = join(asideFolder(all), name);
  if (by === 'pipe') execFileSync('mkfifo', [aside]);
  else symlinkSync(path === swapped ? foreignAt : outside, aside);
  return { name, path, sha256: sha256(own), bytes: BYTES, foreign: sha256(foreign), foreignAt };
}

async function recorded(client: InterfaceClient): Promise<readonly number[]> {
  const found = async () => {
    const ids: number[] = [];
    for (const { name } of PLACES)
      for await (const file of client.all<{ id: number }>(`/v6/files/?file_name=${name}`)) ids.push(file.id);
    return ids.length === PLACES.length ? ids : undefined;
  };
  return until('the baits are recorded', found, INGEST_MS);
}
