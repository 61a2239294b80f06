/**
 * The spawner's program on hosts without Perl (see spawner.ts): starts supervisors for the agent that started it, one
 * for each order, and reports when they end. It never outlives that agent; the supervisors do.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeInheritedDescriptors } from '../../../src/lib/inherited-descriptors.ts';
import { namespaceProbe, shellSupervisor, TASK_TAKEN } from './shell-supervisor.ts';
import { OrderReader, type SpawnMessage } from './spawn-order.ts';

closeInheritedDescriptors();
if (process.argv[2] === 'probe') {
  const [program, ...args] = namespaceProbe();
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env: {} });
  process.stdout.write(status === 0 ? 'yes\n' : `no ${error?.message ?? stderr.trim()}\n`);
  process.exit();
}

const agentPid = process.ppid;

function answer(...words: (string | number)[]): void {
  process.stdout.write(`${words.join(' ')}\n`);
}

function carryOut(message: SpawnMessage): void {
  // An order of a killed agent is left to its successor.
  if (process.ppid !== agentPid) process.exit();
  if ('dismissed' in message) {
    answer('gone', message.dismissed);
    return;
  }
  const { id } = message;
  const { program, argv, environment } = shellSupervisor(message);
  let child: ChildProcess;
  try {
    const env = { ...environment };
    child = spawn(program, argv, { detached: true, stdio: 'ignore', cwd: '/', env });
  } catch (error) {
    answer('failed', id, codeOf(error));
    return;
  }
  child.once('error', (error) => answer('failed', id, codeOf(error)));
  if (child.pid === undefined) return;
  answer('started', id, child.pid, Date.now());
  child.once('exit', (exitCode) => answer(endOf(exitCode), id));
}

function endOf(exitCode: number | null): string {
  if (exitCode === null) return 'killed';
  return exitCode === TASK_TAKEN ? 'taken' : 'noted';
}

/** The code only: the message may quote a secret. */
function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? 'unknown');
}

const orders = new OrderReader();
process.stdin.on('data', (bytes: Buffer) => orders.read(bytes).forEach(carryOut));
process.stdin.on('close', () => process.exit());
// If the agent is gone, nobody is notified; its successor finds the supervisors itself.
process.stdout.on('error', () => process.exit());
// A terminal sends these to the whole group; they are meant for the agent, which may take a while to end its work.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
answer('ready');
