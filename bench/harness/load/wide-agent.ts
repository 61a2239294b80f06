/**
 * A program: an agent that offers 1,000 cpus, however many the host has, with the executor that is named: one that ends
 * every task at once, so that what is measured is Millrace and not what tasks do, or any other.
 * Arguments: coordinator's address, folder, executor. Its join token comes by MILLRACE_JOIN_TOKEN.
 */
import { startAgent } from '../../../node-agent/agent.ts';
import { systemClock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS } from '../../../node-agent/config.ts';
import { createRng } from '../../../src/coordinator/random.ts';
import { createLogger } from '../../../src/observe/log.ts';

const [address = '', folder = '', executor = ''] = process.argv.slice(2);
const agent = await startAgent({
  config: {
    ...AGENT_DEFAULTS,
    nodeName: 'bench',
    version: '0.0.0',
    folder,
    addresses: [address],
    joinToken: process.env.MILLRACE_JOIN_TOKEN ?? '',
    executors: [executor],
    resources: { cpus: 1_000, mem: 10_000_000, disk: 10_000_000 },
  },
  log: createLogger({ level: 'warn', name: 'agent' }),
  clock: systemClock,
  random: createRng(),
});
process.stdout.write('ready\n');
// The clock's timers keep no process alive.
const alive = setInterval(() => undefined, 3_600_000);
process.once('SIGTERM', () => {
  clearInterval(alive);
  void agent.stop({ drain: false });
});
