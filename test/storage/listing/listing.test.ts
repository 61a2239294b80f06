/** Listing a local directory: quick looks, looks in threads, and a change between them find the same files. */
import { chmodSync, mkdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { StoredEntry } from '../../../src/storage/broker.ts';
import { listFiles } from '../../../src/storage/listing/listing.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';
import { QuickFolder } from '../../../src/storage/quick-folder.ts';
import { asUser, NOT_ROOT } from '../as-user.ts';

/** A root whose looks are quick or not, on any disk. `onLook` is called before each quick look. */
class Root extends LocalRoot {
  readonly #isQuick: boolean;
  readonly #onLook: (name: string) => void;

  constructor(path: string, isQuick: boolean, onLook: (name: string) => void = () => undefined) {
    super(path);
    this.#isQuick = isQuick;
    this.#onLook = onLook;
  }

  override async openQuick(path: string): Promise<QuickFolder | undefined> {
    if (!this.#isQuick) return undefined;
    const folder = QuickFolder.open(this.root, path, statSync(this.root, { bigint: true }).dev);
    if (folder === undefined) return undefined;
    const look = folder.entry.bind(folder);
    folder.entry = (name) => {
      this.#onLook(name);
      return look(name);
    };
    return folder;
  }
}

async function listed(
  root: LocalRoot,
  after = '',
  { namesMax, pathsOnly = false }: { readonly namesMax?: number; readonly pathsOnly?: boolean } = {},
): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  const limit = namesMax === undefined ? {} : { namesMax };
  const options = { recursive: true, after, pageSize: 50, pathsOnly, ...limit };
  for await (const page of listFiles(root, options)) {
    if (page.length > 50) throw new Error(`a page of ${page.length}`);
    entries.push(...page);
  }
  return entries;
}

/** More files than one look takes, in the root and below it: before, between and after directories. */
function fill(root: string): string[] {
  const paths: string[] = [];
  for (let n = 0; n < 700; n += 1) paths.push(`f${n}`, `g/${n % 3}/h${n}`, `g.${n}`, `many/${n}`);
  for (const path of paths) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  symlinkSync('f1', join(root, 'many/link'));
  return paths.sort();
}

t.test('listing: quick looks and looks in threads find all files in order', async (t) => {
  const root = t.testdir();
  const paths = fill(root);
  let looks = 0;
  const quick = await listed(new Root(root, true, () => (looks += 1)));
  t.same(
    quick.map(({ path }) => path),
    paths,
  );
  t.ok(looks > 0 && looks <= paths.length, `${looks} looks without a thread`);
  t.same(await listed(new Root(root, false)), quick);
  t.same(await listed(new LocalRoot(root)), quick);
  const after = paths[1_500] as string;
  t.same(await listed(new Root(root, true), after), quick.slice(1_501));
});

t.test('listing: a list of paths alone looks at one file of each directory', async (t) => {
  const root = t.testdir();
  const paths = fill(root);
  const looked: string[] = [];
  const quick = new Root(root, true, (name) => looked.push(name));
  const nothing = { size: 0, mtimeMs: 0, identity: '' };
  const wanted = paths.map((path) => ({ path, ...nothing }));
  t.strictSame(await listed(quick, '', { pathsOnly: true }), wanted);
  t.equal(looked.length, 5, 'the root, many, g/0, g/1 and g/2');
  t.strictSame(await listed(new LocalRoot(root), '', { pathsOnly: true }), wanted);
  const after = paths[1_500] as string;
  t.strictSame(await listed(quick, after, { pathsOnly: true }), wanted.slice(1_501));
});

t.test('listing: a directory whose files nobody may look at fails a list of paths, too', async (t) => {
  const root = t.testdir({ open: { a: '' }, shut: { b: '' } });
  chmodSync(root, 0o755);
  chmodSync(join(root, 'shut'), 0o444);
  try {
    for (const pathsOnly of [false, true]) {
      await t.rejects(
        asUser(NOT_ROOT, () => listed(new LocalRoot(root), '', { pathsOnly })),
        { message: /EACCES/ },
        `pathsOnly: ${pathsOnly}`,
      );
    }
  } finally {
    chmodSync(join(root, 'shut'), 0o755);
  }
});

t.test('listing: slow looks continue in threads', async (t) => {
  const root = t.testdir();
  const paths = fill(root);
  let nowMs = 0;
  t.intercept(performance, 'now', { value: () => (nowMs += 1.5) });
  const looked = new Set<string>();
  const found = await listed(new Root(root, true, (name) => looked.add(name)));
  t.same(
    found.map(({ path }) => path),
    paths,
  );
  t.ok(looked.size > 0 && looked.size < 400, `${looked.size} of ${paths.length} without a thread`);
});

t.test('listing: the event loop continues between quick looks', async (t) => {
  const root = t.testdir();
  fill(root);
  let nowMs = 0;
  // 0.02 ms a file: quick enough to continue without threads.
  t.intercept(performance, 'now', { value: () => (nowMs += 0.16) });
  let [looks, looksInTurn, looksInTurnMax] = [0, 0, 0];
  let isListing = true;
  const others = (): void => {
    looksInTurn = 0;
    if (isListing) setImmediate(others);
  };
  setImmediate(others);
  const found = await listed(
    new Root(root, true, () => {
      looks += 1;
      looksInTurn += 1;
      looksInTurnMax = Math.max(looksInTurnMax, looksInTurn);
    }),
  );
  isListing = false;
  t.equal(looks, found.length, 'no look was left to a thread');
  t.ok(looksInTurnMax <= 10 / 0.02, `${looksInTurnMax} looks in one turn`);
});

t.test(
  'listing: a file that is removed between the reading of its name and its look is left out',
  async (t) => {
    const root = t.testdir({ a: '', b: '', c: '' });
    const found = await listed(new Root(root, true, (name) => name === 'a' && unlinkSync(join(root, 'b'))));
    t.same(
      found.map(({ path }) => path),
      ['a', 'c'],
    );
  },
);

t.test(
  'listing: a directory with more names than the limit of memory is read several times and complete',
  async (t) => {
    const root = t.testdir();
    for (let n = 0; n < 9_000; n += 1) writeFileSync(join(root, `f${n}`), '');
    for (const name of ['a', 'f4', 'z']) {
      mkdirSync(join(root, `${name}.d`));
      writeFileSync(join(root, `${name}.d/below`), '');
    }
    const whole = await listed(new LocalRoot(root));
    t.equal(whole.length, 9_003);
    t.strictSame(await listed(new LocalRoot(root), '', { namesMax: 4_000 }), whole);
    t.strictSame(
      await listed(new LocalRoot(root), 'f4.d/below', { namesMax: 4_000 }),
      whole.filter(({ path }) => path > 'f4.d/below'),
    );
  },
);
