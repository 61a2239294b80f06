/** Listings of a simulated agent: pages by path, two under way at a time, each told until it is acknowledged. */
import type { AgentMessage, ListingPage } from '../../../src/domain/node/agent-messages.ts';
import type { ListFiles, ListingAck } from '../../../src/domain/node/coordinator-messages.ts';
import { isHidden } from '../../../src/storage/file-name.ts';
import { identityOf } from '../disks.ts';
import type { SimProcess } from '../sim-process.ts';
import type { SimHost } from './host.ts';

const OPEN_PAGES_MAX = 4;
const REPEAT_MS = 30_000;

interface Listing {
  readonly order: ListFiles;
  readonly open: ListingPage[];
  sequence: number;
  through: string;
  isDone: boolean;
  cancelRepeat: () => void;
}

export interface ListingParts {
  readonly host: SimHost;
  readonly process: SimProcess;
  /** Files a page, whatever is asked for: an agent may send fewer. */
  readonly pageSizeMax: number;
  readonly send: (message: AgentMessage) => void;
}

export class Listings {
  readonly #parts: ListingParts;
  readonly #listings = new Map<number, Listing>();

  constructor(parts: ListingParts) {
    this.#parts = parts;
  }

  holds(): number[] {
    return [...this.#listings.keys()];
  }

  /** A new session: what waits is reported again. */
  connected(): void {
    for (const listing of this.#listings.values()) this.#tell(listing, listing.open);
  }

  begin(order: ListFiles): void {
    const known = this.#listings.get(order.executionId);
    if (known !== undefined) {
      this.#tell(known, known.open);
      return;
    }
    const sequence = Math.floor(this.#parts.process.nowMs());
    const listing: Listing = {
      ...{ order, open: [], sequence, through: order.after, isDone: false, cancelRepeat: () => undefined },
    };
    this.#listings.set(order.executionId, listing);
    this.#goOn(listing);
  }

  end(executionId: number): void {
    this.#listings.get(executionId)?.cancelRepeat();
    this.#listings.delete(executionId);
  }

  acknowledged({ executionId, sequence }: ListingAck): void {
    const listing = this.#listings.get(executionId);
    const at = listing?.open.findIndex((page) => page.sequence === sequence) ?? -1;
    if (listing === undefined || at < 0) return;
    listing.open.splice(0, at + 1);
    listing.cancelRepeat();
    if (listing.open.length > 0) this.#expectAck(listing);
    else if (listing.isDone) this.#listings.delete(executionId);
    this.#goOn(listing);
  }

  /** Reads on while there is room for pages. */
  #goOn(listing: Listing): void {
    const { host, process } = this.#parts;
    process.timer(1 + host.random.next() * 10, () => {
      if (this.#listings.get(listing.order.executionId) !== listing) return;
      if (listing.isDone || listing.open.length >= OPEN_PAGES_MAX) return;
      this.#page(listing);
      this.#goOn(listing);
    });
  }

  #page(listing: Listing): void {
    const { host, pageSizeMax } = this.#parts;
    const { executionId, owner, workspace, pageSize, prefix, transferSuffix, recursive, pathsOnly } =
      listing.order;
    const { through: after } = listing;
    const isReached = host.reaches(workspace.uuid);
    const { files: there } = host.disks.directory(workspace.uuid);
    const isListed = (path: string): boolean =>
      path > after && path.startsWith(prefix) && (recursive || !path.includes('/')) && !isHiddenPath(path);
    const left = [...there.keys()].filter(isListed).sort();
    const paths = isReached ? left.slice(0, Math.min(pageSize, pageSizeMax)) : [];
    const wanted = paths.filter((path) => transferSuffix === '' || !path.endsWith(transferSuffix));
    const files = wanted.flatMap((path) => {
      const file = there.get(path);
      if (file === undefined) return [];
      return pathsOnly
        ? [{ path, size: 0, mtimeMs: 0, identity: '' }]
        : [{ path, size: file.size, mtimeMs: file.mtimeMs, identity: identityOf(file) }];
    });
    listing.sequence += 1;
    listing.through = paths.at(-1) ?? after;
    listing.isDone = !isReached || paths.length === left.length;
    const error = { name: 'filesystem-io', isBuiltin: true, detail: 'not mounted' };
    const page: ListingPage = {
      ...{ type: 'listingPage', executionId, owner, sequence: listing.sequence, after },
      ...{ through: listing.through, files, isLast: listing.isDone, ...(isReached ? {} : { error }) },
    };
    listing.open.push(page);
    this.#tell(listing, [page]);
  }

  #tell(listing: Listing, pages: readonly ListingPage[]): void {
    for (const page of pages) this.#parts.send(page);
    if (listing.open.length > 0) this.#expectAck(listing);
  }

  #expectAck(listing: Listing): void {
    listing.cancelRepeat();
    listing.cancelRepeat = this.#parts.process.timer(REPEAT_MS, () => {
      if (this.#listings.get(listing.order.executionId) === listing) this.#tell(listing, listing.open);
    });
  }
}

function isHiddenPath(path: string): boolean {
  return path.split('/').some(isHidden);
}
