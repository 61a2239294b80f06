/** The program of AgentProcess: an agent with the configuration in its first argument, until SIGTERM. */
import { startAgent } from '../../../node-agent/agent.ts';
import { systemClock } from '../../../node-agent/clock.ts';
import type { AgentConfig } from '../../../node-agent/config.ts';
import { createLogger } from '../../../src/observe/log.ts';

const config = JSON.parse(process.argv[2] ?? '{}') as AgentConfig;
const log = createLogger({ level: 'debug' });
// Keeps the process alive, and ends it when the test that started it has ended.
process.stdin.resume().once('end', () => process.exit(1));
const agent = await startAgent({ config, log, clock: systemClock, random: Math.random });
process.once('SIGTERM', () => {
  void agent.stop().then(() => process.exit(0));
});
