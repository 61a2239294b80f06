/**
 * Listings of workspaces on this agent, one for each execution. Pages come in the order of paths; a few are in flight
 * at a time, each until it is acknowledged. A listing is not stored: its owner has the position, and orders it again
 * from there.
 */
import { AppError } from '../src/domain/errors.ts';
import type { FilesFound, ListedFile, ListingPage, TaskError } from '../src/domain/node/agent-messages.ts';
import type { FindFiles, ListFiles, ListingAck } from '../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../src/observe/log.ts';
import type { Broker, StoredEntry } from '../src/storage/broker.ts';
import { systemMonitorClock } from './clock.ts';
import type { LiveSession } from './session.ts';
import type { Workspaces } from './workspaces.ts';

/** limit: pages that wait for their acknowledgement; the listing pauses meanwhile. */
const OPEN_PAGES_MAX = 4;
/** A page that is not acknowledged within this time on a live session is sent again. */
const REPEAT_MS = 30_000;
const PAGE_SIZE = 1_000;
// limit: requests of `find` that are answered at the same time; further ones are refused.
const FINDS_MAX = 4;

interface Listing {
  readonly order: ListFiles;
  readonly stopping: AbortController;
  /** Unacknowledged, in order. */
  readonly open: ListingPage[];
  sequence: number;
  /** The end of the last page that was made. */
  through: string;
  /** Called when a page was acknowledged, or the listing is stopped. */
  onRoom: () => void;
  cancelRepeat: () => void;
  isDone: boolean;
}

export class Listings {
  readonly #workspaces: Workspaces;
  readonly #log: Logger;
  readonly #repeatMs: number;
  readonly #listings = new Map<number, Listing>();
  #findCount = 0;
  #session: LiveSession | undefined;

  constructor(workspaces: Workspaces, log: Logger, repeatMs = REPEAT_MS) {
    this.#workspaces = workspaces;
    this.#log = log;
    this.#repeatMs = repeatMs;
  }

  /** Execution ids of the listings. */
  holds(): number[] {
    return [...this.#listings.keys()];
  }

  connected(session: LiveSession): void {
    this.#session = session;
    for (const listing of this.#listings.values()) this.#tell(listing, listing.open);
  }

  /**
   * A repeat starts nothing: unacknowledged pages are sent again, in case they were lost. Resolves when all pages are
   * made, or the listing is stopped.
   */
  async begin(order: ListFiles): Promise<void> {
    const known = this.#listings.get(order.executionId);
    if (known !== undefined) return this.#tell(known, known.open);
    const listing: Listing = {
      order,
      stopping: new AbortController(),
      open: [],
      // Pages of an earlier listing of this execution may still be acknowledged: numbers start above theirs.
      sequence: Math.floor(systemMonitorClock.nowMs()),
      through: order.after,
      onRoom: () => undefined,
      cancelRepeat: () => undefined,
      isDone: false,
    };
    this.#listings.set(order.executionId, listing);
    try {
      await this.#list(listing);
    } catch (error) {
      this.#log.warn('listing_failed', { executionId: order.executionId, error });
      await this.#page(listing, { through: listing.through, files: [] }, error);
    }
  }

  /** Lists one page after a path, without an execution or acknowledgements. Never rejects; see `problem`. */
  async find({ requestId, workspace, after, limit }: FindFiles): Promise<FilesFound> {
    const answer = { type: 'filesFound', requestId, files: [], isLast: false } as const;
    if (this.#findCount >= FINDS_MAX)
      return { ...answer, problem: `the agent is already listing ${FINDS_MAX} workspaces: try again` };
    this.#findCount += 1;
    try {
      const broker = this.#workspaces.open(workspace);
      await demandReach(broker);
      const pageSize = Math.min(Math.max(1, limit), PAGE_SIZE);
      let files: readonly ListedFile[] = [];
      for await (const entries of broker.list({ recursive: true, after, pageSize, namesMax: pageSize })) {
        files = entries.map(listed);
        break;
      }
      // A directory that was unmounted meanwhile would be listed as empty.
      await demandReach(broker);
      return { ...answer, files, isLast: files.length < pageSize, problem: '' };
    } catch (error) {
      return { ...answer, problem: error instanceof Error ? error.message : String(error) };
    } finally {
      this.#findCount -= 1;
    }
  }

  end(executionId: number): void {
    const listing = this.#listings.get(executionId);
    if (listing === undefined) return;
    this.#listings.delete(executionId);
    listing.stopping.abort();
    listing.cancelRepeat();
    listing.onRoom();
  }

  acknowledged({ executionId, sequence }: ListingAck): void {
    const listing = this.#listings.get(executionId);
    if (listing === undefined) return;
    const at = listing.open.findIndex((page) => page.sequence === sequence);
    if (at < 0) return;
    // Pages are committed in order: those before it are committed as well.
    listing.open.splice(0, at + 1);
    listing.cancelRepeat();
    if (listing.open.length > 0) this.#expectAck(listing);
    else if (listing.isDone) this.#listings.delete(executionId);
    listing.onRoom();
  }

  stop(): void {
    for (const executionId of this.holds()) this.end(executionId);
  }

  async #list(listing: Listing): Promise<void> {
    const { order, stopping } = listing;
    const broker = this.#workspaces.open(order.workspace);
    await demandReach(broker);
    const { recursive, prefix, after, transferSuffix, pathsOnly } = order;
    const pageSize = order.pageSize > 0 ? order.pageSize : PAGE_SIZE;
    let through = after;
    // Each page is sent when the next one is made, so that the last can be marked as such.
    let held: Part | undefined;
    for await (const entries of broker.list({ recursive, prefix, after, pageSize, pathsOnly })) {
      if (held !== undefined) await this.#page(listing, held);
      if (stopping.signal.aborted) return;
      through = entries.at(-1)?.path ?? through;
      const wanted = entries.filter((one) => transferSuffix === '' || !one.path.endsWith(transferSuffix));
      held = { through, files: wanted.map(listed) };
    }
    // A directory that was unmounted meanwhile would be listed as empty.
    await demandReach(broker);
    await this.#page(listing, { ...(held ?? { through, files: [] }), isLast: true });
  }

  /** Resolves when the page is sent, once there is room for it. */
  async #page(listing: Listing, part: Part, error?: unknown): Promise<void> {
    const { order, open, stopping } = listing;
    while (open.length >= OPEN_PAGES_MAX && !stopping.signal.aborted) {
      await new Promise<void>((resolve) => {
        listing.onRoom = resolve;
      });
    }
    if (stopping.signal.aborted) return;
    listing.sequence += 1;
    const { executionId, owner } = order;
    const { through, files } = part;
    const isLast = part.isLast === true || error !== undefined;
    const page: ListingPage = {
      ...{ type: 'listingPage', executionId, owner, sequence: listing.sequence, after: listing.through },
      ...{ through, files, isLast, ...(error === undefined ? {} : { error: taskErrorOf(error) }) },
    };
    listing.through = through;
    listing.isDone = isLast;
    open.push(page);
    this.#tell(listing, [page]);
  }

  #tell(listing: Listing, pages: readonly ListingPage[]): void {
    const session = this.#session;
    if (session === undefined || session.closed.aborted || pages.length === 0) return;
    for (const page of pages) session.send(page);
    this.#expectAck(listing);
  }

  #expectAck(listing: Listing): void {
    listing.cancelRepeat();
    listing.cancelRepeat = systemMonitorClock.timer(this.#repeatMs, () => this.#tell(listing, listing.open));
  }
}

interface Part {
  readonly through: string;
  readonly files: readonly ListedFile[];
  readonly isLast?: boolean;
}

function listed({ path, size, mtimeMs, identity }: StoredEntry): ListedFile {
  return { path, size, mtimeMs, identity };
}

async function demandReach(broker: Broker): Promise<void> {
  const { isReachable, reason } = await broker.check();
  if (!isReachable) throw new AppError('WORKSPACE_UNAVAILABLE', reason);
}

function taskErrorOf(error: unknown): TaskError {
  const detail = error instanceof Error ? error.message : String(error);
  return { name: 'filesystem-io', isBuiltin: true, detail };
}
