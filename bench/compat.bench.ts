/**
 * What the translation for clients of the public system costs: a page of 1,000 records through the dispatcher, under
 * `/v6/` and under `/api/v6/`, its records at hand, so that nothing but the way through the interface is measured.
 * `node bench/compat.bench.ts [smoke]` prints the table. Both are asked in turn, and the best round of each counts.
 */
import { serviceRoutes } from '../src/http/service.ts';
import { makeCaller } from '../test/support/http.ts';

const isSmoke = process.argv.includes('smoke');
const RECORDS = isSmoke ? 10 : 1_000;
const ROUNDS = isSmoke ? 1 : 400;

const type = {
  ...{ id: 1, name: 'counter', version: '1.0.0', title: 'Counter', description: 'Counts', is_active: true },
  ...{ is_paused: false, is_published: true, icon_code: 'f186', unmet_resources: null, is_system: false },
};
const jobs = Array.from({ length: RECORDS }, (_, at) => ({
  ...{ id: at + 1, job_type: type, job_type_rev: { id: 1, job_type: { id: 1 }, revision_num: 1 } },
  event: {
    id: at,
    type: 'INGEST',
    rule: null,
    occurred: '2026-01-01T00:00:00Z',
    description: { ingest_id: at },
  },
  ...{ recipe: null, batch: null, is_superseded: false, status: 'COMPLETED', error: null, num_exes: 1 },
  ...{
    node: { id: 1, hostname: 'host-1' },
    input_file_size: 1.5,
    input_files: { INPUT: [`scene_${at}.tif`] },
  },
  ...{ created: '2026-01-01T00:00:00Z', queued: '2026-01-01T00:00:00Z', started: '2026-01-01T00:00:00Z' },
  ...{ ended: '2026-01-01T00:00:00Z', last_modified: '2026-01-01T00:00:00Z', superseded_job: null },
}));
const jobTypes = Array.from({ length: RECORDS }, (_, at) => ({
  ...{ ...type, id: at + 1, container_image: 'counter:1', revision_num: 1, max_scheduled: null },
  ...{
    created: '2026-01-01T00:00:00Z',
    deprecated: null,
    paused: null,
    last_modified: '2026-01-01T00:00:00Z',
  },
}));
const listOf = (results: readonly object[]) => ({ list: async () => ({ count: RECORDS, results }) });
const deps = { jobs: listOf(jobs), jobTypes: listOf(jobTypes) };
const { call } = makeCaller(serviceRoutes('1.0.0'), deps as never, { isCheckingReplies: false });

async function measureMs(target: string): Promise<number> {
  const startedMs = performance.now();
  const { status } = await call('GET', target);
  if (status !== 200) throw new Error(`${target}: ${status}`);
  return performance.now() - startedMs;
}

async function compare(list: string): Promise<void> {
  const targets = ['/v6/', '/api/v6/'].map((prefix) => `${prefix}${list}`);
  const best = targets.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, target] of targets.entries()) {
      best[at] = Math.min(best[at] ?? 0, await measureMs(target));
    }
  }
  const [plain = 0, translated = 0] = best;
  const more = ((translated / plain - 1) * 100).toFixed(1);
  const figures = `${plain.toFixed(2).padStart(8)} ms ${translated.toFixed(2).padStart(8)} ms ${more.padStart(7)} %`;
  process.stdout.write(`${list.padEnd(32)} ${figures}\n`);
}

process.stdout.write(`${'a page, read as JSON by its caller'.padEnd(32)}     /v6/    /api/v6/    more\n`);
await compare('jobs/?page_size=1000');
await compare('job-types/?page_size=1000');
