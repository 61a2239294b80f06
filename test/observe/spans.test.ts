import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { openSpans } from '../../src/observe/spans.ts';
import { otlpReceiver } from '../support/otlp-receiver.ts';

const SRC = join(import.meta.dirname, '../../src');

/** The paths of all modules that an import loads. */
function loadedBy(path: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({
      resolve(name, context, next) {
        const found = next(name, context);
        urls.push(found.url);
        return found;
      },
    });
    await import(${JSON.stringify(join(SRC, path))});
    process.stdout.write(urls.join('\\n'), () => process.exit());`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (stdout === '') throw new Error(stderr);
  return stdout.split('\n');
}

t.test('spans: a coordinator loads nothing of OpenTelemetry until it has a collector', async (t) => {
  const isOfTracing = (url: string): boolean => url.includes('/@opentelemetry/');
  const coordinator = loadedBy('coordinator/coordinator.ts');
  t.ok(coordinator.some((url) => url.endsWith('/monitoring/observed.ts')));
  // prom-client depends on the API package of OpenTelemetry, which traces nothing.
  t.strictSame(
    coordinator.filter((url) => isOfTracing(url) && !url.includes('/@opentelemetry/api/')),
    [],
  );
  t.ok(loadedBy('coordinator/monitoring/tracing.ts').some(isOfTracing), 'with a collector it does');
});

const SPAN = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'work',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.5,
  attributes: { 'millrace.job.id': 2 ** 40, 'millrace.node': 'höst', isFine: true },
};

t.test('spans: they arrive at the collector in the form of OTLP', async (t) => {
  const { endpoint, spans } = await otlpReceiver(t);
  const sender = openSpans({ endpoint: `${endpoint}/`, headers: {}, version: '1.2.3', self: 'c-1' });
  sender.send(SPAN);
  const parentId = SPAN.spanId;
  const events = [{ name: 'placed', atMs: SPAN.startMs, attributes: { node: 'a' } }];
  sender.send({ ...SPAN, spanId: '00f067aa0ba902b7', parentId, events, error: 'bad-data', endMs: 0 });
  await sender.close();

  t.equal(spans.length, 2);
  t.match(spans[0], {
    ...{ traceId: SPAN.traceId, spanId: SPAN.spanId, parentId: '', name: 'work', kind: 1 },
    ...{ startMs: SPAN.startMs, endMs: SPAN.endMs, attributes: SPAN.attributes, statusCode: 1, events: [] },
    resource: { 'service.name': 'millrace', 'service.version': '1.2.3', 'service.instance.id': 'c-1' },
  });
  t.match(spans[1], {
    ...{ parentId, statusCode: 2, statusMessage: 'bad-data', endMs: SPAN.startMs },
    events: [{ name: 'placed', attributes: { node: 'a' } }],
  });
});

t.test('spans: closing does not wait for a collector that is away', async (t) => {
  const nobody = 'http://127.0.0.1:1'; // a reserved port that nothing listens on
  const sender = openSpans({ endpoint: nobody, headers: {}, version: '1.2.3', self: 'c-1' });
  sender.send(SPAN);
  await sender.close();
  t.pass();
});
