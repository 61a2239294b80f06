/**
 * The order in which a real agent gives up what belongs to a task. Its journal writes, but the disk takes its time to
 * make a report durable: meanwhile nothing of the task may go, nor may anybody hear of its end. Each broken rule fails
 * one named assertion. `report-order.test.ts` runs it, as it is and with mutants.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type AgentBench, agentBench } from '../../support/agent/agent-bench.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile, shell } from '../../support/agent/make-launch.ts';

/** Long enough for whatever the agent does by itself: each question waits for a look at a directory. */
const QUESTIONS = 20;

interface JournalLine {
  readonly k?: string;
  readonly v?: unknown;
}

const launchKey = 'launch:1';
const isReport = ({ k = '' }: JournalLine): boolean => k.startsWith('update:');

function journalOf(bench: AgentBench): JournalLine[] {
  const lines = readFileSync(join(bench.config.folder, 'journal'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line.slice(9)) as JournalLine);
}

function isForgotten(lines: readonly JournalLine[], key: string): boolean {
  const last = lines.filter(({ k }) => k === key).at(-1);
  return last !== undefined && !('v' in last);
}

async function answered(bench: AgentBench): Promise<void> {
  const { coordinator } = bench;
  const answers = () => coordinator.received.filter(({ type }) => type === 'reachable').length;
  for (let question = 0; question < QUESTIONS; question += 1) {
    const before = answers();
    coordinator.send({
      type: 'checkWorkspaces',
      workspaces: [hostWorkspace(bench.workspace)],
      claimUuids: [],
    });
    await eventually(() => answers() > before, 'an answer');
  }
}

/** Every file that is synced from now on waits while `isHeld` says so. */
async function holdSyncs(isHeld: () => boolean): Promise<{ release(): void }> {
  const handle = await open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const sync = prototype.datasync;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  prototype.datasync = async function (this: FileHandle) {
    if (isHeld()) await released;
    return sync.call(this);
  };
  return { release };
}

t.test('resources of a task are released only after its report is durable and acknowledged', async (t) => {
  // One user: whoever is launched while the slot is lent gets none.
  const taskUsers = { first: 2_000_000_000, count: 1 };
  const bench = await agentBench(t, { taskUsers }, { isAcking: false });
  const { coordinator } = bench;
  const at = (path: string): string => join(bench.config.folder, path);
  const isReported = (): boolean => existsSync(at('journal')) && journalOf(bench).some(isReport);
  const disk = await holdSyncs(isReported);
  await bench.start();
  await coordinator.connected();
  const launch = {
    outputs: [{ output: 'OUT', workspaceUuid: hostWorkspace('').uuid }],
    workspaces: [hostWorkspace(bench.workspace)],
  };
  const outputs = { files: [outputFile('OUT', 'x')], json: [] };
  const command = shell('echo x > $OUTPUT_DIR/x');
  coordinator.send(makeLaunch(1, { command, interface: { outputs }, launch }));

  await eventually(isReported, 'the report to be written');
  await answered(bench);
  const product = join(bench.workspace, 'jobs/probe/1.0.0/job_exe_1/x');
  t.equal(coordinator.updatesOf(1).length, 0, 'no report leaves before it is durable');
  t.ok(existsSync(at('executions/1/output/x')), 'the folder stays until the report is durable');
  t.ok(existsSync(product), 'the product stays until the report is durable');
  t.notOk(isForgotten(journalOf(bench), launchKey), 'the launch is known until the report is durable');
  coordinator.send(makeLaunch(2));
  await answered(bench);

  disk.release();
  const report = await coordinator.update(1);
  const other = await coordinator.update(2);
  if (process.getuid?.() === 0) {
    t.equal(other.error?.name, 'resource-starvation', 'the slot is lent until the report is durable');
  }
  await answered(bench);
  t.ok(existsSync(at('executions/1/output/x')), 'the folder stays until the report is acknowledged');
  t.ok(existsSync(product), 'the product stays until the report is acknowledged');
  t.notOk(isForgotten(journalOf(bench), launchKey), 'the launch is known until the report is acknowledged');
  t.notOk(isForgotten(journalOf(bench), `update:${report.spoolId}`), 'so is the report');

  coordinator.send({ type: 'ack', spoolIds: [report.spoolId], discardExecutionIds: [] });
  await eventually(() => !existsSync(at('executions/1')), 'the folder gone');
  await eventually(() => isForgotten(journalOf(bench), `update:${report.spoolId}`), 'the report forgotten');
  const keys = journalOf(bench).map(({ k }) => k);
  const reportAt = keys.lastIndexOf(`update:${report.spoolId}`);
  t.ok(keys.lastIndexOf(launchKey) < reportAt, 'the launch is forgotten before the report');
  t.ok(existsSync(product), 'the product stays');
});
