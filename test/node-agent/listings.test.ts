/** Listings of a workspace on the agent: pages in order, a few at a time, told again until they are acknowledged. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Listings } from '../../node-agent/listings.ts';
import type { LiveSession } from '../../node-agent/session.ts';
import { Workspaces } from '../../node-agent/workspaces.ts';
import type { AgentMessage, ListingPage } from '../../src/domain/node/agent-messages.ts';
import type { ListFiles } from '../../src/domain/node/coordinator-messages.ts';
import { eventually } from '../support/agent/eventually.ts';
import { silentLog } from '../support/silent-log.ts';

const UUID = '00000000-0000-4000-8000-000000000001';

interface Test {
  testdir(): string;
  teardown(end: () => unknown): void;
}

function bench(t: Test, files: readonly string[], repeatMs = 60_000) {
  const root = t.testdir();
  for (const path of files) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  const listings = new Listings(new Workspaces('agent', [UUID]), silentLog as never, repeatMs);
  t.teardown(() => listings.stop());
  const pages: ListingPage[] = [];
  const connect = (): AbortController => {
    const closing = new AbortController();
    const send = (message: AgentMessage): void => {
      if (message.type === 'listingPage') pages.push(message);
    };
    listings.connected({ closed: closing.signal, send } as unknown as LiveSession);
    return closing;
  };
  const configuration = JSON.stringify({ broker: { type: 'host', host_path: root } });
  const order = (over: Partial<ListFiles> = {}): ListFiles => ({
    ...{ type: 'listFiles', executionId: 1, owner: 'scan/1' },
    ...{ workspace: { uuid: UUID, name: 'in', configuration }, recursive: true, prefix: '', after: '' },
    ...{ transferSuffix: '', pageSize: 2, pathsOnly: false },
    ...over,
  });
  const acknowledge = (page: ListingPage | undefined): void =>
    listings.acknowledged({ ...{ type: 'listingAck', executionId: 1 }, sequence: page?.sequence ?? 0 });
  const pathsOf = (page: ListingPage | undefined) => page?.files.map((file) => file.path);
  return { root, listings, pages, connect, order, acknowledge, pathsOf };
}

t.test('listings: pages follow in the order of paths, as earlier ones are acknowledged', async (t) => {
  const { listings, pages, connect, order, acknowledge, pathsOf } = bench(t, [
    ...['b', 'a/1', 'a/2', 'c', 'd', 'e', 'f'],
    ...['g', 'h', 'i', 'j'],
  ]);
  connect();
  const done = listings.begin(order());
  await eventually(() => pages.length === 4, 'four pages are under way');
  t.same(pages.map(pathsOf), [
    ['a/1', 'a/2'],
    ['b', 'c'],
    ['d', 'e'],
    ['f', 'g'],
  ]);
  t.match(pages, [
    { after: '', through: 'a/2', isLast: false, owner: 'scan/1' },
    { after: 'a/2', through: 'c', isLast: false },
    { after: 'c', through: 'e', isLast: false },
    { after: 'e', through: 'g', isLast: false },
  ]);
  acknowledge(pages[0]);
  await eventually(() => pages.length === 5, 'there is room for one more');
  acknowledge(pages[1]);
  await done;
  await eventually(() => pages.length === 6, 'the last one follows');
  t.match(pages.slice(4), [
    { after: 'g', through: 'i', isLast: false },
    { after: 'i', through: 'j', isLast: true, error: undefined },
  ]);
  t.same(listings.holds(), [1]);
  acknowledge(pages[5]);
  t.same(listings.holds(), [], 'a later page stands for those before it');
});

t.test('listings: a listing continues after a path, and leaves out names with the suffix', async (t) => {
  const { listings, pages, connect, order, pathsOf } = bench(t, ['a', 'b', 'b_tmp', 'c', 'd/x']);
  connect();
  await listings.begin(order({ after: 'a', transferSuffix: '_tmp', pageSize: 10 }));
  t.same(pages.map(pathsOf), [['b', 'c', 'd/x']]);
  t.match(pages, [{ after: 'a', through: 'd/x', isLast: true }]);
});

t.test('listings: a listing of paths alone has neither sizes nor identities', async (t) => {
  const { listings, pages, connect, order } = bench(t, ['a', 'd/x']);
  connect();
  await listings.begin(order({ pathsOnly: true }));
  const nothing = { size: 0, mtimeMs: 0, identity: '' };
  t.same(pages[0]?.files, [
    { path: 'a', ...nothing },
    { path: 'd/x', ...nothing },
  ]);
});

t.test('listings: a listing without recursion has only the root, and none has hidden names', async (t) => {
  const { listings, pages, connect, order, pathsOf } = bench(t, ['a', 'd/x', '.hidden', '.dir/y']);
  connect();
  await listings.begin(order({ recursive: false }));
  t.same(pages.map(pathsOf), [['a']]);
});

t.test('listings: an empty workspace is one empty page', async (t) => {
  const { listings, pages, connect, order } = bench(t, []);
  connect();
  await listings.begin(order());
  t.match(pages, [{ after: '', through: '', files: [], isLast: true, error: undefined }]);
});

t.test('listings: unacknowledged pages are sent again, in the same session and in the next', async (t) => {
  const { listings, pages, connect, order, acknowledge } = bench(t, [...'abcdefghi'], 50);
  connect().abort();
  void listings.begin(order());
  await eventually(() => listings.holds().length === 1, 'it is held');
  t.same(pages, [], 'there is no session');
  connect();
  await eventually(() => pages.length >= 8, 'four pages are reported twice');
  t.same(new Set(pages.map((page) => page.through)), new Set(['b', 'd', 'f', 'h']));
  t.same(new Set(pages.map((page) => page.sequence)).size, 4, 'a repeat keeps its number');
  acknowledge(pages.find((page) => page.through === 'h'));
  await eventually(() => pages.some((page) => page.isLast), 'the rest follows');
  acknowledge(pages.find((page) => page.through === 'f'));
  t.same(listings.holds(), [1], 'an old acknowledgement counts for nothing');
});

t.test('listings: a repeated order sends open pages again, and a stopped listing sends none', async (t) => {
  const { listings, pages, connect, order, acknowledge } = bench(t, [...'abcdefghij']);
  connect();
  const done = listings.begin(order());
  await eventually(() => pages.length === 4, 'four pages are under way');
  await listings.begin(order({ after: 'zzz' }));
  t.same(pages.slice(4), pages.slice(0, 4));
  listings.end(1);
  await done;
  acknowledge(pages[0]);
  t.equal(pages.length, 8);
  t.same(listings.holds(), []);
});

t.test(
  'listings: a workspace that is missing, or of an unknown kind, ends the listing with the reason',
  async (t) => {
    const { root, listings, pages, connect, order } = bench(t, ['a']);
    connect();
    rmSync(root, { recursive: true });
    await listings.begin(order());
    t.match(pages, [{ after: '', through: '', files: [], isLast: true, error: { name: 'filesystem-io' } }]);
    t.not(pages[0]?.error?.detail, '');
    const workspace = { uuid: UUID, name: 'in', configuration: '{"broker":{"type":"tape"}}' };
    await listings.begin(order({ executionId: 2, workspace }));
    t.match(pages[1], { executionId: 2, isLast: true, error: { detail: /tape/ } });
  },
);
