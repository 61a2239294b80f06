/**
 * What the translation for clients of the public system costs: pages of 1,000 records a second through the dispatcher,
 * under `/v6/` and under `/api/v6/`, their records at hand, so that nothing but the way through the interface is
 * measured.
 */
import { withCursor } from '../src/api/changes/cursor-header.ts';
import { compatRoutes } from '../src/api/compat/compat-routes.ts';
import type { ApiParts } from '../src/api/parts.ts';
import { apiRoutes } from '../src/api/resources.ts';
import { type Paging, toPage } from '../src/http/request/paging.ts';
import { type Route, reply } from '../src/http/route.ts';
import { makeCaller } from '../test/support/http.ts';
import { runBench } from './harness/bench.ts';
import { OWN_METER, rate } from './harness/meter.ts';

const PAGE = 1_000;

const type = {
  ...{ id: 1, name: 'counter', version: '1.0.0', title: 'Counter', description: 'Counts', is_active: true },
  ...{ is_paused: false, is_published: true, icon_code: 'f186', unmet_resources: null, is_system: false },
};
const jobs = Array.from({ length: PAGE }, (_, at) => ({
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
const jobTypes = Array.from({ length: PAGE }, (_, at) => ({
  ...{ ...type, id: at + 1, container_image: 'counter:1', revision_num: 1, max_scheduled: null },
  ...{
    created: '2026-01-01T00:00:00Z',
    deprecated: null,
    paused: null,
    last_modified: '2026-01-01T00:00:00Z',
  },
}));
const RECORDS = new Map<string, readonly object[]>([
  ['/v6/jobs/', jobs],
  ['/v6/job-types/', jobTypes],
]);

/** The route of a list with its records at hand instead of the store's. */
function atHand(route: Route<ApiParts>): Route<ApiParts> {
  const results = route.method === 'GET' ? RECORDS.get(route.path) : undefined;
  if (results === undefined) return route;
  return {
    ...route,
    handle: ({ request, query }) =>
      reply(200, toPage(request, (query as { paging: Paging }).paging, { count: PAGE, results })),
  };
}

const routes = apiRoutes('1.0.0').map(atHand);
const changes = { position: async () => '0123456789ab-1' };
const { call } = makeCaller([...routes.map(withCursor), ...compatRoutes(routes)], { changes } as never, {
  isCheckingReplies: false,
});

async function pages(count: number, target: string): Promise<void> {
  for (let page = 0; page < count; page += 1) {
    const { status } = await call('GET', target);
    if (status !== 200) throw new Error(`${target}: ${status}`);
  }
}

await runBench(import.meta.filename, async (bench) => {
  const count = bench.parameter('pages', 1, 200);
  for (const list of [`jobs/?page_size=${PAGE}`, `job-types/?page_size=${PAGE}`]) {
    await bench.compare({
      ...{ title: list, unit: 'pages/s', each: 'page' },
      subjects: ['/v6/', '/api/v6/'].map((prefix) => ({
        name: prefix,
        work: () => rate(count, OWN_METER, () => pages(count, prefix + list)),
      })),
    });
  }
});
