import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { StoredFile } from '../../../src/cli/demo/demo-check.ts';
import { hashFile } from '../../../src/cli/demo/demo-files.ts';
import { mount, mounting } from '../harness/mounts.ts';
import { startPair } from '../harness/pair.ts';
import { checkDisk, type ExecutionRecord, listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { createJobType, jobIs, jobOf, queueJob } from '../harness/work/job-types.ts';

interface IngestRecord {
  readonly status: string;
  readonly reason: string | null;
}

const FULL_BYTES = 400_000;

interface RecipeRecord {
  readonly is_completed: boolean;
  readonly jobs_failed: number;
  readonly jobs_queued: number;
  readonly jobs_running: number;
}

t.test(
  'a full disk: ingests and jobs fail with filesystem-io, and finish when there is space',
  mounting(),
  async (t) => {
    const { world, client } = await startPair(t);
    const { archive } = world.at;
    t.ok(mount('-t', 'tmpfs', '-o', `size=${FULL_BYTES},mode=711`, 'tmpfs', archive));
    const work = await DemoWork.create(world, client, 80, 20);
    const size = work.files.reduce((sum, file) => sum + file.size, 0);
    t.ok(size > FULL_BYTES, 'more than it holds');
    // A job whose product cannot fit: it is tried again as long as it may.
    const stores = await createJobType(client, {
      name: 'stores',
      script: `head -c ${FULL_BYTES} /dev/zero >$OUTPUT_DIR/big.bin`,
      outputs: [{ name: 'BIG', pattern: '*.bin', mediaType: 'application/octet-stream' }],
      workspace: 'demo-archive',
      maxTries: 2,
    });
    const failed = await jobIs(client, await queueJob(client, stores), ['FAILED']);
    t.match(failed, { num_exes: 2, error: { name: 'filesystem-io', category: 'SYSTEM' } });
    const executions = await listed<ExecutionRecord>(client, `/v6/jobs/${failed.id}/executions/`);
    t.strictSame(
      executions.map((one) => one.error?.name),
      ['filesystem-io', 'filesystem-io'],
    );

    await work.deliver(work.files.length);
    await until('ingests have failed for want of space', async () => {
      const ingests = await listed<IngestRecord>(client, '/v6/ingests/');
      return ingests.some((one) => one.status === 'TRANSFERRED' && /ENOSPC/.test(one.reason ?? ''));
    });
    t.ok(mount('-o', 'remount,size=64m', archive), 'space is made');
    await until(
      'all files are ingested',
      async () => (await client.count('/v6/ingests/?status=INGESTED')) === work.files.length,
      90_000,
    );
    const sources = await listed<StoredFile>(client, '/v6/files/?file_type=SOURCE');
    t.equal(sources.length, work.files.length);
    const wrong = [];
    for (const file of work.files) {
      const source = sources.find((one) => one.file_name === file.name);
      const stored = source && (await hashFile(join(archive, source.file_path)));
      if (stored !== file.sha256) wrong.push(file.name);
    }
    t.strictSame(wrong, [], 'each file is whole');
    const again = await jobIs(client, await queueJob(client, stores), ['COMPLETED']);
    t.equal(again.num_exes, 1, 'jobs can store again');
    await until('every recipe is complete, or stopped by a job that has failed', async () => {
      const recipes = await listed<RecipeRecord>(client, '/v6/recipes/');
      return recipes.every(
        (one) => one.is_completed || (one.jobs_failed > 0 && one.jobs_queued + one.jobs_running === 0),
      );
    });
    t.match(readFileSync('/proc/mounts', 'utf8'), archive);
    t.equal((await jobOf(client, failed.id)).status, 'FAILED', 'what had used up its tries stays failed');
    await checkDisk(t, world, client);
  },
);
