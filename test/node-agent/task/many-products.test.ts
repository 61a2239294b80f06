/** Products of one execution are stored a few at a time, and what comes of it is as if they were one after another. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../node-agent/clock.ts';
import { DocumentReader } from '../../../node-agent/documents/document-reader.ts';
import { createNoopExecutor } from '../../../node-agent/executor/noop.ts';
import { captureOutputs, discardProducts } from '../../../node-agent/task/hooks/post.ts';
import { taskFolder } from '../../../node-agent/task/task-folder.ts';
import { readSpec } from '../../../node-agent/task/task-spec.ts';
import type { Workspaces } from '../../../node-agent/workspaces.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile } from '../../support/agent/make-launch.ts';
import { silentLog as log } from '../../support/silent-log.ts';

const AT_ONCE = 4;
const KIB = 1024;

interface Held {
  readonly path: string;
  release(): void;
  fail(error: Error): void;
}

/** A workspace whose files are stored and removed when the test says so. */
class SlowBroker {
  readonly stored: string[] = [];
  readonly removed: string[] = [];
  /** Path and id. */
  readonly abandoned: string[] = [];
  /** Under way, in the order in which they began. */
  readonly held: Held[] = [];
  begun = 0;

  async store(_content: unknown, path: string): Promise<object> {
    await this.#until(path);
    this.stored.push(path);
    return { path, size: 1, sha256: 'a'.repeat(64), mtimeMs: 1, isDuplicate: false };
  }

  async remove(path: string): Promise<string> {
    await this.#until(path);
    this.removed.push(path);
    return 'removed';
  }

  async abandon(path: string, id: string, isStored: boolean): Promise<void> {
    if (isStored) this.abandoned.push(`${path} ${id}`);
  }

  /** Lets through what comes, until `work` has ended. */
  async letAllThrough<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    while (!isDone) {
      this.held
        .splice(0)
        .reverse()
        .forEach(({ release }) => {
          release();
        });
      await new Promise((resolve) => setImmediate(resolve));
    }
    return work;
  }

  #until(path: string): Promise<void> {
    this.begun += 1;
    return new Promise((release, fail) => this.held.push({ path, release, fail }));
  }
}

async function begin(t: Test, files: Readonly<Record<string, string>>, patterns = ['*.bin']) {
  const root = t.testdir({ output: {} });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, 'output', path, '..'), { recursive: true });
    await writeFile(join(root, 'output', path), text);
  }
  const declared = patterns.map((pattern, index) => outputFile(`OUT${index}`, pattern, { multiple: true }));
  const workspace = hostWorkspace('/nowhere');
  const targets = declared.map(({ name }) => ({ output: name, workspaceUuid: workspace.uuid }));
  const launch = makeLaunch(7, {
    interface: { outputs: { files: declared, json: [] } },
    launch: { workspaces: [workspace], outputs: targets },
  });
  const { executionId, jobId, exeNum, jobTypeName, jobTypeVersion, containerImage: image } = launch;
  const task = {
    executionId,
    jobId,
    exeNum,
    jobTypeName,
    jobTypeVersion,
    image,
    folder: taskFolder(root),
    logBytesMax: 1024,
  };
  const broker = new SlowBroker();
  const documents = new DocumentReader(systemClock);
  t.teardown(() => documents.close());
  const stop = new AbortController();
  const request = {
    ...{ task, documents, log, clock: systemClock, signal: stop.signal, spec: readSpec(launch) },
    executor: createNoopExecutor(systemClock),
    workspaces: { reached: async () => broker } as unknown as Workspaces,
    paths: { reserve: () => Promise.reject(new Error('no product has a path of its own')) },
    folders: { isEmpty: async () => false },
  };
  const capturing = captureOutputs(request);
  capturing.catch(() => undefined);
  return { broker, capturing, request, stop };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}.bin`);
const contents = (count: number) => Object.fromEntries(names(count).map((name) => [name, name]));
/** Longer than what is under way needs to continue. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

t.test('many products: four are stored at once, and reported in order', async (t) => {
  const { broker, capturing } = await begin(t, contents(10));
  await eventually(() => broker.held.length === AT_ONCE, 'four are under way');
  await someTurns();
  t.equal(broker.held.length, AT_ONCE, 'and no more');
  broker.held.splice(2, 1)[0]?.release();
  await eventually(() => broker.held.length === AT_ONCE, 'the next takes its place');
  t.equal(broker.begun, AT_ONCE + 1);
  const { outputs } = await broker.letAllThrough(capturing);
  t.strictSame(
    outputs.map(({ fileName }) => fileName),
    names(10).sort(),
  );
  t.notSame(broker.stored, [...broker.stored].sort(), 'they were stored in another order');
});

t.test('many products: the first failure ends it, and what was stored is removed', async (t) => {
  const { broker, capturing } = await begin(t, contents(10));
  await eventually(() => broker.held.length === AT_ONCE, 'four are under way');
  // In the order of the products, of which a later one may have begun first.
  const [first, second, third, fourth] = broker.held.splice(0).sort((a, b) => (a.path < b.path ? -1 : 1));
  // The later one fails sooner.
  fourth?.fail(new Error('the fourth'));
  await someTurns();
  second?.fail(new Error('the second'));
  first?.release();
  third?.release();
  await t.rejects(broker.letAllThrough(capturing), { message: 'the second' });
  t.equal(broker.stored.length, 2, 'nothing has begun after the failure');
  t.strictSame([...broker.removed].sort(), [...broker.stored].sort());
});

t.test('many products: after a stop no further one begins', async (t) => {
  const { broker, capturing, stop } = await begin(t, contents(10));
  await eventually(() => broker.held.length === AT_ONCE, 'four are under way');
  stop.abort(new Error('stopped'));
  await t.rejects(broker.letAllThrough(capturing), { message: 'stopped' });
  t.equal(broker.stored.length, AT_ONCE);
  t.equal(broker.removed.length, AT_ONCE);
});

t.test('many products: which side-cars fit does not depend on the order of completion', async (t) => {
  const sideCar = JSON.stringify({
    type: 'Feature',
    geometry: null,
    properties: { text: 'x'.repeat(240 * KIB) },
  });
  const deep = Object.fromEntries(
    // The deeper a file lies, the longer it takes to get there.
    Array.from({ length: 40 }, (_, index) => [`${index}/${'d/'.repeat(index % 2 === 0 ? 60 : 0)}a.bin`, 'x']),
  );
  const sideCars = Object.fromEntries(Object.keys(deep).map((path) => [`${path}.metadata.json`, sideCar]));
  const { broker, capturing } = await begin(t, { ...deep, ...sideCars }, Object.keys(deep));
  const { outputs } = await broker.letAllThrough(capturing);
  t.equal(outputs.length, 40);
  // 34 side cars of 240 KiB each fit in 8 MiB.
  t.strictSame(
    outputs.map(({ metadata }) => metadata !== ''),
    outputs.map((_, index) => index < 34),
  );
});

t.test('many products: products of a void execution are removed four at once', async (t) => {
  const { broker, capturing, request } = await begin(t, contents(6));
  const { outputs } = await broker.letAllThrough(capturing);
  const removing = discardProducts(request, outputs);
  await eventually(() => broker.held.length === AT_ONCE, 'four are under way');
  await someTurns();
  t.equal(broker.held.length, AT_ONCE);
  broker.held.splice(0, 1)[0]?.fail(new Error('it cannot be removed yet'));
  await broker.letAllThrough(removing);
  t.strictSame([...broker.removed].sort(), [...broker.stored].sort(), 'what failed is tried again');
});

t.test('many products: a product that cannot be removed does not keep the others', async (t) => {
  const { broker, capturing, request, stop } = await begin(t, contents(6));
  const { outputs } = await broker.letAllThrough(capturing);
  stop.abort(new Error('stopped')); // then it is tried once
  const removing = discardProducts(request, outputs);
  await eventually(() => broker.held.length === AT_ONCE, 'four are under way');
  broker.held.splice(0, 1)[0]?.fail(new Error('it cannot be removed'));
  await broker.letAllThrough(removing);
  t.equal(broker.removed.length, 5);
});

t.test('many products: a product whose storing failed is looked for in its bucket, twice', async (t) => {
  const { broker, capturing } = await begin(t, contents(2));
  await eventually(() => broker.held.length === 2, 'both are under way');
  broker.held.splice(1, 1)[0]?.fail(new Error('no answer'));
  await t.rejects(broker.letAllThrough(capturing), { message: 'no answer' });
  t.equal(broker.stored.length, 1);
  t.strictSame(broker.removed, broker.stored);
  t.equal(broker.abandoned.length, 2);
  t.strictSame(new Set(broker.abandoned).size, 1);
  t.notOk(broker.abandoned[0]?.includes(broker.stored[0] ?? ''), 'only that one');
});
