/** What a command works with: its service, its output, and the person to ask. */
import type { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Client } from '../../client/client.ts';
import { Contact } from '../../client/contact.ts';
import type { ClientError } from '../../client/errors.ts';
import type { Programs } from '../programs.ts';
import {
  type Connection,
  type ConnectionOptions,
  clientOf,
  DEFAULT_SERVER,
  resolveConnection,
} from './connection.ts';
import { jsonText } from './documents/json-text.ts';
import { escapeControls, escapeLines } from './escape.ts';
import { InterruptedError, UsageError } from './exit-codes.ts';
import { type CalledService, causeText } from './refusal.ts';
import { type Column, cell, cutToWidth, tableLines, wrapFor, wrapLines } from './table.ts';

export const OUTPUTS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Output = (typeof OUTPUTS)[number];

export interface GlobalOptions extends ConnectionOptions {
  readonly output: Output;
  readonly quiet: boolean;
  readonly yes: boolean;
  /** An option of commands that change something. */
  readonly dryRun?: boolean;
}

/** The parts of the process that commands use. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** The emitter of the process's signals. */
  readonly process: Pick<EventEmitter, 'on' | 'off'>;
  readonly cwd: string;
  /** The path of this program, with which commands start a service of their own. */
  readonly program: string;
  readonly version: string;
  /** The service programs, which are loaded only when one runs. */
  readonly load: () => Promise<Programs>;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

/** The service of a command that has not connected yet. */
export const NO_SERVICE_CALLED: CalledService = {
  server: DEFAULT_SERVER,
  token: undefined,
  profile: undefined,
  tokenFrom: undefined,
};

/** Whether the stream is a terminal that understands more than text and line breaks. */
export function isScreen(
  { isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>,
  { TERM }: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTTY === true && TERM !== 'dumb';
}

/** The text of one document, with a line break at its end. */
export type TextOf = (value: unknown) => string;

/** The text of documents in the form of `--output`. */
export async function loadTextOf(output: Output): Promise<TextOf> {
  if (output === 'yaml') return (await import('./documents/yaml-text.ts')).yamlText;
  return (value) => `${jsonText(value, 2)}\n`;
}

export class Context {
  readonly options: GlobalOptions;
  readonly terminal: Terminal;
  /** Fires at Ctrl-C and at SIGTERM. A second signal ends the process. */
  readonly signal: AbortSignal;
  readonly textOf: TextOf;
  #calledService = NO_SERVICE_CALLED;

  constructor(options: GlobalOptions, terminal: Terminal, signal: AbortSignal, textOf: TextOf) {
    this.options = options;
    this.terminal = terminal;
    this.signal = signal;
    this.textOf = textOf;
  }

  connection(): Promise<Connection> {
    return this.connectionTo(this.options);
  }

  async connectionTo(options: ConnectionOptions): Promise<Connection> {
    const connection = await resolveConnection(options, this.terminal.env);
    this.#calledService = connection;
    return connection;
  }

  /** The service of the latest connection, for messages about failed calls. */
  get calledService(): CalledService {
    return this.#calledService;
  }

  async client(): Promise<Client> {
    return clientOf(await this.connection(), (error) =>
      this.note(`${causeText(error, this.calledService)}; trying again for 3 s ...`),
    );
  }

  /**
   * Prints a note when a command that follows a service loses the connection, and when the connection is back. If the
   * command uses several streams and calls, each note is printed once for all of them.
   */
  readonly #contact = new Contact({
    onLost: (error) => this.note(this.lostText(error)),
    onBack: () => this.note(this.backText),
  });
  readonly onLost = this.#contact.lose;
  readonly onBack = this.#contact.find;

  lostText(error: ClientError): string {
    return `${causeText(error, this.calledService)}; the connection is lost, trying again ...`;
  }

  get backText(): string {
    return `${this.calledService.server}: the connection is back`;
  }

  get isStructured(): boolean {
    return this.options.output === 'json' || this.options.output === 'yaml';
  }

  /** One line of the result. Control characters are escaped, and with them line breaks. */
  print(text: string): void {
    this.write(`${escapeControls(text)}\n`);
  }

  /** As `print`, cut to the width of the terminal. */
  printCut(text: string): void {
    const line = escapeControls(text);
    const { columns } = this;
    this.write(`${columns === undefined ? line : cutToWidth(line, columns)}\n`);
  }

  /** The same for sentences; on a terminal that is too narrow, in lines of whole words, indented like the first. */
  printWrapped(text: string): void {
    this.write(`${wrapFor(this.terminal.stdout, escapeControls(text))}\n`);
  }

  /** How wide the terminal is that has the result; undefined where it is none. */
  get columns(): number | undefined {
    const { isTTY, columns } = this.terminal.stdout;
    return isTTY ? columns : undefined;
  }

  /** Whether the result goes to a terminal that understands more than text and line breaks. */
  get hasScreen(): boolean {
    return isScreen(this.terminal.stdout, this.terminal.env);
  }

  get hasColor(): boolean {
    return this.hasScreen && (this.terminal.env.NO_COLOR ?? '') === '';
  }

  /** One line in addition to the result, which `--quiet` leaves out. */
  note(text: string): void {
    if (!this.options.quiet) this.problem(text);
  }

  /** One line that says what is wrong. */
  problem(text: string): void {
    const { stderr } = this.terminal;
    stderr.write(`${wrapFor(stderr, escapeControls(text))}\n`);
  }

  /** Writes bytes as they are, and waits while the reader is slow. */
  write(chunk: string | Uint8Array): boolean {
    return this.terminal.stdout.write(chunk);
  }

  async writeAll(chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
    const { stdout } = this.terminal;
    for await (const chunk of chunks) {
      if (!stdout.write(chunk)) await new Promise((resolve) => stdout.once('drain', resolve));
    }
  }

  /** Shows records in the form of `--output`. `nameOf` gives the name or id that other commands accept for a record. */
  records<T>(records: readonly T[], columns: readonly Column<T>[], nameOf: (record: T) => unknown): void {
    const { output } = this.options;
    if (this.isStructured) this.document(records);
    else if (output === 'name') for (const record of records) this.print(String(nameOf(record)));
    else {
      const shown = columns.filter(({ isWide = false }) => !isWide || output === 'wide');
      for (const line of tableLines(records, shown, this.columns)) this.write(`${line}\n`);
    }
  }

  /** Fields of one record below each other. */
  fields(fields: readonly (readonly [name: string, value: unknown])[]): void {
    const width = Math.max(...fields.map(([name]) => name.length));
    const indent = ' '.repeat(width + 2);
    const fit = (line: string): string[] =>
      this.columns === undefined ? [line] : wrapLines(line, this.columns - indent.length, '');
    for (const [name, value] of fields) {
      const text = typeof value === 'string' && value !== '' ? escapeLines(value) : cell(value);
      const lines = text.split('\n').flatMap(fit);
      this.write(`${name.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`);
    }
  }

  /** One document as JSON or YAML. */
  document(value: unknown): void {
    this.write(this.textOf(value));
  }

  /** Whether a question can be answered: by a person, or by `--yes`. */
  get canAsk(): boolean {
    const { stdin, stderr } = this.terminal;
    return this.options.yes || (stdin.isTTY === true && stderr.isTTY === true);
  }

  /** Asks before a change that cannot be undone. Without a terminal `--yes` is needed. */
  async confirm(question: string): Promise<boolean> {
    if (this.options.yes) return true;
    const { stderr } = this.terminal;
    if (!this.canAsk) throw new UsageError(`${question} Add --yes to answer without a terminal.`);
    const answer = await this.#ask(`${wrapFor(stderr, `${escapeControls(question)} [y/N]`)} `, stderr);
    return /^y(?:es)?$/i.test(answer.trim());
  }

  /** Reads a line from the person, without showing it. Without a terminal: the first line of standard input. */
  async secret(prompt: string): Promise<string> {
    const { stdin, stderr } = this.terminal;
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
    if (stdin.isTTY) stderr.write(prompt);
    const answer = await this.#ask(prompt, hidden);
    if (stdin.isTTY) stderr.write('\n');
    return answer;
  }

  /** Reads a line from the person; without a terminal, the first line of standard input. */
  question(prompt: string): Promise<string> {
    return this.#ask(prompt, this.terminal.stderr);
  }

  async #ask(prompt: string, output: NodeJS.WritableStream): Promise<string> {
    const { stdin } = this.terminal;
    const isTerminal = stdin.isTTY === true;
    const lines = createInterface({ input: stdin, output, terminal: isTerminal });
    const ended = `standard input ended before an answer to '${prompt.trim()}'`;
    try {
      return await new Promise<string>((resolve, reject) => {
        lines.on('SIGINT', () => reject(new InterruptedError()));
        lines.on('close', () => reject(new UsageError(ended)));
        lines.question(isTerminal ? prompt : '', { signal: this.signal }).then(resolve, reject);
      });
    } finally {
      lines.close();
    }
  }
}
