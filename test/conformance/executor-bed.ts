/** What the suite of executors works with: an executor, folders of executions, tasks in them. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Executor, MainEnd, MainTask } from '../../node-agent/executor/executor.ts';
import { taskFolder } from '../../node-agent/task/task-folder.ts';
import { eventually } from '../support/agent/eventually.ts';

export interface ExecutorBed {
  /** As a life of an agent makes it; the folder is where its executions' folders are. */
  open(workFolder: string): Promise<Executor>;
  readonly image: string;
  /** The words that run a shell script. */
  script(text: string): string[];
  /** `nothing`: it ends every task at once. `container`: what it runs sees nothing of the host. */
  readonly isolation: 'nothing' | 'process' | 'container';
}

export interface Place {
  readonly bed: ExecutorBed;
  readonly folder: string;
  executor: Executor;
  /** A task of its own; not prepared. */
  task(script: string, more?: Partial<MainTask>): MainTask;
  /** Prepares and starts. */
  begin(script: string, more?: Partial<MainTask>): Promise<{ task: MainTask; ended: Promise<MainEnd> }>;
  /** Another life of the agent. */
  restart(): Promise<void>;
}

/** Nothing yet where the task has not made_. */
export function output({ folder }: MainTask): string {
  return existsSync(folder.stdout) ? readFileSync(folder.stdout, 'utf8') : '';
}

let executions = 0;

export async function placeFor(t: Test, bed: ExecutorBed): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-executor-'));
  chmodSync(folder, 0o711);
  const workFolder = join(folder, 'executions');
  mkdirSync(workFolder, { mode: 0o711 });
  const all: MainTask[] = [];
  const place: Place = {
    bed,
    folder,
    executor: await bed.open(workFolder),
    task: (script, more) => {
      executions += 1;
      const root = join(workFolder, String(executions));
      mkdirSync(root, { mode: 0o700 });
      const made: MainTask = {
        executionId: executions,
        jobId: executions * 10,
        exeNum: 1,
        jobTypeName: 'probe',
        jobTypeVersion: '1.0.0',
        image: bed.image,
        folder: taskFolder(root),
        logBytesMax: 1024 * 1024,
        argv: bed.script(script),
        mounts: [],
        resources: { cpus: 1, mem: 64 },
        isRootReadOnly: false,
        note: `{"of": "${executions}"}`,
        ...more,
        environment: { OUTPUT_DIR: place.executor.paths(taskFolder(root)).output, ...more?.environment },
      };
      all.push(made);
      return made;
    },
    begin: async (script, more) => {
      const task = place.task(script, more);
      await place.executor.pull(task.image, new AbortController().signal);
      await place.executor.prepare(task);
      return { task, ended: (await place.executor.start(task)).ended };
    },
    restart: async () => {
      place.executor = await bed.open(workFolder);
    },
  };
  t.teardown(async () => {
    for (const task of all) {
      await place.executor.reclaim(task);
      const run = await place.executor.find(task).catch(() => undefined);
      await run?.signal('SIGKILL');
      await run?.ended.catch(() => undefined);
      await place.executor.release(task);
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return place;
}

export async function beginSignalled(place: Place, before: string) {
  const task = place.task(`${before}; echo up; while :; do sleep 0.02; done`);
  await place.executor.pull(task.image, new AbortController().signal);
  await place.executor.prepare(task);
  const run = await place.executor.start(task);
  await eventually(() => output(task).includes('up'), 'it to begin');
  return { task, ended: run.ended, signal: run.signal };
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
