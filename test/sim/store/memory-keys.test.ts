/** The simulated database treats idempotency keys like the real one. */
import t from 'tap';
import { AppError } from '../../../src/domain/errors.ts';
import { type KeyStore, keyStore, type StoredAnswer } from '../../../src/store/idempotency/keys.ts';
import { KeyDraws } from '../../conformance/key-draws.ts';
import { MemoryCluster } from '../../support/fakes/memory-leases.ts';
import { memoryKeys } from './answer-rows.ts';
import { applyBoth, beginTwins } from './twins.ts';

const SEEDS = [1, 3, 4];
const STEPS = 250;
/** The last of them has died. */
const COORDINATORS = ['c-1', 'c-2', 'c-dead'];

/** The fields that both have: the simulated store keeps only the id of a record. */
function plain(answer: StoredAnswer | undefined): unknown {
  if (answer === undefined) return 'nothing';
  const { fingerprint, status, location, warning, record } = answer;
  const { id = null } = (record ?? {}) as { readonly id?: number };
  return { status, location, warning, fingerprint: Buffer.from(fingerprint).toString(), id };
}

async function said(answer: Promise<StoredAnswer | undefined>): Promise<unknown> {
  return answer.then(plain, (error: unknown) => {
    if (error instanceof AppError) return error.code;
    throw error;
  });
}

const seen = new Map<string, number>();

function note(answer: unknown): void {
  const what = typeof answer === 'string' ? answer : 'an answer';
  seen.set(what, (seen.get(what) ?? 0) + 1);
}

for (const seed of SEEDS) {
  t.test(`memory store: it treats the idempotency keys of seed ${seed} like the real one`, async (t) => {
    const twins = await beginTwins(t);
    const { real, memory } = twins;
    const cluster = new MemoryCluster(() => 0);
    const ports = new Map<string, readonly [KeyStore, KeyStore]>();
    for (const id of COORDINATORS) {
      const expires = id === 'c-dead' ? '-1 hour' : '1 hour';
      if (id !== 'c-dead')
        await cluster.port().register(id, { httpAddress: '', grpcAddress: '', version: '' });
      await real.rows(
        `insert into coordinator (id, version, started, expires) values ($1, '1', now(), now() + $2::interval)`,
        [id, expires],
      );
      const world = {
        store: memory,
        nowMs: () => 0,
        hasSeat: (one: string) => cluster.hasSeat(one),
        run: async <T>(statement: () => T) => statement(),
      };
      ports.set(id, [keyStore(real.db.sql, id), memoryKeys(world, id)]);
    }
    const draws = new KeyDraws(seed, twins.ground);
    for (let at = 0; at < STEPS; at++) {
      const { random } = draws;
      if (random.chance(0.5)) {
        note(await applyBoth(twins, draws.group(), (...differs) => t.same(...differs)));
        continue;
      }
      if (random.chance(0.03)) {
        // A step of the clock: forward past all claims, or back before them.
        const minutes = random.pick([-10, 10]) ?? 10;
        await real.rows(`update idempotency_claim set expires = expires + $1::interval`, [`${minutes} min`]);
        memory.transact(({ claims }) => {
          for (const { id, expiresMs } of claims.rows.values())
            claims.patch(id, { expiresMs: expiresMs + minutes * 60_000 });
        });
      }
      const [theirs, ours] = ports.get(random.pick(COORDINATORS) ?? '') ?? [];
      const name = draws.name();
      const does = random.chance(0.6) ? 'claim' : 'release';
      const wanted = await said(theirs?.[does](name) ?? Promise.reject(new Error('no coordinator')));
      const found = await said(ours?.[does](name) ?? Promise.reject(new Error('no coordinator')));
      t.same(found, wanted, `${does} ${JSON.stringify(name)}`);
      note(wanted);
    }
  });
}

t.test('memory store: all kinds of answers occurred', async (t) => {
  for (const what of ['an answer', 'nothing', 'IDEMPOTENCY_KEY_IN_USE', 'TurnRefused'])
    t.ok((seen.get(what) ?? 0) > 10, `${what}: ${seen.get(what)}`);
});
