/** Checks which executors work here, with the agent's own code for its start. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS, type AgentConfig } from '../../../node-agent/config.ts';
import { TaskSlots } from '../../../node-agent/executor/process/task-slots.ts';
import { Spawner } from '../../../node-agent/executor/spawner/spawner.ts';
import { createExecutors } from '../../../node-agent/executors.ts';
import type { Config } from '../../config/config.ts';
import { createLogger } from '../../observe/log.ts';
import { type Finding, finding } from './finding.ts';

const HELP: Readonly<Record<string, string>> = {
  oci: 'for containers: apt-get install runc skopeo umoci (docs/executors.md)',
  docker: 'for containers by an engine: start dockerd, and let this user reach MILLRACE_DOCKER_HOST',
  process: 'Linux, and as root setpriv (apt-get install util-linux), are needed',
};
/** The name of the doctor's slots, other than that of an agent that runs here. */
const SLOTS = 'millrace-doctor';

export async function executors(config: Config): Promise<Finding[]> {
  const log = createLogger({ level: 'silent', name: 'millrace-doctor' });
  const folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-'));
  // The mode of the agent's own folder: the users that containers are mapped to must be able to pass through.
  await chmod(folder, 0o711);
  const spawner = new Spawner(log);
  try {
    const agent: AgentConfig = {
      ...AGENT_DEFAULTS,
      ...{ nodeName: config.nodeName, version: '', folder, addresses: [], joinToken: '' },
      docker: { host: config.dockerHost },
      containers: { ...AGENT_DEFAULTS.containers, ...config.containers },
    };
    const slots = await TaskSlots.open(SLOTS, agent.taskUsers);
    const host = { slots, spawner, agentId: SLOTS, workFolder: folder, images: join(folder, 'images') };
    const found: Finding[] = [];
    for (const name of config.executors) {
      const what = `executor ${name}`;
      found.push(
        await finding(what, async () => {
          const options = {
            ...host,
            config: { ...agent, executors: [name] },
            gpuCount: 0,
            clock: systemClock,
            log,
          };
          const [executor] = await createExecutors(options);
          const reason = await executor?.unavailable();
          if (reason === undefined) {
            const remark = await executor?.remark?.();
            return { what, verdict: 'ok', found: remark === undefined ? 'works' : `works ${remark}` };
          }
          const help = HELP[name.split(':')[0] ?? ''];
          return { what, verdict: 'no', found: reason, ...(help === undefined ? {} : { help }) };
        }),
      );
    }
    return needed(found);
  } finally {
    await spawner.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A host needs one executor: it is not a fault that others do not work. */
function needed(found: readonly Finding[]): Finding[] {
  const works = found.some(({ verdict }) => verdict === 'ok');
  return found.map((one) => (works && one.verdict === 'no' ? { ...one, verdict: 'note' } : one));
}
