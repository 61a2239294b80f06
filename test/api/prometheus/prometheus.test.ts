import t from 'tap';
import { prometheusApp } from '../../../src/api/prometheus/service.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { Secret } from '../../../src/lib/secret.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';

const SELF = 'here';
const DOWN = {
  execute: () => Promise.reject(new AppError('STORE_UNAVAILABLE', 'the database is away')),
} as unknown as Sql;

function world(over: Partial<Parameters<typeof prometheusApp>[0]> = {}) {
  const logged: string[] = [];
  const app = prometheusApp({
    ...{ sql: DOWN, self: SELF, metricsToken: undefined },
    system: { ownerOf: () => ({ id: SELF, httpAddress: '', grpcAddress: '', version: '' }) },
    metrics: { coordinatorText: async () => 'of_this 1\n', clusterText: async () => 'of_all 1\n' },
    log: { warn: (event) => void logged.push(event) },
    ...over,
  });
  return { app, logged };
}

t.test(
  'prometheus: without the database a coordinator reports its own metrics, and why no others',
  async (t) => {
    const { app, logged } = world();
    t.equal(await app.scrape(undefined), 'of_this 1\n');
    t.strictSame(logged, ['cluster_figures_unread']);
  },
);

t.test('prometheus: a coordinator that does not own the scheduler reads no cluster metrics', async (t) => {
  const { app, logged } = world({ system: { ownerOf: () => undefined } });
  t.equal(await app.scrape(undefined), 'of_this 1\n');
  t.strictSame(logged, []);
});

t.test('prometheus: a configured token is required', async (t) => {
  const { app } = world({ metricsToken: new Secret('sixteen characters') });
  await t.rejects(app.scrape(undefined), { code: 'UNAUTHENTICATED' });
  await t.rejects(app.scrape('Bearer sixteen'), { code: 'UNAUTHENTICATED' });
  const basic = Buffer.from('prometheus:sixteen characters').toString('base64');
  t.equal(await app.scrape(`Basic ${basic}`), 'of_this 1\n');
});
