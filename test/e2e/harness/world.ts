/**
 * A test's own installation: a folder with data and workspaces, programs that work in it, and an end that leaves
 * nothing behind, however the test ends. Logs are shown when the test fails.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { DemoDirectories } from '../../../src/cli/demo/demo-types.ts';
import type { Command } from '../../../src/config/config.ts';
import { InterfaceClient } from '../../support/clients/interface-client.ts';
import { folderSeenByTasks } from '../../support/seen-by-tasks.ts';
import { killProcessesOf } from './folder-processes.ts';
import { Program } from './program.ts';

const LOG_CHARS = 6_000;

export class World {
  /** Passable for users of tasks and of the embedded server. */
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
  /** A folder of the host for what process tasks leave: those of the folder's slots do not see the rest of /tmp. */
  readonly seenByTasks = folderSeenByTasks('millrace-e2e-');
  readonly at: DemoDirectories;

  constructor() {
    chmodSync(this.folder, 0o711);
    this.at = { arrivals: join(this.folder, 'arrivals'), archive: join(this.folder, 'archive') };
    mkdirSync(this.at.arrivals);
    mkdirSync(this.at.archive);
  }

  /** What a program of this name would be started with. */
  options(command: Command, name: string, env: Readonly<Record<string, string>> = {}) {
    return {
      command,
      logFile: join(this.folder, `${name}.log`),
      env: {
        MILLRACE_DATA_DIR: join(this.folder, name),
        MILLRACE_HTTP: '127.0.0.1:0',
        MILLRACE_JOIN_TOKEN: 'a-token-for-tests-only',
        MILLRACE_EXECUTORS: 'process:default',
        MILLRACE_NODE_NAME: 'host-1',
        // Coordinators of one database need the same key. Each listens for agents on a free port, unless a test has to
        // know the port: tests run side by side.
        ...(command === 'coordinator'
          ? { MILLRACE_SECRET_KEY_FILE: join(this.folder, 'secret.key'), MILLRACE_GRPC: '127.0.0.1:0' }
          : {}),
        ...env,
      },
    };
  }

  /** `name` tells programs, their data folders and their logs apart; the same again is a restart. */
  async start(
    command: Command,
    name: string,
    env: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ): Promise<Program> {
    const program = this.launch(command, name, env, within);
    await program.ready();
    return program;
  }

  /** The same without waiting until it is ready. */
  launch(
    command: Command,
    name: string,
    env: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ): Program {
    return Program.launch({ ...this.options(command, name, env), within });
  }

  logs(): string {
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.log'));
    return names
      .map((name) => `--- ${name}\n${readFileSync(join(this.folder, name), 'utf8').slice(-LOG_CHARS)}`)
      .join('\n');
  }
}

export async function createWorld(t: Test): Promise<World> {
  const world = new World();
  const program = join(import.meta.dirname, 'reaper.ts');
  // With the run's loader it starts in half of the processor time.
  const args = [...process.execArgv, program, world.folder, world.seenByTasks];
  const reaper = spawn(process.execPath, args, {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: { PATH: process.env.PATH },
  });
  const reaped = new Promise<void>((resolve) => reaper.on('exit', () => resolve()));
  t.teardown(async () => {
    if (!t.passing()) t.comment(world.logs());
    killProcessesOf(world.folder);
    reaper.stdin.end();
    await reaped;
  });
  return world;
}

export function clientOf(program: Program): InterfaceClient {
  return new InterfaceClient(program.url);
}
