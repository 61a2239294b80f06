/** The bed of the real agent for test/conformance/agent: over gRPC, with directories of this host. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { Hello } from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage, Launch } from '../../../src/domain/node/coordinator-messages.ts';
import { toFacts } from '../../../src/storage/file-facts.ts';
import { isHidden, MARKER_NAME } from '../../../src/storage/file-name.ts';
import {
  type AgentBed,
  type BedWorkspace,
  type Door,
  type Facts,
  type Heard,
  PRODUCT,
  type TaskKind,
} from '../../conformance/agent/agent-bed.ts';
import { folderSeenByTasks } from '../seen-by-tasks.ts';
import { type AgentBench, agentBench } from './agent-bench.ts';
import type { AgentProcess } from './agent-process.ts';
import { eventually } from './eventually.ts';
import { FakeCoordinator } from './fake-coordinator.ts';
import { hostWorkspace, makeLaunch, outputFile, shell } from './make-launch.ts';

const WITHIN_MS = 90_000;

/** Each script first records its begin in a file. */
const SCRIPTS: Readonly<Record<TaskKind, string>> = {
  brief: 'printf 0123456789 > "$OUTPUT_DIR/out.txt"',
  failing: 'exit 3',
  steady: 'while [ ! -e go ]; do sleep 0.05; done; printf 0123456789 > "$OUTPUT_DIR/out.txt"',
};

/** `isKilled`: the agent runs in a separate process. */
export async function realBed(t: Test, { isKilled }: { readonly isKilled: boolean }): Promise<AgentBed> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-door-'));
  const heard: Heard[] = [];
  const doors: Door[] = [];
  const hears = (door: Door) => ({
    isAcking: false,
    onReceived: (message: Heard['message']) => {
      if (message.type === 'hello') doors.push(door);
      heard.push({ session: doors.length, message });
    },
    answerHello: (hello: Hello) => bed.answerHello(hello, door),
  });
  const diaries = folderSeenByTasks('millrace-bed-');
  const second = await FakeCoordinator.start(folder, hears('second'));
  t.teardown(() => {
    second.stop();
    for (const one of [folder, diaries]) rmSync(one, { recursive: true });
  });
  const bench = await agentBench(t, { declaredWorkspaces: [] }, hears('first'));
  const bed = new RealBed(bench, second, { isKilled, heard, doors, diaries });
  t.teardown(() => bed.unprotectAll());
  return bed;
}

interface BedParts {
  readonly isKilled: boolean;
  readonly heard: readonly Heard[];
  readonly doors: readonly Door[];
  /** Folder that tasks write to. */
  readonly diaries: string;
}

class RealBed implements AgentBed {
  readonly heard: readonly Heard[];
  readonly doors: readonly Door[];
  answerHello: AgentBed['answerHello'] = () => undefined;
  readonly #bench: AgentBench;
  readonly #coordinators: Readonly<Record<Door, FakeCoordinator>>;
  readonly #isKilled: boolean;
  readonly #diaries: string;
  readonly #workspaces = new Map<string, Directory>();
  #process: AgentProcess | undefined;

  constructor(bench: AgentBench, second: FakeCoordinator, { isKilled, heard, doors, diaries }: BedParts) {
    this.#bench = bench;
    this.#coordinators = { first: bench.coordinator, second };
    this.#isKilled = isKilled;
    this.heard = heard;
    this.doors = doors;
    this.#diaries = diaries;
  }

  addressOf(door: Door): string {
    return this.#coordinators[door].address;
  }

  async start(): Promise<void> {
    if (this.#isKilled) this.#process = this.#bench.spawn();
    else await this.#bench.start();
  }

  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  say(...messages: readonly CoordinatorMessage[]): void {
    for (const coordinator of Object.values(this.#coordinators)) {
      for (const message of messages) coordinator.send(message);
    }
  }

  cut(): void {
    for (const coordinator of Object.values(this.#coordinators)) coordinator.hangUp();
  }

  until(isSo: () => boolean, what: string): Promise<void> {
    return eventually(isSo, what, WITHIN_MS);
  }

  workspace(name: string): BedWorkspace {
    let workspace = this.#workspaces.get(name);
    if (workspace === undefined) {
      const uuid = `11111111-2222-3333-4444-${String(this.#workspaces.size).padStart(12, '0')}`;
      workspace = new Directory(join(this.#bench.folder, `workspace-${name}`), uuid);
      this.#workspaces.set(name, workspace);
    }
    return workspace;
  }

  unprotectAll(): void {
    for (const workspace of this.#workspaces.values()) workspace.unprotect();
  }

  launch(executionId: number, kind: TaskKind, into: BedWorkspace): Launch {
    // Tasks run as other users than the agent.
    writeFileSync(this.#diary(executionId), '', { flag: 'a' });
    chmodSync(this.#diary(executionId), 0o666);
    const file = outputFile(PRODUCT.output, PRODUCT.fileName, { mediaType: 'text/plain' });
    return makeLaunch(executionId, {
      command: shell(`echo begun >> ${this.#diary(executionId)}; ${SCRIPTS[kind]}`),
      interface: { outputs: { files: [file], json: [] } },
      launch: {
        outputs: [{ output: PRODUCT.output, workspaceUuid: into.ref.uuid }],
        workspaces: [into.ref],
      },
    });
  }

  finish(executionId: number): void {
    writeFileSync(join(this.#bench.config.folder, `executions/${executionId}/work/go`), '');
  }

  begun(executionId: number): number {
    return readFileSync(this.#diary(executionId), 'utf8').split('\n').length - 1;
  }

  #diary(executionId: number): string {
    return join(this.#diaries, `begun-${executionId}`);
  }
}

class Directory implements BedWorkspace {
  readonly ref: BedWorkspace['ref'];
  readonly #root: string;
  #puts = 0;
  #isProtected = false;

  constructor(root: string, uuid: string) {
    this.#root = root;
    this.ref = { ...hostWorkspace(root, uuid), name: root };
    mkdirSync(root, { mode: 0o700 });
    this.mark();
  }

  /** Renamed to its name, as a careful sender does, so that no incomplete file is visible. */
  put(path: string, content: string): Facts {
    this.#puts += 1;
    const aside = join(this.#root, `.sent-${this.#puts}`);
    const place = join(this.#root, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(aside, content);
    const seconds = 1_700_000_000 + 60 * this.#puts;
    utimesSync(aside, seconds, seconds);
    renameSync(aside, place);
    return this.facts(path);
  }

  remove(path: string): void {
    rmSync(join(this.#root, path));
  }

  rename(from: string, to: string): void {
    renameSync(join(this.#root, from), join(this.#root, to));
  }

  files(): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    for (const path of readdirSync(this.#root, { recursive: true }) as string[]) {
      const place = join(this.#root, path);
      if (path.split('/').some(isHidden) || !lstatSync(place, { throwIfNoEntry: false })?.isFile()) continue;
      files.set(path, readFileSync(place, 'utf8'));
    }
    return files;
  }

  facts(path: string): Facts {
    const { size, mtimeMs, identity } = toFacts(lstatSync(join(this.#root, path), { bigint: true }));
    return { size, mtimeMs, identity };
  }

  isMarked(): boolean {
    return existsSync(join(this.#root, MARKER_NAME));
  }

  mark(): void {
    writeFileSync(join(this.#root, MARKER_NAME), `${this.ref.uuid}\n`);
  }

  unmark(): void {
    rmSync(join(this.#root, MARKER_NAME));
  }

  unmount(): void {
    renameSync(this.#root, `${this.#root}-away`);
    mkdirSync(this.#root, { mode: 0o700 });
  }

  /** Throws if a file was written to the place while nothing was mounted. */
  mount(): void {
    rmdirSync(this.#root);
    renameSync(`${this.#root}-away`, this.#root);
  }

  /** By a read-only mount, because root, who runs the tests, may write to any other directory. */
  protect(): void {
    must('mount', '--bind', this.#root, this.#root);
    this.#isProtected = true;
    must('mount', '-o', 'remount,bind,ro', this.#root);
  }

  unprotect(): void {
    if (this.#isProtected) must('umount', this.#root);
    this.#isProtected = false;
  }
}

function must(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
