/** The real scan actor. The store, the matching of rules, the nodes and other actors are simulated by the test. */
import { scanActor } from '../../../src/actors/scan/scan.actor.ts';
import type { ScanPorts } from '../../../src/actors/scan/scan.ports.ts';
import type { ArrivalResult, Change } from '../../../src/domain/changes.ts';
import type { IngestEnd } from '../../../src/domain/ingest/ingest.ts';
import type { IngestRule } from '../../../src/domain/ingest/ingest-rule.ts';
import type { ExecutionStart, JobMove } from '../../../src/domain/job/job.ts';
import type { ListedFile, ListingPage } from '../../../src/domain/node/agent-messages.ts';
import type { IngestItem } from '../../../src/domain/node/coordinator-messages.ts';
import type { ScanMode, ScanRow } from '../../../src/domain/scan/scan.ts';
import type { ScanConfiguration } from '../../../src/domain/scan/scan-config.ts';
import { ActorWorld, type SentMessage } from './actor-world.ts';
import { makeIngest, makeRule, makeWorkspace } from './strike-world.ts';

export const SCAN = 4;
export const JOB = { dry_run: 8, ingest: 7 } as const;

export const CONFIGURATION: ScanConfiguration = {
  workspace: 'in',
  scanner: { type: 'dir', transfer_suffix: '_tmp' },
  recursive: true,
  files_to_ingest: [makeRule('\\.txt$'), makeRule('^b')],
};

export function listed(path: string, over: Partial<ListedFile> = {}): ListedFile {
  return { path, size: 1, mtimeMs: 0, identity: path, ...over };
}

type Order = { executionId: number; after: string; exeNum: number; jobId: number };

export class ScanWorld extends ActorWorld {
  readonly row: { -readonly [K in keyof ScanRow]: ScanRow[K] };
  workspaces = [makeWorkspace(1, 'in'), makeWorkspace(2, 'out')];
  nodes: readonly number[] = [5];
  /** Tests replace it to simulate failures. */
  match = async (rules: readonly IngestRule[], paths: readonly string[]): Promise<readonly number[]> =>
    paths.map((path) => rules.findIndex((rule) => new RegExp(rule.filename_regex).test(path)));
  /** Tests replace any of these to simulate failures. */
  readonly ports: { -readonly [K in keyof ScanPorts]: ScanPorts[K] };
  /** The end of the last page. */
  through = '';
  #sequence = 0;
  readonly #known = new Set<string>();

  constructor(over: Partial<ScanRow> = {}) {
    const held: { self?: ScanWorld } = {};
    const self = (): ScanWorld => held.self as ScanWorld;
    const live = () => self().row.live;
    const ports: ScanPorts = {
      loadScans: async () => new Map([[SCAN, { ...self().row, workspaces: self().workspaces }]]),
      dueScans: async () => [SCAN],
      matchRules: ({ rules, paths }) => self().match(rules, paths),
      nodesReaching: async () => self().nodes,
      activeWorkspaces: async () => self().workspaces,
      ingestFacts: async () => ({ sources: [], revision: null, purged: [] }) as never,
      liveIngests: async ({ afterId, limit }) =>
        live()
          .filter((one) => one.id > afterId)
          .slice(0, limit),
      ingestsOfJobs: async ({ jobIds }) =>
        live()
          .filter((one) => jobIds.includes(one.jobId))
          .map((one) => ({ ...one, jobStatus: 'QUEUED' as const, requestPosition: null })),
      liveIngestJobs: async () => ({
        jobIds: live().map((one) => one.jobId),
        lastIngestId: live().at(-1)?.id ?? 0,
      }),
    };
    super('scan', { def: scanActor, ports, others: ['node', 'recipe', 'scheduler'] });
    held.self = this;
    this.ports = ports;
    this.row = {
      ...{
        id: SCAN,
        configuration: { ...CONFIGURATION },
        workspaceId: 1,
        run: null,
        cursor: '',
        counts: null,
        previousCounts: null,
      },
      jobs: {
        ingest: { id: JOB.ingest, status: 'PENDING', exeNum: 0 },
        dry_run: { id: JOB.dry_run, status: 'PENDING', exeNum: 0 },
      },
      ...{
        cancelThrough: null,
        reason: null,
        waiting: [],
        listing: null,
        live: [],
        hasMore: false,
        workspaces: [],
      },
      ingestJob: { shard: 4, jobTypeId: 1, jobTypeRevId: 1, priority: 1, maxTries: 3, timeoutS: 0 },
      ...over,
    };
    this.answer = (change) => this.#apply(change);
  }

  /** Applies changes to the rows, which loads read. */
  #apply(change: Change): ArrivalResult | undefined {
    if (change.type === 'recordArrivals') return this.#record(change);
    if (change.type === 'editScan') Object.assign(this.row, change.patch);
    if (change.type === 'moveJobs') for (const move of change.moves) this.#move(move);
    if (change.type === 'startExecutions') for (const start of change.starts) this.#start(start);
    if (change.type === 'endIngests') for (const end of change.ingests) this.#end(end);
    const { listing } = this.row;
    if (
      change.type === 'endExecutions' &&
      change.ends.some((one) => one.executionId === listing?.executionId)
    )
      this.row.listing = null;
    return undefined;
  }

  #modeOf(jobId: number): ScanMode | undefined {
    return jobId === JOB.ingest ? 'ingest' : jobId === JOB.dry_run ? 'dry_run' : undefined;
  }

  #move(move: JobMove): void {
    const { jobId, kind } = move;
    const mode = this.#modeOf(jobId);
    if (mode === undefined) return;
    const exeNum = (kind === 'queue' ? move.queueing.exeNum : move.exeNum) ?? 0;
    const status = kind === 'queue' ? 'QUEUED' : move.to;
    const before = this.row.jobs[mode];
    const isMeant = move.from.includes(before.status) && (move.exeNum ?? exeNum) === before.exeNum;
    if (!isMeant) throw new Error(`the move of ${mode} does not fit its row`);
    this.row.jobs = { ...this.row.jobs, [mode]: { id: jobId, status, exeNum } };
  }

  #start({ executionId, jobId, exeNum, nodeId }: ExecutionStart): void {
    const { row } = this;
    const mode = this.#modeOf(jobId);
    if (mode !== undefined) {
      row.listing = { executionId, exeNum, nodeId };
      row.jobs = { ...row.jobs, [mode]: { id: jobId, status: 'RUNNING', exeNum } };
    }
    const started = { status: 'INGESTING', executionId, nodeId } as const;
    row.live = row.live.map((one) => (one.jobId === jobId ? { ...one, ...started } : one));
  }

  #end({ ingestId, status }: IngestEnd): void {
    const waiting = { status: 'TRANSFERRED', executionId: null, nodeId: null } as const;
    this.row.live = this.row.live.flatMap((one) => {
      if (one.id !== ingestId) return [one];
      return status === 'TRANSFERRED' ? [{ ...one, ...waiting }] : [];
    });
  }

  #record({ arrivals }: Extract<Change, { type: 'recordArrivals' }>): ArrivalResult {
    const fresh = arrivals.filter((one) => {
      const key = `${one.filePath}/${one.identity}`;
      const isNew = one.status === 'TRANSFERRED' && !this.#known.has(key);
      this.#known.add(key);
      return isNew;
    });
    const made = fresh.map(({ ingestId, jobId, filePath, identity }) =>
      makeIngest(ingestId, { jobId, filePath, identity: identity ?? '' }),
    );
    this.row.live = [...this.row.live, ...made];
    const accepted = made.map(({ id, jobId, filePath, identity }) => {
      return { ingestId: id, jobId, filePath, identity, start: null };
    });
    return { accepted };
  }

  async say(message: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<void> {
    this.tell(SCAN, message);
    await this.clock.settle();
  }

  /** Asks the scan; resolves with the answer, or the code of the refusal. */
  async request(message: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<unknown> {
    const asked = this.ask(SCAN, message as never);
    await this.clock.settle();
    return asked.state === 'resolved' ? asked.value : asked.code;
  }

  process(mode: ScanMode): Promise<unknown> {
    this.through = '';
    return this.request({ type: 'process', mode });
  }

  /** The last order of a listing. */
  order(): Order {
    return this.heard('startListing').at(-1)?.order as Order;
  }

  /** A page of the current listing, which follows the last page. */
  page(files: readonly ListedFile[], over: Partial<ListingPage> = {}): ListingPage {
    this.#sequence += 1;
    const through = files.at(-1)?.path ?? this.through;
    const page: ListingPage = {
      ...{ type: 'listingPage', executionId: this.order().executionId, owner: `scan/${SCAN}` },
      ...{ sequence: this.#sequence, after: this.through, through, files, isLast: false },
      ...over,
    };
    this.through = page.through;
    return page;
  }

  async list(page: ListingPage): Promise<void> {
    await this.say({ type: 'filesListed', nodeId: 5, page });
  }

  /** Acknowledged pages. */
  committed(): unknown[] {
    return this.heard('pageCommitted').map((one) => one.sequence);
  }

  stopped(): SentMessage[] {
    return this.heard('stopListing');
  }

  /** Ingests that were ordered from nodes. */
  ordered(): IngestItem[] {
    return this.heard('startIngests').flatMap((one) => one.items as IngestItem[]);
  }

  /** Reports that a node has stored an ingest. */
  stored(item: IngestItem): Promise<void> {
    const { ingestId, executionId, jobId, exeNum, owner, sourcePath: path } = item;
    const update = {
      ...{ type: 'ingestUpdate', spoolId: executionId, ingestId, executionId, jobId, exeNum, owner },
      ...{ outcome: 'stored', workspaceUuid: 'u1', path, size: 1, sha256: 'ab', startedMs: 0, endedMs: 1 },
    };
    return this.say({ type: 'ingestsEnded', results: [{ update, nodeId: 5, spoolId: executionId }] });
  }
}
