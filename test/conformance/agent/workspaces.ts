/** Conversations about workspaces: which are reached, and files that are removed from them. */
import type { FileDeletion, WorkspaceReach } from '../../../src/domain/node/agent-messages.ts';
import { markRefusalOf, NO_MARKER } from '../../../src/domain/workspace/unmarked.ts';
import type { BedWorkspace } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';

const byPath = (files: readonly FileDeletion[]) => [...files].sort((a, b) => (a.path < b.path ? -1 : 1));

const outcomesOf = (files: readonly FileDeletion[]) =>
  byPath(files).map(({ path, outcome, maySucceedLater }) => [path, outcome, maySucceedLater]);

const REACHED = { isReachable: true, isUnmarked: false };

/** Signs of life: an agent has looked again meanwhile. */
const A_LOOK_LATER = 60;

export const WORKSPACES: Readonly<Record<string, Conversation>> = {
  'an agent that is asked says which workspaces it reaches, and marks what it is told to claim': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const [one, other] = [bed.workspace('one'), bed.workspace('other')];
      other.unmark();
      await talk.begin();
      const unmarked = { workspaceUuid: other.ref.uuid, isReachable: false, isUnmarked: true, reason: /./ };
      const reached = { workspaceUuid: one.ref.uuid, ...REACHED };
      t.match((await talk.reach([one, other])).workspaces, [reached, unmarked]);
      t.match((await talk.reach([other], [one])).workspaces, [unmarked], 'only what is named is claimed');
      t.notOk(other.isMarked());
      const claimed = { workspaceUuid: other.ref.uuid, ...REACHED };
      t.match((await talk.reach([one, other], [one, other])).workspaces, [reached, claimed]);
      t.ok(other.isMarked());
      t.match((await talk.reach([one, other], [other])).workspaces, [reached, claimed], 'and again');
      t.strictSame((await talk.reach([])).workspaces, []);
    },
  },

  'a directory that cannot be written is unmarked, with the reason, and is marked once it can be': {
    isProtected: true,
    hold: async (t, talk) => {
      const { bed } = talk;
      const [one, other] = [bed.workspace('one'), bed.workspace('other')];
      other.unmark();
      other.protect();
      await talk.begin();
      const claimed = async () => (await talk.reach([one, other], [other])).workspaces;
      const without = (await talk.reach([one, other])).workspaces;
      t.match(without, [REACHED, { isReachable: false, isUnmarked: true }]);
      t.ok(markRefusalOf(without[1] as WorkspaceReach), 'it is known without a try');
      t.strictSame(await claimed(), without, 'a try finds the same');
      t.notOk(other.isMarked());
      other.unprotect();
      const told = () => talk.said('reachable').at(-1)?.workspaces[1];
      await bed.until(() => told()?.reason === NO_MARKER, 'the change to be told');
      t.match(told(), { isReachable: false, isUnmarked: true });
      t.match(await claimed(), [REACHED, REACHED]);
      t.ok(other.isMarked());
    },
  },

  'what has changed is reported without being asked, once, and nothing else is': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const [one, other] = [bed.workspace('one'), bed.workspace('other')];
      await talk.begin();
      await talk.reach([one, other]);
      const told = async (count: number, ...are: readonly boolean[]) => {
        await bed.until(() => talk.said('reachable').length >= count, `reach to be told ${count} times`);
        const last = talk.said('reachable').at(-1);
        t.strictSame(
          last?.workspaces.map(({ isReachable }) => isReachable),
          are,
        );
      };
      one.unmount();
      await told(2, false, true);
      other.unmark();
      await told(3, false, false);
      one.mount();
      await told(4, true, false);
      t.equal(talk.said('reachable').length, 4);
    },
  },

  'a new session that does not ask is told of what changes, not of what stayed': {
    hold: async (t, talk) => {
      const { bed } = talk;
      const [one, other] = [bed.workspace('one'), bed.workspace('other')];
      await talk.begin();
      await talk.reach([one, other]);
      await talk.interrupt();
      await talk.later(A_LOOK_LATER);
      other.unmark();
      await bed.until(() => talk.said('reachable').length > 1, 'the change to be told');
      t.strictSame(
        talk.said('reachable').map(({ workspaces }) => workspaces.map(({ isReachable }) => isReachable)),
        [
          [true, true],
          [true, false],
        ],
      );
      t.match((await talk.reach([one, other])).workspaces, [REACHED, { isUnmarked: true }]);
    },
  },

  'files are removed, those that are others left, and each is reported': {
    hold: async (t, talk) => {
      const workspace = talk.bed.workspace('products');
      workspace.put('a', 'aa');
      workspace.put('below/b', 'bbb');
      workspace.put('c', 'larger by now');
      await talk.begin();
      const order = [
        { path: 'a', size: 2 },
        { path: 'below/b', size: 3 },
        { path: 'c', size: 1 },
        { path: 'never', size: 1 },
        { path: 'never/there', size: 1 },
      ];
      const first = await talk.deleted(workspace, order);
      const left = [
        ['c', 'other', false],
        ['never', 'absent', false],
        ['never/there', 'absent', false],
      ];
      t.strictSame(outcomesOf(first.files), [
        ['a', 'removed', false],
        ['below/b', 'removed', false],
        ...left,
      ]);
      t.strictSame([...workspace.files().keys()], ['c']);
      const again = await talk.deleted(workspace, order);
      t.strictSame(outcomesOf(again.files), [['a', 'absent', false], ['below/b', 'absent', false], ...left]);
    },
  },

  'what is not reached is not gone: nothing of it is removed, until it is back': {
    hold: async (t, talk) => {
      const workspace = talk.bed.workspace('products');
      workspace.put('a', 'aa');
      await talk.begin();
      const order = [
        { path: 'a', size: 2 },
        { path: 'never', size: 1 },
      ];
      const refused = async (what: string) => {
        const { files } = await talk.deleted(workspace, order);
        const failed = { outcome: 'failed', maySucceedLater: true, reason: /./ };
        t.match(
          byPath(files),
          [
            { path: 'a', ...failed },
            { path: 'never', ...failed },
          ],
          what,
        );
      };
      workspace.unmount();
      await refused('not mounted');
      workspace.mount();
      workspace.unmark();
      await refused('without its marker');
      workspace.mark();
      t.strictSame(outcomesOf((await talk.deleted(workspace, order)).files), [
        ['a', 'removed', false],
        ['never', 'absent', false],
      ]);
    },
  },

  'a path that leads out of the workspace is refused for good': {
    hold: async (t, talk) => {
      const workspace: BedWorkspace = talk.bed.workspace('products');
      await talk.begin();
      const { files } = await talk.deleted(workspace, [{ path: '../a', size: 1 }]);
      t.strictSame(outcomesOf(files), [['../a', 'failed', false]]);
    },
  },
};
