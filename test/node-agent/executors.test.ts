import t from 'tap';
import { AGENT_DEFAULTS, type AgentConfig } from '../../node-agent/config.ts';
import type { Executor } from '../../node-agent/executor/executor.ts';
import { chooseExecutor, offeredByConfiguration, offeredExecutors } from '../../node-agent/executors.ts';
import { makeLaunch } from '../support/agent/make-launch.ts';
import { silentLog } from '../support/silent-log.ts';

const BOTH = ['oci', 'docker', 'process:default'];

function choose(launch: object, offered: readonly string[] = BOTH, network = 'none'): string {
  return chooseExecutor(makeLaunch(1, { launch: { containerImage: 'a/b:1', ...launch } }), offered, network);
}

t.test('executors: containers run without an engine wherever that is offered', async (t) => {
  t.equal(choose({}), 'oci');
  t.equal(choose({}, ['docker', 'oci']), 'oci', 'whatever the order');
  t.equal(choose({}, ['docker']), 'docker');
  t.equal(choose({}, []), 'docker', 'to be refused by its name');
  t.equal(choose({ containerImage: 'process:default' }), 'process:default');
  t.equal(choose({ containerImage: 'process:other' }), 'process:other');
});

t.test('executors: a task that needs an engine is sent to it', async (t) => {
  const asking = (resources: object) => ({ resources: { cpus: 1, mem: 64, ...resources } });
  t.equal(choose(asking({ gpus: 1 })), 'docker');
  t.equal(choose(asking({ gpus: 1 }), ['oci']), 'oci', 'to be refused with its reason');
  t.equal(choose(asking({ network: 1 }), BOTH, 'bridge'), 'docker');
  t.equal(choose(asking({ network: 1 }), BOTH, 'host'), 'oci');
  const volume = (more: object) => ({ mounts: JSON.stringify({ M: { type: 'volume', ...more } }) });
  t.equal(choose(volume({ driver: 'nfs' })), 'docker');
  t.equal(choose(volume({ driver_opts: { size: '1g' } })), 'docker');
  t.equal(choose(volume({ driver: 'local' })), 'oci');
  t.equal(choose({ mounts: '{"M":{"type":"host","host_path":"/x"},"N":null}' }), 'oci');
  t.equal(choose({ mounts: 'no JSON' }), 'oci', 'refused when it is read');
});

t.test('executors: if none works, the reason of each is told', async (t) => {
  const executor = (name: string, reason?: string) =>
    ({ name, unavailable: async () => reason }) as Partial<Executor> as Executor;
  const refusal = async (...executors: readonly Executor[]) =>
    (await offeredExecutors(executors, '/tmp', silentLog)).refusal;
  const [oci, docker] = [executor('oci', 'no runtime'), executor('docker', 'no engine')];
  t.equal(await refusal(oci, docker), 'it moves files and runs no jobs: oci: no runtime; docker: no engine');
  t.equal(await refusal(oci, docker, executor('process:default')), undefined);
  t.equal(await refusal(), undefined, 'an agent that is to run no jobs');
});

t.test('executors: a network is offered where containers may have one', async (t) => {
  const config = (network: string, resources = {}): AgentConfig => {
    const containers = { ...AGENT_DEFAULTS.containers, network };
    return { ...AGENT_DEFAULTS, containers, resources } as unknown as AgentConfig;
  };
  t.same(offeredByConfiguration(config('none', { cpus: 1 })), { cpus: 1 });
  t.same(Object.keys(offeredByConfiguration(config('host'))), ['network']);
  t.same(
    offeredByConfiguration(config('host', { network: 2 })),
    { network: 2 },
    'the operator may say how many',
  );
});
