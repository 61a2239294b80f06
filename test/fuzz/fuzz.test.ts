import t from 'tap';
import { serviceRoutes } from '../../src/api/service.ts';
import { type OpenApiDocument, openApi } from '../../src/http/openapi.ts';
import { tablesWith } from '../e2e/harness/leaks.ts';
import { seeded } from '../e2e/harness/work/seeded.ts';
import { clientOf } from '../e2e/harness/world.ts';
import { installation } from '../e2e/hostile/installation.ts';
import { samplesOf } from '../e2e/hostile/samples.ts';
import type { InterfaceClient } from '../support/clients/interface-client.ts';
import { type Campaign, runCampaign } from './campaign.ts';
import { underBoth } from './client-dialect.ts';
import { FuzzRequests } from './fuzz-requests.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const TOLD_MAX = 20;
const CANARY = 'canary-31f0';
/** More would be a leak: the bodies, revisions and lists of single requests need far less. */
const GROWTH_MIB_MAX = 700;

/** Creates secrets that answers must not show. */
async function plant(client: InterfaceClient): Promise<void> {
  const credentials = { access_key_id: `${CANARY}-id`, secret_access_key: `${CANARY}-key` };
  const broker = { type: 'objstore', bucket_name: 'a-bucket', endpoint: 'http://127.0.0.1:1', credentials };
  await client.post('/v6/workspaces/', { title: 'Canary', configuration: { broker } });
  const monitor = { type: 'objstore', queue_name: 'q', credentials };
  const rules = { files_to_ingest: [{ filename_regex: '.*' }], recipe: { name: 'demo-recipe' } };
  const configuration = { workspace: 'canary', monitor, ...rules };
  await client.post('/v6/strikes/', { title: 'Canary', configuration });
}

t.test('fuzzing: no operation fails, reveals a secret, or leaks memory', async (t) => {
  const service = await installation(t);
  const { program } = service;
  const client = clientOf(program);
  await plant(client);
  // This document describes everything that is served; the one for clients has only the interface.
  const document = openApi(serviceRoutes('0.0.0'), '0.0.0');
  const told = await client.get<OpenApiDocument>('/v6/openapi.json');
  const missing = Object.keys(document.paths).filter(
    (path) => path.startsWith('/v6/') && !(path in told.paths),
  );
  t.strictSame(missing, []);
  const samples = underBoth(samplesOf(service.facts, service.world));
  const requests = new FuzzRequests(seeded(t), document, samples);
  const { url, pid } = program;
  const onProgress: Campaign['onProgress'] = (sent, { complaints, memory }) =>
    // Not a comment of the test, which would appear only at its end: a long run shows its progress.
    process.stderr.write(
      `${sent} sent, ${complaints.length} wrong, ${memory.mostMiB} MiB at most ${complaints.at(-1) ?? ''}\n`,
    );
  const found = await runCampaign({ requests, count: REQUESTS, secrets: [CANARY], pid, url, onProgress });

  const { memory, slowest, perSecond, succeeded, tried } = found;
  t.comment(`${REQUESTS} requests, ${perSecond}/s, by status: ${JSON.stringify([...found.statuses].sort())}`);
  t.comment(
    `${requests.operationCount} operations, ${tried.size} tried, ${succeeded.size} succeeded at least once`,
  );
  t.comment(
    `resident: ${memory.beforeMiB} MiB before, ${memory.mostMiB} MiB at most; slowest: ${slowest.ms} ms`,
  );
  t.comment(slowest.what);
  t.strictSame(found.complaints.slice(0, TOLD_MAX), [], `${found.complaints.length} answers are wrong`);
  t.notOk(program.hasExited, 'it still runs');
  t.ok(memory.mostMiB - memory.beforeMiB < GROWTH_MIB_MAX, `${memory.mostMiB} MiB`);
  const failures = service.logged().filter(({ event, level }) => {
    return level === 'error' || level === 'fatal' || event === 'http_exchange_broken';
  });
  t.strictSame(failures.slice(0, TOLD_MAX), [], 'nothing failed');
  t.notMatch(program.log, CANARY, 'the log shows no secret');
  t.strictSame(await tablesWith(service.database, CANARY), [], 'nor does the database');
  t.ok(succeeded.size > requests.operationCount / 3, 'requests go deep');
});
