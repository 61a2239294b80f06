/** The sentences of refusals: whatever is wrong with a request, each says first what it is about. */
import t from 'tap';
import { serviceRoutes } from '../../src/api/service.ts';
import type { Route } from '../../src/http/route.ts';
import { brokenOnce } from '../e2e/hostile/broken-bodies.ts';
import { targetOf } from '../e2e/hostile/broken-targets.ts';
import { samplesOf } from '../e2e/hostile/samples.ts';
import { Sender, type Sent } from '../e2e/hostile/sender.ts';
import { guardedService } from '../support/worlds/guarded-service.ts';
import { moreSamples } from './guard/more-samples.ts';

const service = await guardedService(t);
const { facts } = service;
const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0');
const SAMPLES = [...samplesOf(facts, service as never), ...moreSamples(facts)];

/** No JSON, no object, and names that are empty. */
const TEXTS = [
  '',
  '{',
  '[]',
  '[{}]',
  'null',
  '7',
  '"text"',
  '{"":1}',
  '{"":{"":1}}',
  '{"__proto__":1}',
  '{}',
];
const QUERIES = [
  '=1',
  '=',
  '&',
  '%20=1',
  ':=1',
  'page=',
  'page=x&page_size=x',
  'order=',
  'order=-',
  'order=:',
];

function* brokenRequests(): Generator<Sent> {
  for (const { method, path, body } of ROUTES) {
    if (path.startsWith('/api/v6/')) continue;
    const target = targetOf(path, {});
    for (const query of QUERIES)
      yield { method, target: `${target}?${query}`, ...(body ? { body: '{}' } : {}) };
    if (body === undefined) continue;
    for (const text of TEXTS) yield { method, target, body: text };
    // Fields of a body that hold nothing, or what no field is.
    for (const name of Object.keys(body.properties ?? {})) {
      for (const value of [{}, { '': 1 }, [], [[]], '', -1])
        yield { method, target, body: { [name]: value } };
    }
  }
  // test/e2e/hostile/hostile.test.ts sends these under /v6/.
  for (const sample of SAMPLES) {
    for (const { sent } of brokenOnce(sample)) yield { ...sent, target: `/api${sent.target}` };
  }
}

t.test('details: no detail of a problem begins with a colon, under /v6/ and under /api/', async (t) => {
  const sender = new Sender(service.url);
  t.teardown(() => sender.close());
  let refused = 0;
  for (const sent of brokenRequests()) {
    for (const prefix of sent.target.startsWith('/v6/') ? ['', '/api'] : ['']) {
      const target = `${prefix}${sent.target}`;
      const { status, json } = await sender.send({ ...sent, target });
      if (status < 400) continue;
      refused += 1;
      const sentences = [
        json?.detail,
        ...(json?.errors ?? []).map((one: { description: string }) => one.description),
      ];
      for (const sentence of sentences) {
        if (typeof sentence === 'string' && !/^\s*(:|$)/.test(sentence)) continue;
        t.fail(`${sent.method} ${target.slice(0, 200)}: ${JSON.stringify(json).slice(0, 300)}`);
      }
    }
  }
  t.ok(refused > 5_000, `${refused} refusals`);
});
