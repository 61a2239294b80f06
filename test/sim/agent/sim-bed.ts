/** The bed of the simulated agent for test/conformance/agent: a world of one host and one who speaks with it. */
import { createHash } from 'node:crypto';
import type { AgentMessage } from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage, Launch } from '../../../src/domain/node/coordinator-messages.ts';
import { reportsOf } from '../../../src/domain/node/reports.ts';
import {
  type AgentBed,
  type BedWorkspace,
  type Door,
  type Facts,
  type Heard,
  PRODUCT,
  type TaskKind,
} from '../../conformance/agent/agent-bed.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';
import { Cables } from '../cables.ts';
import type { AgentStream } from '../coordinator/gateway.ts';
import { type Directory, Disks, identityOf, type StoredFile } from '../disks.ts';
import { CALM } from '../fault-schedule.ts';
import { RESOURCES } from '../scenario.ts';
import { Seeded } from '../seeded.ts';
import { SimProcess } from '../sim-process.ts';
import { SimTime } from '../sim-time.ts';
import { SimAgent } from './agent.ts';
import { SimHost } from './host.ts';

const WITHIN_MS = 600_000;
const HEARTBEAT_MS = 200;
const FAILING = { ...CALM, taskFails: 1 };

export class SimBed implements AgentBed {
  readonly heard: Heard[] = [];
  readonly doors: Door[] = [];
  answerHello: AgentBed['answerHello'] = () => undefined;
  readonly #time = new SimTime();
  readonly #cables: Cables;
  readonly #host: SimHost;
  readonly #coordinator: SimProcess;
  readonly #workspaces = new Map<string, SimWorkspace>();
  readonly #contents = new Map<string, string>();
  readonly #steady = new Set<number>();
  readonly #begun = new Map<number, number>();
  #agent: SimAgent | undefined;
  #stream: AgentStream | undefined;

  constructor(seed: number) {
    const random = new Seeded(seed);
    this.#cables = new Cables(this.#time, random.fork());
    this.#coordinator = new SimProcess(this.#time, 'coordinator');
    const disks = new Disks();
    this.#host = new SimHost(1, [], { disks, random, resources: RESOURCES });
    this.#host.lengthOf = ({ executionId }) =>
      this.#steady.has(executionId) ? Number.POSITIVE_INFINITY : 1_000 * random.next();
  }

  addressOf(door: Door): string {
    return door;
  }

  async start(): Promise<void> {
    this.#agent = new SimAgent(this.#host, {
      cables: this.#cables,
      addresses: ['first' satisfies Door],
      ...{ pageSizeMax: 1_000, takesLaunches: true, namesBoot: true },
      began: (executionId) => this.#begun.set(executionId, this.begun(executionId) + 1),
      dial: (process, address) => this.#dial(process, address as Door),
    });
    this.#agent.start();
  }

  async kill(): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined) return;
    agent.process.kill();
    agent.watches.forgetAll();
    this.#cables.died(agent.process);
    this.#agent = undefined;
  }

  say(...messages: readonly CoordinatorMessage[]): void {
    for (const message of messages) this.#stream?.answer(structuredClone(message));
  }

  cut(): void {
    this.#stream?.end();
  }

  async until(isSo: () => boolean, what: string): Promise<void> {
    await this.#time.run(WITHIN_MS, () => undefined, isSo);
    if (!isSo()) throw new Error(`never: ${what}`);
  }

  workspace(name: string): BedWorkspace {
    let workspace = this.#workspaces.get(name);
    if (workspace === undefined) {
      const uuid = `11111111-2222-3333-4444-${String(this.#workspaces.size).padStart(12, '0')}`;
      workspace = new SimWorkspace(name, uuid, this.#host, this.#contents);
      this.#workspaces.set(name, workspace);
    }
    return workspace;
  }

  launch(executionId: number, kind: TaskKind, into: BedWorkspace): Launch {
    if (kind === 'steady') this.#steady.add(executionId);
    this.#cables.faultRates = kind === 'failing' ? FAILING : CALM;
    const outputs = [{ output: PRODUCT.output, workspaceUuid: into.ref.uuid }];
    return makeLaunch(executionId, { launch: { outputs, workspaces: [into.ref] } });
  }

  finish(executionId: number): void {
    const task = this.#host.tasks.get(executionId);
    if (task === undefined) return;
    task.endsMs = this.#time.nowMs;
    this.#agent?.tasks.resume();
  }

  begun(executionId: number): number {
    return this.#begun.get(executionId) ?? 0;
  }

  #dial(process: SimProcess, door: Door): AgentStream | undefined {
    const stream = this.#cables.connect<AgentMessage, CoordinatorMessage>(process, this.#coordinator);
    if (stream === undefined) return undefined;
    this.doors.push(door);
    const session = this.doors.length;
    this.#stream = stream;
    stream.onCall(
      (message) => {
        const reports = reportsOf(message);
        for (const one of reports.length === 0 ? [message] : reports)
          this.heard.push({ session, message: structuredClone(one) });
        if (message.type !== 'hello') return;
        const welcome = { type: 'welcome', nodeId: 1, sessionId: `s${session}`, heartbeatMs: HEARTBEAT_MS };
        const told = { ...welcome, takesIngestUpdates: true, takesTaskUpdates: true, comparesBoots: true };
        stream.answer(this.answerHello(message, door) ?? (told as CoordinatorMessage));
      },
      () => stream.end(),
    );
    return stream;
  }
}

class SimWorkspace implements BedWorkspace {
  readonly ref: BedWorkspace['ref'];
  readonly #host: SimHost;
  readonly #directory: Directory;
  /** The contents in all workspaces of the bed, by their hashes. */
  readonly #contents: Map<string, string>;
  #puts = 0;

  constructor(name: string, uuid: string, host: SimHost, contents: Map<string, string>) {
    const configuration = JSON.stringify({ broker: { type: 'host', host_path: `/${name}` } });
    this.ref = { uuid, name, configuration };
    this.#host = host;
    this.#contents = contents;
    this.#directory = host.disks.directory(uuid);
    this.mount();
    this.mark();
  }

  put(path: string, content: string): Facts {
    this.#puts += 1;
    const sha256 = createHash('sha256').update(content).digest('hex');
    this.#contents.set(sha256, content);
    // Before the world began, a minute apart.
    const mtimeMs = 60_000 * this.#puts - 86_400_000;
    this.#host.disks.write(this.ref.uuid, path, { size: content.length, mtimeMs, sha256 });
    return this.facts(path);
  }

  remove(path: string): void {
    this.#directory.remove(path);
  }

  rename(from: string, to: string): void {
    const file = this.#directory.files.get(from) as StoredFile;
    this.#directory.remove(from);
    this.#directory.put(to, file);
  }

  /** What tasks stored has no content here: its hash stands for it. */
  files(): ReadonlyMap<string, string> {
    const shown = [...this.#directory.files].filter(
      ([path]) => !path.split('/').some((one) => one.startsWith('.')),
    );
    return new Map(shown.map(([path, file]) => [path, this.#contentOf(file)]));
  }

  facts(path: string): Facts {
    const file = this.#directory.files.get(path) as StoredFile;
    return { size: file.size, mtimeMs: file.mtimeMs, identity: identityOf(file) };
  }

  isMarked(): boolean {
    return this.#directory.isMarked;
  }

  mark(): void {
    this.#directory.isMarked = true;
  }

  unmark(): void {
    this.#directory.isMarked = false;
  }

  unmount(): void {
    this.#host.mounts.delete(this.ref.uuid);
  }

  mount(): void {
    this.#host.mounts.add(this.ref.uuid);
  }

  protect(): void {
    this.#host.unmarkable.add(this.ref.uuid);
  }

  unprotect(): void {
    this.#host.unmarkable.delete(this.ref.uuid);
  }

  #contentOf({ sha256 }: StoredFile): string {
    const [hash = ''] = sha256.split('#');
    return this.#contents.get(hash) ?? hash;
  }
}
