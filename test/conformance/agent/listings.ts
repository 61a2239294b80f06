/** Conversations about listings: pages in the order of paths, a few under way, each told until it is acknowledged. */
import type { ListingPage } from '../../../src/domain/node/agent-messages.ts';
import type { BedWorkspace } from './agent-bed.ts';
import type { Conversation } from './conversation.ts';
import { different, listingOf, type Talk } from './talk.ts';

const LISTING = 4;
const PATHS = ['a', 'b/c', 'b.d', 'b0', 'e', 'f/g/h', 'f/g/i'].sort();

function shelf({ bed }: Talk, paths: readonly string[] = PATHS): BedWorkspace {
  const workspace = bed.workspace('shelf');
  for (const path of paths) workspace.put(path, `content of ${path}`);
  return workspace;
}

const pathsOf = (pages: readonly ListingPage[]): string[] =>
  pages.flatMap(({ files }) => files.map(({ path }) => path));

/** All pages, each acknowledged as it comes. */
async function listed(talk: Talk, executionId: number): Promise<ListingPage[]> {
  for (let count = 1; ; count += 1) {
    const pages = await talk.paged(executionId, count);
    const last = pages.at(-1) as ListingPage;
    talk.turned(last);
    if (last.isLast) return pages;
  }
}

export const LISTINGS: Readonly<Record<string, Conversation>> = {
  'files are listed in pages by path, with what they are, and the last is known as such': {
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      talk.bed.say(listingOf(LISTING, workspace));
      const pages = await listed(talk, LISTING);
      t.strictSame(pathsOf(pages), PATHS);
      t.strictSame(
        pages.flatMap(({ files }) => files),
        PATHS.map((path) => ({ path, ...workspace.facts(path) })),
      );
      t.ok(pages.every(({ files }) => files.length <= 2));
      t.strictSame(
        pages.map(({ isLast }) => isLast),
        pages.map((_, at) => at === pages.length - 1),
      );
      t.strictSame(
        pages.map(({ after }) => after),
        ['', ...pages.slice(0, -1).map(({ through }) => through)],
      );
      t.ok(pages.every(({ owner, error }) => owner === 'scan/8' && error === undefined));
      await talk.settled();
      t.strictSame((await talk.interrupt()).listingExecutionIds, []);
    },
  },

  'a listing of paths alone says nothing else of files': {
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      talk.bed.say(listingOf(LISTING, workspace, { pathsOnly: true }));
      const pages = await listed(talk, LISTING);
      t.strictSame(
        pages.flatMap(({ files }) => files),
        PATHS.map((path) => ({ path, size: 0, mtimeMs: 0, identity: '' })),
      );
    },
  },

  'an empty workspace has one page, with nothing on it': {
    hold: async (t, talk) => {
      await talk.begin();
      talk.bed.say(listingOf(LISTING, talk.bed.workspace('empty')));
      t.match(await listed(talk, LISTING), [{ files: [], isLast: true, after: '' }]);
    },
  },

  'a listing continues after a path, below a prefix, without names that are being sent or hidden': {
    hold: async (t, talk) => {
      const workspace = shelf(talk, [...PATHS, '.hidden', 'f/.hidden', 'e_tmp']);
      await talk.begin();
      const suffix = { transferSuffix: '_tmp' };
      talk.bed.say(listingOf(1, workspace, { after: 'b/c', ...suffix }));
      talk.bed.say(listingOf(2, workspace, { prefix: 'f/', ...suffix }));
      talk.bed.say(listingOf(3, workspace, { recursive: false, ...suffix }));
      talk.bed.say(listingOf(5, workspace, { pageSize: 1_000, ...suffix }));
      t.strictSame(
        pathsOf(await listed(talk, 1)),
        PATHS.filter((path) => path > 'b/c'),
      );
      t.strictSame(pathsOf(await listed(talk, 2)), ['f/g/h', 'f/g/i']);
      t.strictSame(
        pathsOf(await listed(talk, 3)),
        PATHS.filter((path) => !path.includes('/')),
      );
      t.strictSame(pathsOf(await listed(talk, 5)), PATHS);
    },
  },

  'four pages wait for their acknowledgement; that of one stands for those before it': {
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      talk.bed.say(listingOf(LISTING, workspace, { pageSize: 1 }));
      const [, second] = await talk.paged(LISTING, 4);
      await talk.settled();
      talk.turned({ ...(second as ListingPage), sequence: (second?.sequence ?? 0) + 1_000 });
      await talk.settled();
      t.equal(talk.pages(LISTING).length, 4, 'a number that was not told acknowledges nothing');
      talk.turned(second as ListingPage);
      const six = await talk.paged(LISTING, 6);
      await talk.settled();
      t.strictSame(pathsOf(six), PATHS.slice(0, 6));
      t.equal(talk.pages(LISTING).length, 6);
    },
  },

  'open pages are reported again when the listing is ordered again, and over a new session': {
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      const order = listingOf(LISTING, workspace, { pageSize: 1 });
      talk.bed.say(order);
      const [first] = await talk.paged(LISTING, 4);
      talk.turned(first as ListingPage);
      const open = (await talk.paged(LISTING, 5)).slice(1);
      talk.bed.say(order);
      await talk.settled();
      t.strictSame(talk.pages(LISTING).slice(5), open);
      t.strictSame((await talk.interrupt()).listingExecutionIds, [LISTING]);
      await talk.settled();
      t.strictSame(talk.pages(LISTING, 2), open);
      t.strictSame(pathsOf(await listed(talk, LISTING)), PATHS);
    },
  },

  'a restart forgets a listing; ordered again after a path it continues there, under higher numbers': {
    isKilled: true,
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      talk.bed.say(listingOf(LISTING, workspace));
      const before = await talk.paged(LISTING, 2);
      const [first] = before;
      talk.turned(first as ListingPage);
      t.strictSame((await talk.restart()).listingExecutionIds, []);
      await talk.settled();
      t.strictSame(talk.pages(LISTING, 2), []);
      const after = first?.through ?? '';
      talk.bed.say(listingOf(LISTING, workspace, { after }));
      const rest = (await talk.paged(LISTING, 1, 2)).slice(0, 1);
      t.equal(rest[0]?.after, after);
      t.strictSame(pathsOf(rest), PATHS.slice(2, 4));
      const numbers = talk.pages(LISTING, 1).map(({ sequence }) => sequence);
      t.ok((rest[0]?.sequence ?? 0) > Math.max(...numbers));
    },
  },

  'a listing that is stopped tells nothing more, and may begin again': {
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      talk.bed.say(listingOf(LISTING, workspace, { pageSize: 1 }));
      await talk.paged(LISTING, 2);
      talk.bed.say({ type: 'stopListing', executionId: LISTING }, { type: 'stopListing', executionId: 99 });
      await talk.settled();
      const told = talk.pages(LISTING);
      for (const page of told) talk.turned(page);
      await talk.settled();
      t.strictSame((await talk.interrupt()).listingExecutionIds, []);
      await talk.settled();
      t.equal(talk.pages(LISTING).length, told.length);
      talk.bed.say(listingOf(LISTING, workspace, { pageSize: 1_000 }));
      t.strictSame(pathsOf(await talk.paged(LISTING, 1, 2)), PATHS);
    },
  },

  'what is not the workspace is not empty: its listing ends with an error': {
    hold: async (t, talk) => {
      const workspace = shelf(talk);
      await talk.begin();
      workspace.unmark();
      talk.bed.say(listingOf(1, workspace, { after: 'b' }));
      const error = { name: 'filesystem-io', isBuiltin: true };
      const failed = { files: [], after: 'b', through: 'b', isLast: true, error };
      t.match(await talk.paged(1, 1), [failed]);
      workspace.mark();
      workspace.unmount();
      talk.bed.say(listingOf(2, workspace, { after: 'b' }));
      t.match(await talk.paged(2, 1), [failed]);
      t.equal(different(talk.pages(2)), 1);
      workspace.mount();
      talk.bed.say(listingOf(3, workspace));
      t.strictSame(pathsOf(await listed(talk, 3)), PATHS);
    },
  },
};
