/** Conversations about ingests: performed once, told until that is acknowledged, and nothing lost of what is moved. */
import type { IngestItem } from '../../../src/domain/node/coordinator-messages.ts';
import type { BedWorkspace } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';
import { different, type Errand, ingestOf, itemOf, type Talk } from './talk.ts';

const INGEST = 1;

interface Move {
  readonly from: BedWorkspace;
  readonly into: BedWorkspace;
  /** From `a.txt` to `kept/a.txt`. */
  readonly errand: Errand;
}

function move({ bed }: Talk, content = 'content'): Move {
  const [from, into] = [bed.workspace('in'), bed.workspace('archive')];
  const seen = from.put('a.txt', content);
  return { from, into, errand: { from, path: 'a.txt', seen, to: { workspace: into, path: 'kept/a.txt' } } };
}

function order({ from, into }: Move, ...items: readonly ReturnType<typeof itemOf>[]) {
  return ingestOf([from, into], ...items);
}

/** So many, of executions from 1 on, each to move under its own name. */
function files(from: BedWorkspace, into: BedWorkspace, count: number): IngestItem[] {
  return Array.from({ length: count }, (_, at) => {
    const path = `f${at + 1}`;
    const seen = from.put(path, `content ${at}`);
    return itemOf(at + 1, { from, path, seen, to: { workspace: into, path } });
  });
}

async function isEmpty(talk: Talk, { from }: Move): Promise<void> {
  await talk.bed.until(() => from.files().size === 0, 'the source to go');
}

export const INGESTS: Readonly<Record<string, Conversation>> = {
  'a file that is to move is moved, and told with whose it is': {
    hold: async (t, talk) => {
      const moved = move(talk);
      const item = itemOf(INGEST, moved.errand);
      await talk.begin();
      talk.bed.say(order(moved, item));
      const update = await talk.ingest(INGEST);
      const { ingestId, executionId, jobId, exeNum, owner } = item;
      t.match(update, { ingestId, executionId, jobId, exeNum, owner, outcome: 'stored', size: 7 });
      t.match(update, { workspaceUuid: moved.into.ref.uuid, path: 'kept/a.txt', sha256: /./ });
      t.notOk(update.error);
      t.strictSame([...moved.into.files()], [['kept/a.txt', 'content']], 'what is reported is there');
      await isEmpty(talk, moved);
      t.equal(talk.updatesOf(INGEST).length, 1);
    },
  },

  'a file without a place to go to stays where it is': {
    hold: async (t, talk) => {
      const { from, errand, ...rest } = move(talk);
      const { to: _, ...stays } = errand;
      await talk.begin();
      talk.bed.say(order({ from, errand, ...rest }, itemOf(INGEST, stays)));
      const update = await talk.ingest(INGEST);
      t.match(update, {
        outcome: 'stored',
        workspaceUuid: from.ref.uuid,
        path: 'a.txt',
        size: 7,
        sha256: /./,
      });
      talk.ack([update]);
      await talk.settled();
      t.strictSame([...from.files()], [['a.txt', 'content']]);
    },
  },

  'a file whose place to go to is its own stays where it is': {
    hold: async (t, talk) => {
      const { from, errand, ...rest } = move(talk);
      const to = { workspace: from, path: 'a.txt' };
      await talk.begin();
      talk.bed.say(order({ from, errand, ...rest }, itemOf(INGEST, { ...errand, to })));
      const update = await talk.ingest(INGEST);
      t.match(update, { outcome: 'stored', workspaceUuid: from.ref.uuid, path: 'a.txt' });
      talk.ack([update]);
      await talk.settled();
      t.strictSame([...from.files()], [['a.txt', 'content']]);
    },
  },

  'a file of which no identity is known is known by its size and time': {
    hold: async (t, talk) => {
      const moved = move(talk);
      const nameless = { ...moved.errand, seen: { ...moved.errand.seen, identity: '' } };
      const older = { ...nameless, seen: { ...nameless.seen, mtimeMs: nameless.seen.mtimeMs - 5_000 } };
      await talk.begin();
      talk.bed.say(order(moved, itemOf(2, older)));
      t.equal((await talk.ingest(2)).outcome, 'changed');
      talk.bed.say(order(moved, itemOf(INGEST, nameless)));
      t.equal((await talk.ingest(INGEST)).outcome, 'stored');
    },
  },

  'an order that is repeated is performed once': {
    hold: async (t, talk) => {
      const moved = move(talk);
      const item = itemOf(INGEST, moved.errand);
      await talk.begin();
      talk.bed.say(order(moved, item), order(moved, item));
      await talk.ingest(INGEST);
      await isEmpty(talk, moved);
      talk.bed.say(order(moved, item));
      await talk.settled();
      t.equal(talk.updatesOf(INGEST).length, 1);
      t.strictSame([...moved.into.files().keys()], ['kept/a.txt']);
    },
  },

  'files of one order have a report each': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const [from, into] = [bed.workspace('in'), bed.workspace('archive')];
      const ids = Array.from({ length: 30 }, (_, at) => at + 1);
      const items = ids.map((id) => {
        const path = `f${id}`;
        const to = { workspace: into, path: `kept/${path}` };
        return itemOf(id, {
          from,
          path,
          seen: from.put(path, `content ${id}`),
          ...(id % 2 === 0 ? { to } : {}),
        });
      });
      await talk.begin();
      bed.say(ingestOf([from, into], ...items));
      for (const id of ids) t.match(await talk.ingest(id), { outcome: 'stored', ingestId: id * 10 });
      await bed.until(() => from.files().size === 15, 'half of the sources to go');
      t.equal(into.files().size, 15);
      t.equal(talk.said('ingestUpdate').length, 30);
    },
  },

  'an end of an ingest is reported again over each new session and life, until it is acknowledged': {
    isKilled: true,
    hold: async (t, talk) => {
      const moved = move(talk);
      await talk.begin();
      talk.bed.say(order(moved, itemOf(INGEST, moved.errand)));
      await talk.ingest(INGEST);
      t.strictSame((await talk.interrupt()).ingestExecutionIds, [INGEST]);
      await talk.ingest(INGEST, 2);
      t.strictSame((await talk.restart()).ingestExecutionIds, [INGEST]);
      const update = await talk.ingest(INGEST, 3);
      t.equal(different(talk.updatesOf(INGEST)), 1);
      await isEmpty(talk, moved);
      talk.ack([update]);
      await talk.settled();
      const told = talk.updatesOf(INGEST).length;
      await talk.holdsOnly();
      await talk.settled();
      t.equal(talk.updatesOf(INGEST).length, told);
      await talk.restart();
      await talk.settled();
      t.equal(different(talk.updatesOf(INGEST)), 1, 'at most it is reported once more, as it was');
      t.strictSame([...moved.into.files()], [['kept/a.txt', 'content']]);
    },
  },

  'an agent that dies over its ingests moves each file once all the same': {
    isKilled: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const [from, into] = [bed.workspace('in'), bed.workspace('archive')];
      const items = files(from, into, 40);
      await talk.begin();
      bed.say(ingestOf([from, into], ...items));
      await bed.until(() => talk.said('ingestUpdate').length > 0, 'a report');
      const hello = await talk.restart();
      // It may have died before an order was accepted: then that is given again.
      const lacking = items.filter(({ executionId }) => !hello.ingestExecutionIds.includes(executionId));
      bed.say(ingestOf([from, into], ...lacking));
      for (const { executionId, targetPath } of items) {
        t.match(await talk.ingest(executionId), { outcome: 'stored', path: targetPath });
      }
      await bed.until(() => from.files().size === 0, 'the sources to go');
      t.equal(into.files().size, 40);
      for (const { executionId } of items) t.equal(different(talk.updatesOf(executionId)), 1);
    },
  },

  'ingests that are canceled at once end once each, as canceled where nothing was done': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const [from, into] = [bed.workspace('in'), bed.workspace('archive')];
      const items = files(from, into, 60);
      const ids = items.map(({ executionId }) => executionId);
      await talk.begin();
      bed.say(ingestOf([from, into], ...items));
      bed.say(...ids.map((executionId) => ({ type: 'kill', executionId }) as const));
      const outcomes = new Map<number, string>();
      for (const id of ids) outcomes.set(id, (await talk.ingest(id)).outcome);
      const stored = ids.filter((id) => outcomes.get(id) === 'stored');
      t.strictSame(
        new Set(outcomes.values()),
        new Set(stored.length > 0 ? ['stored', 'canceled'] : ['canceled']),
      );
      await bed.until(() => from.files().size === 60 - stored.length, 'sources of what was moved to go');
      t.equal(into.files().size, stored.length);
      bed.say(...ids.map((executionId) => ({ type: 'kill', executionId }) as const));
      await talk.settled();
      t.equal(talk.said('ingestUpdate').length, 60);
    },
  },

  'a source that is not there is gone, one that is another has changed and stays': {
    hold: async (t, talk) => {
      const moved = move(talk);
      const { from, into, errand } = moved;
      const vanished = { ...errand, path: 'b.txt', seen: from.put('b.txt', 'soon gone') };
      from.remove('b.txt');
      from.put('a.txt', 'another');
      await talk.begin();
      talk.bed.say(order(moved, itemOf(INGEST, errand), itemOf(2, vanished)));
      t.match(await talk.ingest(INGEST), { outcome: 'changed', path: '', sha256: '' });
      t.match(await talk.ingest(2), { outcome: 'gone', path: '', sha256: '' });
      await talk.settled();
      t.strictSame([...from.files()], [['a.txt', 'another']]);
      t.equal(into.files().size, 0);
    },
  },

  'other content at the place to go to stays: the file goes beside it': {
    hold: async (t, talk) => {
      const moved = move(talk);
      moved.into.put('kept/a.txt', 'other');
      await talk.begin();
      talk.bed.say(order(moved, itemOf(INGEST, moved.errand)));
      const update = await talk.ingest(INGEST);
      t.equal(update.outcome, 'stored');
      t.not(update.path, 'kept/a.txt');
      await isEmpty(talk, moved);
      t.equal(moved.into.files().get('kept/a.txt'), 'other');
      t.equal(moved.into.files().get(update.path), 'content');
      t.equal(moved.into.files().size, 2);
    },
  },

  'the same content at the place to go to is taken as it is, and the source left': {
    hold: async (t, talk) => {
      const moved = move(talk);
      const there = moved.into.put('kept/a.txt', 'content');
      await talk.begin();
      talk.bed.say(order(moved, itemOf(INGEST, moved.errand)));
      const update = await talk.ingest(INGEST);
      t.match(update, {
        outcome: 'duplicate',
        workspaceUuid: moved.into.ref.uuid,
        path: 'kept/a.txt',
        size: 7,
      });
      talk.ack([update]);
      await talk.settled();
      t.strictSame([...moved.into.files()], [['kept/a.txt', 'content']]);
      t.strictSame(moved.into.facts('kept/a.txt'), there);
      t.strictSame([...moved.from.files()], [['a.txt', 'content']]);
    },
  },

  'a file in a workspace that is not mounted is not gone: its ingest has failed, and can be done later': {
    hold: async (t, talk) => {
      const moved = move(talk);
      await talk.begin();
      moved.from.unmount();
      talk.bed.say(order(moved, itemOf(INGEST, moved.errand)));
      const update = await talk.ingest(INGEST);
      t.match(update, { outcome: 'failed', error: { name: 'filesystem-io', isBuiltin: true }, path: '' });
      moved.from.mount();
      talk.bed.say(order(moved, itemOf(2, moved.errand)));
      t.equal((await talk.ingest(2)).outcome, 'stored');
      await isEmpty(talk, moved);
    },
  },

  'a file goes into the workspace or stays': {
    hold: async (t, talk) => {
      const moved = move(talk);
      await talk.begin();
      moved.into.unmount();
      talk.bed.say(order(moved, itemOf(INGEST, moved.errand)));
      t.match(await talk.ingest(INGEST), { outcome: 'failed', error: { name: 'filesystem-io' } });
      moved.into.mount();
      await talk.settled();
      t.strictSame([...moved.from.files()], [['a.txt', 'content']]);
      t.equal(moved.into.files().size, 0);
    },
  },
};
