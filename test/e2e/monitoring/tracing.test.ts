/** A coordinator and an agent with a collector: one trace per recipe, from the file or the call to the products. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { otlpReceiver, type ReceivedSpan } from '../../support/otlp-receiver.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

const TRACE_PARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

t.test('tracing: a recipe has one trace, from the file to its product', async (t) => {
  const receiver = await otlpReceiver(t);
  const { client, world, agent } = await startPair(t, {
    coordinator: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
    },
  });
  const folder = (name: string): string => {
    const path = join(world.seenByTasks, name);
    mkdirSync(path);
    return path;
  };
  const arrivals = folder('traced-arrivals');
  for (const [title, path] of [
    ['Traced arrivals', arrivals],
    ['Traced products', folder('traced-products')],
  ] as const) {
    await client.post('/v6/workspaces/', {
      title,
      configuration: { broker: { type: 'host', host_path: path } },
    });
  }
  await createJobType(client, {
    name: 'tell',
    script: 'echo $TRACEPARENT >$OUTPUT_DIR/parent.txt',
    inputs: [{ name: 'IN' }],
    outputs: [{ name: 'OUT', pattern: '*.txt' }],
    workspace: 'traced-products',
  });
  const failing = await createJobType(client, { name: 'fail', script: 'exit 3', maxTries: 1 });
  await client.post('/v6/recipe-types/', {
    title: 'Traced',
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: {
        tell: {
          dependencies: [],
          input: { IN: { type: 'recipe', input: 'FILE' } },
          node_type: { node_type: 'job', job_type_name: 'tell', job_type_version: '1.0.0' },
        },
      },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Traced',
    configuration: {
      workspace: 'traced-arrivals',
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [{ filename_regex: '.*txt' }],
      recipe: { name: 'traced' },
    },
  });
  writeFileSync(join(arrivals, 'one.txt'), 'one');
  await until(
    'the recipe is complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === 1,
  );
  const jobId = await queueJob(client, failing);
  await jobIs(client, jobId, ['FAILED']);

  const named = (name: string): ReceivedSpan | undefined => receiver.spans.find((span) => span.name === name);
  await until('all spans have come', () => {
    const wanted = ['start recipe traced', 'ingest', 'commit', 'recipe traced', 'job tell', 'job fail'];
    if (!wanted.every((name) => named(name) !== undefined)) return false;
    const { traceId } = named('start recipe traced') as ReceivedSpan;
    return receiver.spans.filter((span) => span.traceId === traceId).length >= 10;
  });

  const root = named('start recipe traced') as ReceivedSpan;
  const job = named('job tell') as ReceivedSpan;
  const below = (parent: ReceivedSpan) =>
    receiver.spans.filter(({ parentId }) => parentId === parent.spanId).map(({ name }) => name);
  t.equal(root.parentId, '', 'the trace begins with the file');
  t.equal(root.kind, 5, 'a consumer');
  t.strictSame(below(root).sort(), ['commit', 'ingest', 'job tell', 'recipe traced']);
  t.strictSame(below(job), ['launch', 'pull', 'pre', 'main', 'post']);
  const trace = receiver.spans.filter(({ traceId }) => traceId === root.traceId);
  t.equal(trace.length, 10, 'nothing else is of this trace');
  t.equal(new Set(trace.map(({ spanId }) => spanId)).size, trace.length, 'each span came once');
  for (const { name, startMs, endMs } of trace)
    t.ok(startMs <= endMs && startMs > 1.7e12, `times of ${name}`);
  t.match(named('ingest')?.attributes, { 'millrace.file.name': 'one.txt' });
  t.match(job, {
    attributes: { 'millrace.job.type': 'tell', 'millrace.node': 'host-1', 'millrace.status': 'COMPLETED' },
    statusCode: 1,
    resource: { 'service.name': 'millrace' },
    events: [{ name: 'placed' }, { name: 'product', attributes: { 'millrace.file.path': /parent\.txt$/ } }],
  });

  const [product] = (await client.get<{ results: { id: number }[] }>('/v6/files/?file_type=PRODUCT')).results;
  const told = await (await fetch(new URL(`/v6/files/${product?.id}/content/`, client.base))).text();
  t.match(told.trim(), TRACE_PARENT);
  const main = trace.find(({ name }) => name === 'main') as ReceivedSpan;
  t.equal(told.trim(), `00-${root.traceId}-${main.spanId}-01`, 'the task gets the span of its main phase');

  const failed = named('job fail') as ReceivedSpan;
  t.match(failed, { statusCode: 2, parentId: '', attributes: { 'millrace.status': 'FAILED' } });
  t.not(failed.traceId, root.traceId, 'a job without a recipe has a trace of its own');
  const line = agent.log.split('\n').find((text) => text.includes('"task_failed"')) ?? '{}';
  t.equal(JSON.parse(line).trace_id, failed.traceId, 'the log of the agent names it');

  t.match(receiver.requests[0], { path: '/v1/traces', headers: { 'x-tenant': 'a b' } });
});

t.test('tracing: the trace of a caller is continued, down to the task', async (t) => {
  const receiver = await otlpReceiver(t);
  const { client, coordinator } = await startPair(t, {
    coordinator: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, MILLRACE_LOG_LEVEL: 'debug' },
  });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const spanId = '00f067aa0ba902b7';
  const job_type_id = await createJobType(client, {
    name: 'tell',
    script: 'echo "{\\"PARENT\\": \\"$TRACEPARENT\\"}" >$OUTPUT_DIR/seed.outputs.json',
    outputsJson: [{ name: 'PARENT', type: 'string' }],
  });
  const { id: recipe_type_id } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Called',
    definition: {
      input: {},
      nodes: {
        tell: {
          dependencies: [],
          input: {},
          node_type: { node_type: 'job', job_type_name: 'tell', job_type_version: '1.0.0' },
        },
      },
    },
  });
  const call = async (path: string, body: object, traceparent: string) => {
    const headers = { 'content-type': 'application/json', traceparent };
    const answer = await fetch(new URL(path, client.base), {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    t.equal(answer.status, 201);
    return (await answer.json()) as { readonly id: number };
  };
  const input = { files: {}, json: {} };
  const parent = `00-${traceId}-${spanId}-01`;
  const { id: jobId } = await call('/v6/jobs/', { job_type_id, input }, parent);
  await call('/v6/recipes/', { recipe_type_id, input }, parent);
  await jobIs(client, jobId, ['COMPLETED']);
  const called = () => receiver.spans.filter((span) => span.traceId === traceId);
  const topmost = () => called().filter((span) => span.parentId === spanId);
  // Those of the job, and of the recipe and its job, come in any order.
  await until('the spans have come', () => {
    const names = called().map(({ name }) => name);
    const mainCount = names.filter((name) => name === 'main').length;
    return names.includes('recipe called') && topmost().length >= 2 && mainCount === 2;
  });
  t.strictSame(
    topmost()
      .map(({ name }) => name)
      .sort(),
    ['job tell', 'start recipe called'],
  );
  t.equal(new Set(called().map((span) => span.spanId)).size, called().length, 'each span has its own id');
  const { output } = await client.get<{ output: { json: { PARENT: string } } }>(`/v6/jobs/${jobId}/`);
  const [, told, main] = output.json.PARENT.split('-');
  t.equal(told, traceId, 'the task continues it');
  t.equal(called().find((span) => span.spanId === main)?.name, 'main');
  const lines = coordinator.log.split('\n').filter((line) => line.includes('"http_request"'));
  const posted = lines.filter((line) => line.includes(`"trace_id":"${traceId}"`));
  t.equal(posted.length, 2, 'the log names it with both requests');

  for (const wrong of ['nonsense', `00-${'0'.repeat(32)}-${spanId}-01`, `ff-${traceId}-${spanId}-01`]) {
    const { id } = await call('/v6/jobs/', { job_type_id, input }, wrong);
    await jobIs(client, id, ['COMPLETED']);
    const { output } = await client.get<{ output: { json: { PARENT: string } } }>(`/v6/jobs/${id}/`);
    t.match(output.json.PARENT, TRACE_PARENT);
    t.notMatch(output.json.PARENT, traceId, `${wrong} is ignored`);
  }
});

t.test('tracing: without a collector a task gets no trace variables', async (t) => {
  const { client, world, coordinator } = await startPair(t);
  const script = 'test -z "$TRACEPARENT"';
  const id = await queueJob(client, await createJobType(client, { name: 'untold', script }));
  const job = await jobIs(client, id, ['COMPLETED', 'FAILED']);
  t.equal(job.status, 'COMPLETED', world.folder);
  t.notMatch(coordinator.log, /spans_unread/);
});
