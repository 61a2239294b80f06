/** Every executor, held to test/conformance/executor.ts. */
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../../node-agent/clock.ts';
import { AGENT_DEFAULTS } from '../../../node-agent/config.ts';
import { createDockerExecutor } from '../../../node-agent/executor/docker/docker.ts';
import { createNoopExecutor } from '../../../node-agent/executor/noop.ts';
import { createOciExecutor } from '../../../node-agent/executor/oci/oci.ts';
import { createProcessExecutor } from '../../../node-agent/executor/process/process.ts';
import { TaskSlots } from '../../../node-agent/executor/process/task-slots.ts';
import { Spawner, type SpawnerCommand } from '../../../node-agent/executor/spawner/spawner.ts';
import { executorConformance } from '../../conformance/executor.ts';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { bothSpawners } from '../../support/agent/spawners.ts';
import { needsPrograms, testRegistry } from '../../support/registry.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { silentLog as log } from '../../support/silent-log.ts';

const clock = systemClock;
const { containers } = AGENT_DEFAULTS;
// Neither the spawner nor the clock keeps a process alive.
const alive = setInterval(() => undefined, 60_000);
t.teardown(() => clearInterval(alive));

/** Each life of an agent has a spawner of its own, which goes with it; its folder is the same. */
function spawners(command?: SpawnerCommand): (folder: string) => Promise<Spawner> {
  const open = new Map<string, Spawner>();
  t.teardown(() => Promise.all([...open.values()].map((spawner) => spawner.close())));
  return async (folder) => {
    await open.get(folder)?.close();
    const spawner = new Spawner(log, command && [command]);
    open.set(folder, spawner);
    return spawner;
  };
}
const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: user ids and namespaces need root' };

executorConformance(t, 'noop', async () => ({
  open: async () => createNoopExecutor(clock),
  image: 'process:noop',
  script: (text) => [text],
  isolation: 'nothing',
}));

for (const [name, command] of Object.entries(bothSpawners(t, 'process, by '))) {
  executorConformance(
    t,
    name,
    async () => {
      const nextSpawner = spawners(command);
      return {
        open: async (workFolder) => {
          const spawner = await nextSpawner(workFolder);
          const slots = await TaskSlots.open(`millrace-test-${process.pid}`, AGENT_DEFAULTS.taskUsers);
          return createProcessExecutor({ profile: 'default', slots, spawner, clock, log });
        },
        image: 'process:default',
        script: (text) => ['/bin/sh', '-c', text],
        isolation: 'process',
      };
    },
    isRoot,
  );
}

executorConformance(
  t,
  'docker',
  async () => {
    const host = await serviceUrl('docker');
    await ensureBusyboxImage(engineAt(host));
    return {
      open: async (workFolder) =>
        createDockerExecutor({
          config: { host },
          containers,
          gpuCount: 0,
          agentId: workFolder.replaceAll('/', '-').slice(1),
          workFolder,
          clock,
          log,
        }),
      image: BUSYBOX_IMAGE,
      script: (text) => [text],
      isolation: 'container',
    };
  },
  { ...isRoot, ...needs('docker') },
);

for (const runtime of ['light', 'runc'] as const) {
  executorConformance(
    t,
    `oci, by ${runtime}`,
    async () => {
      const registry = await testRegistry(t);
      await registry.push('team/tool', '1.0');
      const images = join(t.testdir(), 'images');
      const nextSpawner = spawners();
      return {
        open: async (workFolder) => {
          const spawner = await nextSpawner(workFolder);
          const own = { ...containers, runtime };
          const executor = createOciExecutor({ containers: own, workFolder, images, spawner, clock, log });
          t.teardown(() => executor.close?.());
          return executor;
        },
        image: `${registry.address}/team/tool:1.0`,
        script: (text) => [text],
        isolation: 'container',
      };
    },
    { ...isRoot, ...needsPrograms('runc', 'skopeo', 'umoci', 'docker-registry') },
  );
}
