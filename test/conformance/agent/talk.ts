/** A conversation with an agent: what it said, and waiting for what it is to say. */
import type {
  AgentMessage,
  FilesDeleted,
  FilesSeen,
  Hello,
  IngestUpdate,
  ListingPage,
  Reachable,
  SeenFile,
  TaskUpdate,
} from '../../../src/domain/node/agent-messages.ts';
import type {
  CheckWorkspaces,
  DeleteFiles,
  Ingest,
  IngestItem,
  ListFiles,
  Monitor,
} from '../../../src/domain/node/coordinator-messages.ts';
import type { AgentBed, BedWorkspace, Facts } from './agent-bed.ts';

type Kind = AgentMessage['type'];
type Of<K extends Kind> = Extract<AgentMessage, { type: K }>;
type Update = TaskUpdate | IngestUpdate;

/** How often the agent is asked and answers before it counts as having nothing more to say. */
const ROUNDS = 3;
const BREAKS_MAX = 30;

export class Talk {
  readonly bed: AgentBed;
  #rounds = 0;

  constructor(bed: AgentBed) {
    this.bed = bed;
  }

  /** All of a kind, of one session or of all of them. */
  said<K extends Kind>(type: K, session?: number): Of<K>[] {
    const wanted = this.bed.heard.filter((one) => session === undefined || one.session === session);
    return wanted.flatMap(({ message }) => (message.type === type ? [message as Of<K>] : []));
  }

  /** Sessions begun so far. */
  get session(): number {
    return this.bed.heard.at(-1)?.session ?? 0;
  }

  /** The hello of a session, once it was welcomed and the agent has said what it offers. */
  async opened(session: number): Promise<Hello> {
    await this.bed.until(() => this.said('offer', session).length > 0, `session ${session} to be open`);
    return this.said('hello', session)[0] as Hello;
  }

  /** The first life and its first session. */
  async begin(): Promise<Hello> {
    await this.bed.start();
    return this.opened(1);
  }

  /** The session breaks, and the agent is back. */
  async interrupt(): Promise<Hello> {
    const next = this.session + 1;
    this.bed.cut();
    return this.opened(next);
  }

  /** Breaks the session until the agent holds these executions alone: what is acknowledged goes soon, not at once. */
  async holdsOnly(...executionIds: readonly number[]): Promise<Hello> {
    for (let breaks = 1; ; breaks += 1) {
      const hello = await this.interrupt();
      const held = [...hello.executions.map((one) => one.executionId), ...hello.ingestExecutionIds];
      if (held.sort().join() === executionIds.join()) return hello;
      if (breaks === BREAKS_MAX) throw new Error(`after ${breaks} sessions it holds ${held.join()}`);
    }
  }

  /** The agent dies; `meanwhile` happens; it lives again. */
  async restart(meanwhile: () => void = () => undefined): Promise<Hello> {
    const next = this.session + 1;
    await this.bed.kill();
    meanwhile();
    await this.bed.start();
    return this.opened(next);
  }

  updatesOf(executionId: number, session?: number): Update[] {
    const updates: Update[] = [...this.said('taskUpdate', session), ...this.said('ingestUpdate', session)];
    return updates.filter((one) => one.executionId === executionId);
  }

  /** Its first report, in that session or in any. */
  async task(executionId: number, session?: number): Promise<TaskUpdate> {
    return (await this.#update(executionId, session)) as TaskUpdate;
  }

  async ingest(executionId: number, session?: number): Promise<IngestUpdate> {
    return (await this.#update(executionId, session)) as IngestUpdate;
  }

  async #update(executionId: number, session?: number): Promise<Update> {
    const where = session === undefined ? '' : ` in session ${session}`;
    const updates = () => this.updatesOf(executionId, session);
    await this.bed.until(() => updates().length > 0, `a report of ${executionId}${where}`);
    return updates()[0] as Update;
  }

  ack(updates: readonly Update[], discardExecutionIds: readonly number[] = []): void {
    this.bed.say({ type: 'ack', spoolIds: updates.map((one) => one.spoolId), discardExecutionIds });
  }

  /** By then the agent has done what it was told before, as far as that takes no time of its own. */
  async settled(): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) await this.deleted(this.bed.workspace('round'), []);
  }

  /** So many signs of life later: the agent's own measure of time, five a second. */
  async later(count: number): Promise<void> {
    const from = this.said('heartbeat').length;
    await this.bed.until(() => this.said('heartbeat').length >= from + count, `${count} signs of life`);
  }

  async deleted(workspace: BedWorkspace, files: DeleteFiles['files']): Promise<FilesDeleted> {
    this.#rounds += 1;
    const requestId = `request-${this.#rounds}`;
    const answer = () => this.said('filesDeleted').find((one) => one.requestId === requestId);
    this.bed.say({ type: 'deleteFiles', requestId, workspace: workspace.ref, files });
    await this.bed.until(() => answer() !== undefined, `the answer to ${requestId}`);
    return answer() as FilesDeleted;
  }

  async reach(
    workspaces: readonly BedWorkspace[],
    claimed: readonly BedWorkspace[] = [],
  ): Promise<Reachable> {
    const before = this.said('reachable').length;
    const asked: CheckWorkspaces = {
      type: 'checkWorkspaces',
      workspaces: workspaces.map(({ ref }) => ref),
      claimUuids: claimed.map(({ ref }) => ref.uuid),
    };
    this.bed.say(asked);
    await this.bed.until(() => this.said('reachable').length > before, 'what is reached');
    return this.said('reachable')[before] as Reachable;
  }

  batches(executionId: number, session?: number): FilesSeen[] {
    return this.said('filesSeen', session).filter((one) => one.executionId === executionId);
  }

  /** Files told as complete by the batches from `from` on. */
  complete(executionId: number, from = 0): SeenFile[] {
    const files = this.batches(executionId)
      .slice(from)
      .flatMap((one) => one.files);
    return files.filter(({ arrival }) => arrival === 'complete');
  }

  /** The first batch from `from` on that tells so of the file. */
  async seen(
    executionId: number,
    path: string,
    from = 0,
    arrival: SeenFile['arrival'] = 'complete',
  ): Promise<FilesSeen> {
    const tells = ({ files }: FilesSeen) =>
      files.some((file) => file.path === path && file.arrival === arrival);
    const found = () => this.batches(executionId).slice(from).find(tells);
    await this.bed.until(() => found() !== undefined, `${path} to be seen as ${arrival}`);
    return found() as FilesSeen;
  }

  take({ executionId, batch }: FilesSeen): void {
    this.bed.say({ type: 'filesAck', executionId, batch });
  }

  pages(executionId: number, session?: number): ListingPage[] {
    return this.said('listingPage', session).filter((one) => one.executionId === executionId);
  }

  /** As many pages of different numbers. */
  async paged(executionId: number, count: number, session?: number): Promise<ListingPage[]> {
    const different = () => {
      const pages = this.pages(executionId, session);
      return [...new Map(pages.map((page) => [page.sequence, page])).values()];
    };
    await this.bed.until(() => different().length >= count, `${count} pages of ${executionId}`);
    return different().sort((one, other) => one.sequence - other.sequence);
  }

  turned({ executionId, sequence }: ListingPage): void {
    this.bed.say({ type: 'listingAck', executionId, sequence });
  }
}

export function monitorOf(
  executionId: number,
  workspace: BedWorkspace,
  more: Partial<Monitor> = {},
): Monitor {
  return {
    ...{ type: 'monitor', executionId, owner: 'strike/9', workspace: workspace.ref, transferSuffix: '' },
    ...{ stableMs: 100, sinceMs: 0, listEveryMs: 1_000 },
    ...more,
  };
}

export function listingOf(
  executionId: number,
  workspace: BedWorkspace,
  more: Partial<ListFiles> = {},
): ListFiles {
  return {
    ...{ type: 'listFiles', executionId, owner: 'scan/8', workspace: workspace.ref, recursive: true },
    ...{ prefix: '', after: '', transferSuffix: '', pageSize: 2, pathsOnly: false },
    ...more,
  };
}

export interface Errand {
  readonly from: BedWorkspace;
  readonly path: string;
  readonly seen: Facts;
  /** Absent: it stays where it is. */
  readonly to?: { readonly workspace: BedWorkspace; readonly path: string };
}

export function itemOf(executionId: number, { from, path, seen, to }: Errand): IngestItem {
  return {
    ...{ ingestId: executionId * 10, executionId, jobId: executionId * 100, exeNum: 1, owner: 'strike/9' },
    ...{ sourceWorkspaceUuid: from.ref.uuid, sourcePath: path },
    ...{ expectedSize: seen.size, expectedMtimeMs: seen.mtimeMs, expectedIdentity: seen.identity },
    ...{ targetWorkspaceUuid: to?.workspace.ref.uuid ?? '', targetPath: to?.path ?? '' },
  };
}

export function ingestOf(workspaces: readonly BedWorkspace[], ...items: readonly IngestItem[]): Ingest {
  return { type: 'ingest', items, workspaces: workspaces.map(({ ref }) => ref) };
}

/** Reports, pages and batches may be repeated; what they say must not differ. */
export function different(messages: readonly object[]): number {
  return new Set(messages.map((message) => JSON.stringify(message))).size;
}
