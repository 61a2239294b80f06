/** The real strike actor. The store, the matching of rules, the nodes and other actors are simulated by the test. */

import type { IngestFacts } from '../../../src/actors/ingest/ingest.ports.ts';
import { strikeActor } from '../../../src/actors/strike/strike.actor.ts';
import type { StrikePorts } from '../../../src/actors/strike/strike.ports.ts';
import type { ArrivalResult, Change } from '../../../src/domain/changes.ts';
import type { IngestEnd, IngestState } from '../../../src/domain/ingest/ingest.ts';
import type { IngestRule } from '../../../src/domain/ingest/ingest-rule.ts';
import type { ExecutionStart, JobMove } from '../../../src/domain/job/job.ts';
import type { IngestUpdate, SeenFile } from '../../../src/domain/node/agent-messages.ts';
import type { IngestItem } from '../../../src/domain/node/coordinator-messages.ts';
import type { WorkspaceInfo } from '../../../src/domain/node/node.ts';
import type { StrikeRow } from '../../../src/domain/strike/strike.ts';
import type { StrikeConfiguration } from '../../../src/domain/strike/strike-config.ts';
import { ActorWorld } from './actor-world.ts';

export const STRIKE = 3;

export function makeRule(regex: string, over: Partial<IngestRule> = {}): IngestRule {
  return { filename_regex: regex, data_types: [], ...over };
}

export const CONFIGURATION: StrikeConfiguration = {
  workspace: 'in',
  monitor: { type: 'dir-watcher' },
  files_to_ingest: [makeRule('.*')],
  recipe: { name: 'r' },
};

export function makeWorkspace(id: number, name: string, path = `/${name}`): WorkspaceInfo {
  const configuration = { broker: { type: 'host', host_path: path } };
  return { id, uuid: `u${id}`, name, configuration, isActive: true, claimedNodeId: null };
}

export function makeIngest(id: number, over: Partial<IngestState> = {}): IngestState {
  return {
    ...{ id, jobId: 10_000 + id, exeNum: 1, maxTries: 3, executionId: null, nodeId: null },
    ...{
      status: 'TRANSFERRED',
      workspaceId: 1,
      filePath: `f${id}`,
      fileName: `f${id}`,
      mediaType: 'text/plain',
    },
    ...{
      identity: `i${id}`,
      arrivedMs: 0,
      size: 1,
      mtimeMs: 0,
      tags: [],
      newWorkspaceId: null,
      newFilePath: null,
    },
    ...over,
  } as IngestState;
}

export function seen(path: string, over: Partial<SeenFile> = {}): SeenFile {
  return { path, arrival: 'complete', size: 1, mtimeMs: 0, identity: path, firstSeenMs: 0, ...over };
}

export class StrikeWorld extends ActorWorld {
  readonly row: { -readonly [K in keyof StrikeRow]: StrikeRow[K] };
  workspaces = [makeWorkspace(1, 'in'), makeWorkspace(2, 'out')];
  nodes: readonly number[] = [5];
  /** Monitors whose node no longer reaches the workspace. */
  lost: readonly { readonly strikeId: number; readonly executionId: number }[] = [];
  facts: IngestFacts = { sources: [], purged: [], revision: null };
  /** Ingests in rows, in addition to those of `row`. */
  more: IngestState[] = [];
  deferred: IngestState[] = [];
  /** The calls of `watchQueue`. */
  readonly watched: Parameters<StrikePorts['watchQueue']>[0][] = [];
  /** How often each port was called. */
  readonly calls: Record<string, number> = {};
  /** Tests replace it to simulate failures. */
  match = async (rules: readonly IngestRule[], paths: readonly string[]): Promise<readonly number[]> =>
    paths.map((path) => rules.findIndex((rule) => new RegExp(rule.filename_regex).test(path)));
  /** Tests replace any of these to simulate failures. */
  readonly ports: { -readonly [K in keyof StrikePorts]: StrikePorts[K] };
  #batch = 0;
  readonly #known = new Set<string>();

  constructor(over: Partial<StrikeRow> = {}) {
    const held: { self?: StrikeWorld } = {};
    const self = (): StrikeWorld => held.self as StrikeWorld;
    const ports: StrikePorts = {
      loadStrikes: async () => new Map([[STRIKE, { ...self().row, workspaces: self().workspaces }]]),
      dueStrikes: async () => [STRIKE],
      lostMonitors: async () => self().lost,
      matchRules: ({ rules, paths }) => self().match(rules, paths),
      nodesReaching: async () => self().nodes,
      activeWorkspaces: async () => self().workspaces,
      ingestFacts: async () => self().facts,
      liveIngests: async () => self().more,
      ingestsOfJobs: async () => [],
      watchQueue: async (args) => void self().watched.push(args),
      deferredIngests: async ({ afterId, limit }) =>
        self()
          .deferred.filter((one) => one.id > afterId)
          .slice(0, limit),
    };
    super('strike', {
      def: strikeActor,
      ports: counting(ports, () => self().calls),
      others: ['node', 'recipe', 'scheduler'],
    });
    held.self = this;
    this.ports = ports;
    this.row = {
      ...{ id: STRIKE, title: '', description: '', configuration: { ...CONFIGURATION }, workspaceId: 1 },
      ...{
        isPaused: false,
        deferredCursor: null,
        listing: null,
        job: { id: 7, status: 'QUEUED', exeNum: 1 },
        monitor: null,
      },
      ...{ live: [], hasMore: false, workspaces: [] },
      ingestJob: {
        ...{
          shard: 3,
          jobTypeId: 1,
          jobTypeRevId: 1,
          priority: 1,
          maxTries: 3,
          timeoutS: 0,
        },
      },
      ...over,
    } as StrikeRow;
    this.answer = (change) => this.#apply(change);
  }

  /** Applies changes to the rows, which loads read. */
  #apply(change: Change): ArrivalResult | undefined {
    const { row } = this;
    if (change.type === 'recordArrivals') return this.#record(change);
    if (change.type === 'editStrike') Object.assign(row, change.patch);
    if (change.type === 'markListing') row.listing = change.mark;
    if (change.type === 'moveJobs') for (const move of change.moves) this.#move(move);
    if (change.type === 'startExecutions') for (const start of change.starts) this.#start(start);
    if (change.type === 'endIngests') for (const end of change.ingests) this.#end(end);
    const { monitor } = row;
    if (
      change.type === 'endExecutions' &&
      change.ends.some((end) => end.executionId === monitor?.executionId)
    )
      row.monitor = null;
    return undefined;
  }

  #move(move: JobMove): void {
    const { jobId, kind } = move;
    const exeNum = (kind === 'queue' ? move.queueing.exeNum : move.exeNum) ?? 1;
    const status = kind === 'queue' ? 'QUEUED' : move.to;
    if (jobId === this.row.job.id) this.row.job = { id: jobId, status, exeNum };
    this.row.live = this.row.live.map((one) => (one.jobId === jobId ? { ...one, exeNum } : one));
  }

  #start({ executionId, jobId, exeNum, nodeId }: ExecutionStart): void {
    const { row } = this;
    if (jobId === row.job.id) {
      row.monitor = { executionId, exeNum, nodeId };
      row.job = { id: jobId, status: 'RUNNING', exeNum };
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
      const key = `${one.filePath}/${one.identity}/${one.status}`;
      const isNew = one.status === 'TRANSFERRED' && !this.#known.has(key);
      this.#known.add(key);
      return isNew;
    });
    const made = fresh.map((one) => {
      const { ingestId, jobId, filePath, identity, newWorkspaceId, newFilePath } = one;
      const started = one.start === undefined ? {} : { ...one.start, status: 'INGESTING' as const };
      const arrived = { jobId, filePath, identity: identity ?? '', newWorkspaceId, newFilePath, ...started };
      return makeIngest(ingestId, arrived);
    });
    const starts = new Map(fresh.map((one) => [one.ingestId, one.start ?? null]));
    this.row.live = [...this.row.live, ...made];
    return {
      accepted: made.map(({ id, jobId, filePath, identity }) => ({
        ingestId: id,
        jobId,
        filePath,
        identity,
        start: starts.get(id) ?? null,
      })),
    };
  }

  async say(message: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<void> {
    this.tell(STRIKE, message);
    await this.clock.settle();
  }

  async edit(fields: Readonly<Record<string, unknown>>): Promise<void> {
    const asked = this.ask(STRIKE, { type: 'edit', ...fields } as never);
    await this.clock.settle();
    if (asked.state !== 'resolved') throw new Error(`not edited: ${asked.code}`);
  }

  /** The execution of the monitor that was ordered last. */
  monitor(): number {
    const order = this.heard('startMonitor').at(-1)?.order as { executionId: number } | undefined;
    return order?.executionId ?? 0;
  }

  /** Reports files from the monitor; resolves with the number of the batch. */
  async arrive(...files: readonly SeenFile[]): Promise<number> {
    this.#batch += 1;
    const from = { executionId: this.monitor(), nodeId: 5, batch: this.#batch };
    await this.say({ type: 'filesSeen', ...from, files });
    return this.#batch;
  }

  /** Acknowledged batches. */
  committed(): unknown[] {
    return this.heard('filesCommitted').map((one) => one.batch);
  }

  /** Ingests that were ordered from nodes. */
  ordered(): IngestItem[] {
    return this.heard('startIngests').flatMap((one) => one.items as IngestItem[]);
  }

  /** Reports the end of an ingest from a node. */
  report(
    item: IngestItem,
    over: Partial<IngestUpdate> = {},
    spoolId: number | null = item.executionId,
  ): Promise<void> {
    const update: IngestUpdate = {
      ...{
        type: 'ingestUpdate',
        spoolId: spoolId ?? 0,
        ingestId: item.ingestId,
        executionId: item.executionId,
      },
      ...{
        jobId: item.jobId,
        exeNum: item.exeNum,
        owner: item.owner,
        outcome: 'stored',
        workspaceUuid: 'u1',
      },
      ...{ path: item.sourcePath, size: 1, sha256: 'ab', startedMs: 0, endedMs: 1, error: undefined },
      ...over,
    } as IngestUpdate;
    return this.say({ type: 'ingestsEnded', results: [{ update, nodeId: 5, spoolId }] });
  }
}

function counting(ports: StrikePorts, calls: () => Record<string, number>): StrikePorts {
  return new Proxy(ports, {
    get: (target, name: keyof StrikePorts) => (args: never) => {
      calls()[name] = (calls()[name] ?? 0) + 1;
      return (target[name] as (args: never) => unknown)(args);
    },
  });
}
