/**
 * The coordinator's side of one agent's session: a bidirectional stream of plain messages. Queues outgoing messages, in
 * order and bounded. An agent that does not read is disconnected, and everything is sent again after its next hello.
 */
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { AgentClock } from '../domain/node/agent-clock.ts';
import type { AgentMessage } from '../domain/node/agent-messages.ts';
import type { CoordinatorMessage } from '../domain/node/coordinator-messages.ts';
import { nextMessage } from '../domain/node/launches.ts';

export type AgentStream = ServerDuplexStream<AgentMessage, CoordinatorMessage>;

/** Most messages that wait for a slow agent. */
const WAITING_MAX = 20_000;

export class AgentSession {
  readonly id: string;
  nodeId = 0;
  nodeName = '';
  /** Whether the agent accepts several launches in one message. */
  takesLaunches = false;
  readonly clock = new AgentClock();
  readonly #stream: AgentStream;
  readonly #waiting: CoordinatorMessage[] = [];
  readonly #loggedTypes = new Set<AgentMessage['type']>();
  #isWritable = true;
  #isWelcomed = false;
  #isEnded = false;

  constructor(id: string, stream: AgentStream) {
    this.id = id;
    this.#stream = stream;
    stream.on('drain', () => {
      this.#isWritable = true;
      this.#flush();
    });
  }

  /** False if a message of this type was already logged as cut or refused in this session. */
  isFirstProblem(type: AgentMessage['type']): boolean {
    if (this.#loggedTypes.has(type)) return false;
    this.#loggedTypes.add(type);
    return true;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Answers the hello; messages queued before may follow. */
  welcome(message: CoordinatorMessage): void {
    this.#isWelcomed = true;
    this.#waiting.unshift(message);
    this.#flush();
  }

  send(messages: readonly CoordinatorMessage[]): void {
    if (this.#isEnded) return;
    if (this.#waiting.length + messages.length > WAITING_MAX) {
      this.end();
      return;
    }
    for (const message of messages) this.#waiting.push(message);
    this.#flush();
  }

  /** Sends the reason and disconnects. */
  refuse(message: CoordinatorMessage): void {
    if (this.#isEnded) return;
    this.#stream.write(message);
    this.end();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting.length = 0;
    this.#stream.end();
  }

  #flush(): void {
    if (!this.#isWelcomed) return;
    let sent = 0;
    while (this.#isWritable && !this.#isEnded && sent < this.#waiting.length) {
      const { message, count } = nextMessage(this.#waiting, sent, this.takesLaunches);
      this.#isWritable = this.#stream.write(message);
      sent += count;
    }
    this.#waiting.splice(0, sent);
  }
}
