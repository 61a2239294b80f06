/** Conversations about monitors: each file is reported once it rests, until that is acknowledged. */
import type { BedWorkspace } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';
import { different, monitorOf, type Talk } from './talk.ts';

const WATCH = 3;
/** Signs of life: well before a batch is reported again for want of an acknowledgement. */
const SOON = 100;
/** Signs of life: by then what is missing would have been told as gone. */
const GONE = 15;

async function watching(talk: Talk): Promise<BedWorkspace> {
  const inbox = talk.bed.workspace('in');
  await talk.begin();
  talk.bed.say(monitorOf(WATCH, inbox));
  return inbox;
}

export const MONITORS: Readonly<Record<string, Conversation>> = {
  'files that were there and files that come are reported, with what they are': {
    hold: async (t, talk) => {
      const inbox = talk.bed.workspace('in');
      const before = inbox.put('before', 'x');
      await watching(talk);
      const batch = await talk.seen(WATCH, 'before');
      t.equal(batch.owner, 'strike/9');
      t.match(batch.files, [{ path: 'before', arrival: 'complete', ...before }]);
      talk.take(batch);
      const after = inbox.put('after', 'yy');
      t.match(talk.complete(WATCH), [{ path: 'before' }]);
      t.match((await talk.seen(WATCH, 'after')).files, [{ path: 'after', arrival: 'complete', ...after }]);
    },
  },

  'one batch waits for its acknowledgement; what comes meanwhile is in the next': {
    hold: async (t, talk) => {
      const inbox = await watching(talk);
      inbox.put('a', 'a');
      const first = await talk.seen(WATCH, 'a');
      inbox.put('b', 'b');
      await talk.settled();
      talk.take({ ...first, batch: first.batch + 1_000 });
      talk.take({ ...first, executionId: WATCH + 1 });
      await talk.settled();
      t.equal(talk.batches(WATCH).length, 1, 'another batch, or another watch, acknowledges nothing');
      talk.take(first);
      const second = await talk.seen(WATCH, 'b');
      t.ok(second.batch > first.batch);
      t.strictSame(
        second.files.map(({ path }) => path),
        ['b'],
        'what is acknowledged is not told again',
      );
    },
  },

  'what was not acknowledged is reported again over a new session, what was is not': {
    hold: async (t, talk) => {
      const inbox = await watching(talk);
      inbox.put('a', 'a');
      talk.take(await talk.seen(WATCH, 'a'));
      inbox.put('b', 'b');
      const lost = await talk.seen(WATCH, 'b');
      t.strictSame((await talk.interrupt()).monitorExecutionIds, [WATCH]);
      const from = talk.batches(WATCH, 1).length;
      const again = await talk.seen(WATCH, 'b', from);
      t.ok(talk.said('heartbeat', 2).length < SOON, 'and not only where batches are repeated anyway');
      t.strictSame(again.files, lost.files);
      t.ok(again.batch > lost.batch);
      talk.take(lost);
      inbox.put('c', 'c');
      await talk.settled();
      t.equal(talk.batches(WATCH, 2).length, 1, 'a late acknowledgement of the lost batch is of no other');
      talk.take(again);
      t.strictSame(
        (await talk.seen(WATCH, 'c', from)).files.map(({ path }) => path),
        ['c'],
      );
    },
  },

  'files that came while the session was cut are reported': {
    hold: async (t, talk) => {
      const inbox = await watching(talk);
      inbox.put('a', 'a');
      talk.take(await talk.seen(WATCH, 'a'));
      await talk.settled();
      talk.bed.cut();
      inbox.put('b', 'b');
      await talk.opened(2);
      await talk.seen(WATCH, 'b');
      t.strictSame(
        talk
          .complete(WATCH)
          .map(({ path }) => path)
          .filter((path) => path === 'a'),
        ['a'],
      );
    },
  },

  'a monitor that is begun again by another life tells of all, under higher numbers': {
    isKilled: true,
    hold: async (t, talk) => {
      const inbox = await watching(talk);
      inbox.put('a', 'a');
      const first = await talk.seen(WATCH, 'a');
      talk.take(first);
      await talk.settled();
      const hello = await talk.restart(() => void inbox.put('b', 'b'));
      t.strictSame(hello.monitorExecutionIds, []);
      await talk.settled();
      t.equal(talk.batches(WATCH, 2).length, 0, 'nobody has asked it to watch');
      talk.bed.say(monitorOf(WATCH, inbox));
      await talk.seen(WATCH, 'a', 1);
      const [next] = talk.batches(WATCH, 2);
      t.ok(Number(next?.batch) > first.batch, 'an acknowledgement that comes late is of none of them');
      if (next !== undefined) talk.take(next);
      await talk.seen(WATCH, 'b', 1);
      const told = talk.complete(WATCH).filter(({ path }) => path === 'a');
      t.equal(
        different(told.map(({ path, identity, size, mtimeMs }) => ({ path, identity, size, mtimeMs }))),
        1,
      );
    },
  },

  'a monitor that is ordered again continues, one that is stopped tells nothing more': {
    hold: async (t, talk) => {
      const inbox = await watching(talk);
      inbox.put('a', 'a');
      talk.take(await talk.seen(WATCH, 'a'));
      talk.bed.say(monitorOf(WATCH, inbox));
      inbox.put('b', 'b');
      const second = await talk.seen(WATCH, 'b');
      t.strictSame(
        second.files.map(({ path }) => path),
        ['b'],
        'it is the same watch',
      );
      const before = talk.batches(WATCH).length;
      talk.bed.say({ type: 'stopMonitor', executionId: WATCH }, { type: 'stopMonitor', executionId: 99 });
      await talk.settled();
      const other = talk.bed.workspace('other');
      inbox.put('c', 'c');
      other.put('d', 'd');
      talk.bed.say(monitorOf(WATCH + 1, other));
      await talk.seen(WATCH + 1, 'd');
      t.equal(talk.batches(WATCH).length, before);
      t.strictSame((await talk.interrupt()).monitorExecutionIds, [WATCH + 1]);
      await talk.settled();
      t.equal(talk.batches(WATCH).length, before);
    },
  },

  'new content under a known name is another arrival': {
    hold: async (t, talk) => {
      const inbox = await watching(talk);
      const old = inbox.put('a', 'old');
      talk.take(await talk.seen(WATCH, 'a'));
      const from = talk.batches(WATCH).length;
      const young = inbox.put('a', 'young');
      t.not(young.identity, old.identity);
      t.match((await talk.seen(WATCH, 'a', from)).files, [{ arrival: 'complete', ...young }]);
    },
  },

  'a file that bears the suffix of its transfer is being sent, and complete under its name': {
    hold: async (t, talk) => {
      const inbox = talk.bed.workspace('in');
      await talk.begin();
      const half = inbox.put('a_tmp', 'half');
      talk.bed.say(monitorOf(WATCH, inbox, { transferSuffix: '_tmp' }));
      const begun = await talk.seen(WATCH, 'a', 0, 'transferring');
      t.match(begun.files, [{ path: 'a', arrival: 'transferring', ...half }]);
      talk.take(begun);
      const whole = inbox.put('a_tmp', 'half, and the other');
      inbox.put('b', 'b');
      talk.take(await talk.seen(WATCH, 'b', 1));
      t.strictSame(
        talk.complete(WATCH).map(({ path }) => path),
        ['b'],
      );
      const from = talk.batches(WATCH).length;
      inbox.rename('a_tmp', 'a');
      const done = await talk.seen(WATCH, 'a', from);
      const complete = done.files.filter(({ arrival }) => arrival === 'complete');
      t.match(complete, [{ path: 'a', size: whole.size, mtimeMs: whole.mtimeMs, identity: whole.identity }]);
      talk.take(done);
      await talk.later(GONE);
      const all = talk.batches(WATCH).flatMap(({ files }) => files);
      t.notOk(
        all.some(({ arrival }) => arrival === 'gone'),
        'what has its name now is not gone',
      );
    },
  },

  'a file that vanishes while it is sent is gone, until that is acknowledged; one that vanishes later is not':
    {
      hold: async (t, talk) => {
        const inbox = talk.bed.workspace('in');
        await talk.begin();
        inbox.put('a_tmp', 'half');
        inbox.put('b', 'b');
        talk.bed.say(monitorOf(WATCH, inbox, { transferSuffix: '_tmp' }));
        talk.take(await talk.seen(WATCH, 'b'));
        const sent = await talk.seen(WATCH, 'a', 0, 'transferring');
        talk.take(sent);
        inbox.remove('b');
        inbox.remove('a_tmp');
        const gone = await talk.seen(WATCH, 'a', 0, 'gone');
        t.equal((await talk.interrupt()).monitorExecutionIds.length, 1);
        const again = await talk.seen(WATCH, 'a', talk.batches(WATCH, 1).length, 'gone');
        t.ok(again.batch > gone.batch, 'it is told until that is acknowledged');
        talk.take(again);
        inbox.put('c', 'c');
        await talk.seen(WATCH, 'c');
        const vanished = talk
          .batches(WATCH)
          .flatMap(({ files }) => files.filter(({ arrival }) => arrival === 'gone'));
        t.strictSame(
          vanished.map(({ path }) => path),
          ['a', 'a'],
        );
      },
    },

  'files below, and names that begin with a dot, are nobody’s arrivals': {
    hold: async (t, talk) => {
      const inbox = talk.bed.workspace('in');
      inbox.put('below/a', 'a');
      inbox.put('.hidden', 'h');
      inbox.put('b', 'b');
      await watching(talk);
      talk.take(await talk.seen(WATCH, 'b'));
      inbox.put('below/c', 'c');
      inbox.put('d', 'd');
      await talk.seen(WATCH, 'd');
      t.strictSame(
        talk
          .complete(WATCH)
          .map(({ path }) => path)
          .sort(),
        ['b', 'd'],
      );
    },
  },

  'a directory that is not the workspace is not watched until it is': {
    hold: async (t, talk) => {
      const [inbox, other] = [talk.bed.workspace('in'), talk.bed.workspace('other')];
      inbox.put('a', 'a');
      other.put('b', 'b');
      inbox.unmark();
      await watching(talk);
      talk.bed.say(monitorOf(WATCH + 1, other));
      talk.take(await talk.seen(WATCH + 1, 'b'));
      await talk.settled();
      t.strictSame(talk.batches(WATCH), []);
      inbox.mark();
      talk.take(await talk.seen(WATCH, 'a'));
      inbox.unmount();
      inbox.mount();
      inbox.put('c', 'c');
      await talk.seen(WATCH, 'c');
      t.equal(different(talk.complete(WATCH).filter(({ path }) => path === 'a')), 1);
    },
  },
};
