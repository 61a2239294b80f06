/**
 * What the suite of agents speaks with: one agent on its host, and a coordinator that says only what it is made to say
 * and acknowledges nothing by itself.
 */
import type { AgentMessage, Hello } from '../../../src/domain/node/agent-messages.ts';
import type {
  CoordinatorMessage,
  Launch,
  WorkspaceRef,
} from '../../../src/domain/node/coordinator-messages.ts';

/** Coordinators that the agent may be sent to; it is told of the first only. */
export type Door = 'first' | 'second';

export interface Heard {
  /** Sessions are counted from 1, those that were not welcomed too. */
  readonly session: number;
  readonly message: AgentMessage;
}

/** A file as those who look at it see it. */
export interface Facts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly identity: string;
}

/** A workspace's directory, as its senders and the host's administrator have it. */
export interface BedWorkspace {
  readonly ref: WorkspaceRef;
  /** A new file, or a new one in the place of another. Two files have never the same time. */
  put(path: string, content: string): Facts;
  remove(path: string): void;
  /** The same file, under another name. */
  rename(from: string, to: string): void;
  /** What lies there by path; hidden names left out. */
  files(): ReadonlyMap<string, string>;
  /** The facts of a file that is there. */
  facts(path: string): Facts;
  isMarked(): boolean;
  mark(): void;
  unmark(): void;
  /** What is mounted there is gone, and an empty directory left. */
  unmount(): void;
  mount(): void;
  /** The agent cannot write to it; whoever could before still can when it is over. */
  protect(): void;
  unprotect(): void;
}

/**
 * `brief`: ends at once, with one product. `failing`: ends at once, and badly. `steady`: continues until told to end.
 */
export type TaskKind = 'brief' | 'failing' | 'steady';

/** What a `brief` task stores, of its output `OUT`. */
export const PRODUCT = { output: 'OUT', fileName: 'out.txt', size: 10 } as const;

export interface AgentBed {
  /** The messages of all sessions, in the order in which they were heard. */
  readonly heard: readonly Heard[];
  /** What answers a hello; absent, or without an answer: a welcome. */
  answerHello: (hello: Hello, door: Door) => CoordinatorMessage | undefined;
  addressOf(door: Door): string;
  /** At which door each session began. */
  readonly doors: readonly Door[];
  /** A life of the agent begins: its first, or the next. */
  start(): Promise<void>;
  /** It dies on the spot. Its tasks continue. */
  kill(): Promise<void>;
  /** The coordinator says so, on the session that is open. */
  say(...messages: readonly CoordinatorMessage[]): void;
  /** The session breaks; the agent comes back by itself. */
  cut(): void;
  /** Lets time pass until it is so. Throws when it never is. */
  until(isSo: () => boolean, what: string): Promise<void>;
  /** Made at first sight, mounted, with its marker. */
  workspace(name: string): BedWorkspace;
  launch(executionId: number, kind: TaskKind, into: BedWorkspace): Launch;
  /** A `steady` task ends, and well; whether the agent lives or not. */
  finish(executionId: number): void;
  /** How often the execution was begun. */
  begun(executionId: number): number;
}
