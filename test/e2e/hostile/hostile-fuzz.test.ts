import t from 'tap';
import type { OpenApiDocument } from '../../../src/http/openapi.ts';
import { until } from '../harness/until.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf } from '../harness/world.ts';
import { shapeComplaint } from './broken-bodies.ts';
import { type Installation, installation } from './installation.ts';
import { RandomRequests } from './random-requests.ts';
import { samplesOf } from './samples.ts';
import { type Answer, Sender, type Sent } from './sender.ts';

const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 1_500);
const RUNS = 3;
const BATCH = 250;
const TOLD_MAX = 20;

t.test('hostile requests: the service works on through random requests and kills', async (t) => {
  const service = await installation(t);
  const document = await clientOf(service.program).get<OpenApiDocument>('/v6/openapi.json');
  const requests = new RandomRequests(seeded(t), samplesOf(service.facts, service.world), document);
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  for (let run = 0; run < RUNS; run += 1) {
    if (run > 0) await service.restart();
    const sender = new Sender(service.program.url);
    for (let sentCount = 0; sentCount < REQUESTS / RUNS; sentCount += BATCH) {
      const all = Array.from({ length: BATCH }, () => requests.next());
      const answers = await sender.sendAll(all);
      for (const [index, answer] of answers.entries()) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const says = complaint(all[index] as Sent, answer);
        if (says !== undefined) wrong.push(says);
      }
    }
    sender.close();
    t.notOk(service.program.hasExited, `run ${run}: it runs on`);
  }
  t.comment(JSON.stringify([...statuses].sort()));
  t.strictSame(wrong.slice(0, TOLD_MAX), [], `${wrong.length} answers of ${REQUESTS} are wrong`);
  const failures = service.logged().filter(({ event, level }) => {
    return level === 'error' || level === 'fatal' || event === 'http_exchange_broken';
  });
  t.strictSame(failures.slice(0, TOLD_MAX), [], 'nothing failed');
  await worksOn(service);
  t.pass('a job goes all its way');
});

function complaint({ method, target, body }: Sent, answer: Answer): string | undefined {
  const { status, text } = answer;
  // Until the leases of a coordinator that was killed lapse, nobody owns its work, and it says so.
  const isUnowned = status === 503 && answer.headers['retry-after'] !== undefined;
  const isAnswered = (status >= 200 && status < 500) || isUnowned;
  const shape = status >= 400 && method !== 'HEAD' ? shapeComplaint(answer) : undefined;
  if (isAnswered && shape === undefined) return undefined;
  return `${method} ${target} ${JSON.stringify(body)?.slice(0, 1_500)}: ${status} ${text.slice(0, 300)}`;
}

/** After all that, somebody sets the cluster right and queues a job. */
async function worksOn(service: Installation): Promise<void> {
  const client = clientOf(service.program);
  await client.patch('/v6/scheduler/', { is_paused: false, queue_mode: 'LIFO' });
  const nodes = await client.get<{ results: { id: number }[] }>('/v6/nodes/');
  for (const { id } of nodes.results)
    await client.patch(`/v6/nodes/${id}/`, { is_paused: false, is_active: true });
  const type = await client.post<{ id: number }>('/v6/job-types/', {
    container_image: 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name: 'afterwards', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'x', description: 'x' },
        ...{ maintainer: { name: 'A', email: 'a@example.com' }, timeout: 60, interface: { command: 'true' } },
        resources: { scalar: [{ name: 'cpus', value: 0.1 }] },
      },
    },
    configuration: { priority: 1 },
  });
  const job = await client.post<{ id: number }>('/v6/jobs/', { job_type_id: type.id, input: {} });
  await until('the job is completed', async () => {
    return (await client.get<{ status: string }>(`/v6/jobs/${job.id}/`)).status === 'COMPLETED';
  });
}
