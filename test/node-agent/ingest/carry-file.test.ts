import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { performIngest } from '../../../node-agent/ingest/ingest-file.ts';
import type { IngestItem, IngestResult } from '../../../node-agent/ingest/ingest-item.ts';
import type { Broker } from '../../../src/storage/broker.ts';
import { createHostBroker } from '../../../src/storage/host.ts';
import { createObjstoreBroker } from '../../../src/storage/s3/objstore.ts';
import { keysOf, type TestBucket, testBucket } from '../../support/s3/bucket.ts';
import { type Cut, cutBefore } from '../../support/s3/s3-cut.ts';
import { needs } from '../../support/services/services.ts';

const PART = 8 * 1_024 * 1_024;
type Kind = 'host' | 'objstore';

/** The simulated end of the process: nothing after it happens either. */
class Crash extends Error {}

class CarryWorld {
  readonly kinds: { readonly from: Kind; readonly to: Kind };
  readonly root: string;
  readonly bucket: TestBucket;
  readonly cut: Cut;
  /** Steps of file calls of the process that runs, and the one that it does not survive. */
  #localSteps = 0;
  #localFault = 0;

  constructor(kinds: CarryWorld['kinds'], root: string, bucket: TestBucket, cut: Cut) {
    this.kinds = kinds;
    this.root = root;
    this.bucket = bucket;
    this.cut = cut;
  }

  static async make(t: Test, from: Kind, to: Kind): Promise<CarryWorld> {
    const root = await mkdtemp(join(tmpdir(), 'millrace-carry-'));
    t.teardown(() => rm(root, { recursive: true, force: true }));
    await Promise.all(['from', 'to'].map((name) => mkdir(join(root, name))));
    const bucket = await testBucket(t);
    return new CarryWorld({ from, to }, root, bucket, await cutBefore(t, bucket.endpoint));
  }

  get isDead(): boolean {
    return this.cut.isCut || (this.#localFault > 0 && this.#localSteps >= this.#localFault);
  }

  /** A process that begins, and ends at a request or at a file call; 0: it does not. */
  begin(requestFault: number, when: 'before' | 'after' = 'before', localFault = 0): void {
    this.cut.at(requestFault, when);
    this.#localSteps = 0;
    this.#localFault = localFault;
  }

  broker(side: 'from' | 'to'): Broker {
    if (this.kinds[side] === 'host') {
      const beforeStep = (): void => {
        this.#localSteps += 1;
        if (this.isDead) throw new Crash();
      };
      return createHostBroker({ workspaceUuid: side, root: join(this.root, side), agentId: 'a', beforeStep });
    }
    const { name, credentials } = this.bucket;
    const keys = { accessKeyId: credentials.access_key_id, secretAccessKey: credentials.secret_access_key };
    return createObjstoreBroker({ bucket: name, endpoint: this.cut.endpoint, keys, retryMs: 1 });
  }

  async put(path: string, content: Buffer): Promise<void> {
    if (this.kinds.from === 'objstore') {
      await this.bucket.client.putObject(this.bucket.name, path, content);
      return;
    }
    await mkdir(dirname(join(this.root, 'from', path)), { recursive: true });
    await writeFile(join(this.root, 'from', path), content);
  }

  async item(path: string, target: string | null, ingestId: number): Promise<IngestItem> {
    const entry = await this.broker('from').stat(path);
    return {
      ingestId,
      executionId: ingestId + 1_000,
      source: { workspace: 'from', path },
      expectedSize: entry?.size ?? 0,
      expectedMtimeMs: entry?.mtimeMs ?? 0,
      expectedIdentity: entry?.identity ?? '',
      target: target === null ? null : { workspace: 'to', path: target },
    };
  }

  /** Undefined when the process ended before it had recorded a result. */
  async perform(
    item: IngestItem,
    signal?: AbortSignal,
    broker = (side: 'from' | 'to') => this.broker(side),
  ): Promise<IngestResult | undefined> {
    const recorded: IngestResult[] = [];
    const ports = {
      reached: async (side: string) => broker(side as 'from' | 'to'),
      nowMs: () => Date.now(),
      recordResult: async (result: IngestResult) => {
        if (this.isDead) throw new Crash();
        recorded.push(result);
      },
    };
    await performIngest(item, ports, signal).catch((error: unknown) => {
      if (!this.isDead) throw error;
    });
    return recorded[0];
  }

  /** Every file of both sides, hidden ones too. */
  async all(): Promise<string[]> {
    const local = await readdir(this.root, { recursive: true, withFileTypes: true });
    const files = local.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const all = await keysOf(this.bucket.client, this.bucket.name);
    // A later agent takes them away.
    const keys = all.filter((key) => !key.startsWith('.millrace-probe-'));
    return [...files.map((path) => path.slice(this.root.length + 1)), ...keys].sort();
  }
}

/** The broker, with something else done before or after the first call of one of its methods. */
function interrupted(
  broker: Broker,
  method: string,
  isAfter: boolean,
  other: () => Promise<unknown>,
): Broker {
  let isDone = false;
  const call = async (value: (...args: unknown[]) => unknown, args: unknown[]): Promise<unknown> => {
    const isFirst = !isDone;
    isDone = true;
    if (isFirst && !isAfter) await other();
    const result = await value.apply(broker, args);
    if (isFirst && isAfter) await other();
    return result;
  };
  return new Proxy(broker, {
    get: (_, key) => {
      const value: unknown = Reflect.get(broker, key, broker);
      if (typeof value !== 'function') return value;
      const own = value as (...args: unknown[]) => unknown;
      return key === method ? (...args: unknown[]) => call(own, args) : own.bind(broker);
    },
  });
}

const CALLS = [
  { side: 'from', method: 'stat' },
  { side: 'from', method: 'openRead' },
  { side: 'to', method: 'storedBy' },
  { side: 'to', method: 'store' },
] as const;

const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['host', 'objstore'],
  ['objstore', 'host'],
  ['objstore', 'objstore'],
];

for (const [from, to] of PAIRS) {
  const where = (path: string) => (to === 'host' ? `to/${path}` : path);

  t.test(`carry: a file from ${from} to ${to} arrives whole, its source goes`, needs('s3'), async (t) => {
    const world = await CarryWorld.make(t, from, to);
    for (const content of [Buffer.alloc(0), Buffer.from('hello'), randomBytes(PART + 77)]) {
      await world.put('in/f', content);
      const item = await world.item('in/f', `out/f${content.length}`, content.length + 1);
      const result = await world.perform(item);
      t.match(result, { outcome: 'stored', size: content.length, place: { path: `out/f${content.length}` } });
      const stored = await buffer(await world.broker('to').openRead(`out/f${content.length}`));
      t.ok(stored.equals(content));
    }
    const expected = ['out/f0', 'out/f5', `out/f${PART + 77}`].map(where);
    t.strictSame(await world.all(), expected.sort());
  });

  t.test(
    `carry: from ${from} to ${to} duplicates stay, other content is set apart, changes are noticed`,
    needs('s3'),
    async (t) => {
      const world = await CarryWorld.make(t, from, to);
      await world.put('a', Buffer.from('one'));
      await world.perform(await world.item('a', 'out', 1));
      await world.put('a', Buffer.from('one'));
      t.match(await world.perform(await world.item('a', 'out', 2)), {
        outcome: 'duplicate',
        place: { path: 'out' },
      });
      t.not(await world.broker('from').stat('a'), undefined, 'the source of a duplicate stays');
      await world.put('a', Buffer.from('two'));
      t.match(await world.perform(await world.item('a', 'out', 3)), {
        outcome: 'stored',
        place: { path: '3/out' },
      });
      await world.put('a', Buffer.from('three'));
      const item = await world.item('a', 'out', 4);
      await world.put('a', Buffer.from('threee'));
      t.match(await world.perform(item), { outcome: 'changed' });
      t.match(await world.perform(await world.item('gone', 'out', 5)), { outcome: 'gone' });
      const canceled = await world.perform(await world.item('a', 'out', 6), AbortSignal.abort());
      t.match(canceled, { outcome: 'canceled' });
      t.equal((await buffer(await world.broker('to').openRead('out'))).toString(), 'one');
      const source = from === 'host' ? 'from/a' : 'a';
      t.strictSame(await world.all(), [source, where('out'), where('3/out')].sort());
    },
  );

  t.test(`carry: two runs that move one file from ${from} to ${to} store it once`, needs('s3'), async (t) => {
    let ingestId = 500;
    for (const { side, method } of CALLS) {
      for (const isAfter of [false, true]) {
        const world = await CarryWorld.make(t, from, to);
        ingestId += 1;
        await world.put('in/f', Buffer.from('content'));
        const item = await world.item('in/f', 'out/f', ingestId);
        const other = () => world.perform(item);
        const result = await world.perform(item, undefined, (one) =>
          one === side ? interrupted(world.broker(one), method, isAfter, other) : world.broker(one),
        );
        const at = `${isAfter ? 'after' : 'before'} ${method}`;
        t.match(result, { outcome: 'stored', place: { path: 'out/f' } }, at);
        t.strictSame(await world.all(), [where('out/f')], at);
      }
    }
  });

  t.test(
    `carry: a crash at any step from ${from} to ${to} loses nothing and doubles nothing`,
    needs('s3'),
    async (t) => {
      const world = await CarryWorld.make(t, from, to);
      let ingestId = 10;
      const tryOut = async (
        content: Buffer,
        step: number,
        when: 'before' | 'after' | 'local',
      ): Promise<boolean> => {
        ingestId += 1;
        const path = `out/${ingestId}`;
        await world.put('in/f', content);
        world.begin(0);
        const item = await world.item('in/f', path, ingestId);
        world.begin(
          when === 'local' ? 0 : step,
          when === 'local' ? 'before' : when,
          when === 'local' ? step : 0,
        );
        const first = await world.perform(item);
        const isOver = !world.isDead;
        const last = world.cut.requests.at(-1);
        world.begin(0);
        // A result that was recorded is finished, one that was not is come to again.
        const again = await world.perform(item);
        const result = first?.outcome === 'stored' ? first : again;
        const at = `${when} ${step} (${last}) of ${content.length} bytes`;
        t.match(result, { outcome: 'stored', place: { path } }, at);
        t.ok((await buffer(await world.broker('to').openRead(path))).equals(content), `whole: ${at}`);
        t.strictSame(
          (await world.all()).filter((one) => !one.includes('out/')),
          [],
          `nothing else: ${at}`,
        );
        t.strictSame(
          (await world.all()).filter((one) => one.includes(String(ingestId))),
          [where(path)],
          at,
        );
        return isOver;
      };
      const small = Buffer.from('small');
      // How a bucket is stored to does not depend on where the content comes from.
      const cuts = from === to ? (['after'] as const) : (['before', 'after', 'local'] as const);
      for (const when of cuts) {
        for (let step = 1; step < 60 && !(await tryOut(small, step, when)); step += 1);
      }
      if (to === 'host' || from === to) return;
      const large = randomBytes(PART + 1);
      for (let step = 1; step < 60 && !(await tryOut(large, step, 'after')); step += 1);
    },
  );
}

t.test('carry: a file that stays in its bucket is hashed there', needs('s3'), async (t) => {
  const world = await CarryWorld.make(t, 'objstore', 'objstore');
  await world.put('a', Buffer.from('hello world'));
  const result = await world.perform(await world.item('a', null, 1));
  t.match(result, {
    outcome: 'stored',
    place: { workspace: 'from', path: 'a' },
    sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
    spentIdentity: '',
  });
  t.strictSame(await world.all(), ['a']);
});
