/**
 * `hello` jobs in containers through the whole system, with the docker and with the oci executor, two at a time. What
 * Millrace does and the loops don't: queue and record in PostgreSQL with everything durable, stage, limit, log, and for
 * `oci` map users and filter system calls.
 *
 * Beside it bare loops of `docker run`, of `runc run` and of `bwrap` on the same image, unpacked. `--only=docker` or
 * `--only=oci` leaves one executor out.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testRegistry } from '../test/support/registry.ts';
import { serviceUrl } from '../test/support/services/services.ts';
import { type Bench, medianOf, ratioOf, runBench, type Subject } from './harness/bench.ts';
import { missingPeer } from './harness/debian.ts';
import { postMany } from './harness/load/load-client.ts';
import { OWN_METER, rate } from './harness/meter.ts';
import { runMany, runToEnd } from './harness/program.ts';
import { startSystem } from './harness/system.ts';
import { makeJobType, untilCount } from './harness/work.ts';

const AT_ONCE = 2;
const CONNECTIONS = 16;
const CPU = { resources: { scalar: [{ name: 'cpus', value: 1 }] } };

interface Image {
  readonly reference: string;
  readonly folder: string;
}

interface Measured {
  readonly jobs: number;
  /** The first of its peers. */
  readonly bare: number;
}

type Executor = 'docker' | 'oci';

/** Both take about ten seconds: the first half second of a shorter run is slower than all that follow. */
function jobsOf(bench: Bench, executor: Executor): number {
  return executor === 'docker' ? bench.parameter('jobs', 2, 60) : bench.parameter('oci-jobs', 2, 1_000);
}

/** Jobs a second. */
async function measure(
  bench: Bench,
  executor: Executor,
  image: Image,
  settings: Readonly<Record<string, string>>,
  peers: readonly Subject[],
): Promise<Measured> {
  const jobs = jobsOf(bench, executor);
  const agentSettings = { MILLRACE_EXECUTORS: executor, ...settings };
  const system = await startSystem(bench, { agent: 'process', agentSettings });
  const name = `Millrace, ${executor}`;
  try {
    const { client, meter } = system;
    const type = `bench-${executor}`;
    const jobTypeId = await makeJobType(client, type, image.reference, "'echo hello'", CPU);
    const list = `/v6/jobs/?status=COMPLETED&job_type_name=${type}`;
    const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
    const work = async () => {
      const before = await client.count(list);
      return rate(jobs, meter, async () => {
        await postMany(client.base, '/v6/jobs/', body, jobs, Math.min(jobs, CONNECTIONS));
        await untilCount(client, list, before + jobs);
      });
    };
    const rows = await bench.compare({
      ...{ title: `hello in a container, ${executor}`, unit: 'jobs/s', each: 'job' },
      subjects: [{ name, work }, ...peers],
    });
    const [bare] = peers;
    if (bare !== undefined) {
      const wanted = executor === 'docker' ? 1 : 0.7;
      const measured = ratioOf(rows, name, bare.name);
      bench.aim({ text: `${name} / ${bare.name}`, measured, wanted, bound: 'least', unit: 'x' });
    }
    return { jobs: medianOf(rows, name), bare: bare === undefined ? Number.NaN : medianOf(rows, bare.name) };
  } finally {
    await system.stop();
  }
}

const loop = (count: number, name: string, argvOf: (index: number) => readonly string[]): Subject => {
  return {
    ...{ name: `loop of ${name}`, isPeer: true, remark: 'keeps nothing' },
    work: () => rate(count, OWN_METER, () => runMany(count, AT_ONCE, argvOf)),
  };
};

/** The runtime's own example of a configuration, on the unpacked image. */
async function bareRuntimes(bench: Bench, { reference, folder }: Image): Promise<Subject[]> {
  const layout = join(folder, 'layout');
  await runToEnd(['skopeo', 'copy', '--src-tls-verify=false', `docker://${reference}`, `oci:${layout}:x`]);
  const bundle = join(folder, 'bundle');
  const rootfs = join(bundle, 'rootfs');
  mkdirSync(bundle);
  await runToEnd(['umoci', 'raw', 'unpack', '--image', `${layout}:x`, rootfs]);
  await runToEnd(['runc', 'spec', '--bundle', bundle]);
  const path = join(bundle, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  config.process = { ...config.process, terminal: false, args: ['/bin/echo', 'hello'] };
  writeFileSync(path, JSON.stringify(config));
  const runc = ['runc', '--root', join(folder, 'state'), 'run', '--bundle', bundle];
  const count = jobsOf(bench, 'oci');
  let started = 0;
  const isolated = ['--ro-bind', rootfs, '/', '--proc', '/proc', '--dev', '/dev', '--unshare-all'];
  return [
    loop(count, 'runc run', () => {
      started += 1;
      return [...runc, `bench-${process.pid}-${started}`];
    }),
    {
      ...loop(count, 'bwrap', () => ['bwrap', ...isolated, '/bin/echo', 'hello']),
      missing: await missingPeer(bench, ['bwrap'], 'bubblewrap'),
      remark: 'keeps nothing, limits nothing',
    },
  ];
}

await runBench(import.meta.filename, async (bench) => {
  const ends: (() => unknown)[] = [];
  try {
    const registry = await testRegistry({ teardown: (call) => ends.push(call) });
    await registry.push('bench/hello', '1');
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-containers-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const image = { reference: `${registry.address}/bench/hello:1`, folder };
    let docker: Measured | undefined;
    let oci: Measured | undefined;
    if (bench.wants('docker')) {
      const host = await serviceUrl('docker');
      const argv = ['docker', '-H', host, 'run', '--rm', '--network=none', image.reference, 'echo hello'];
      docker = await measure(bench, 'docker', image, { MILLRACE_DOCKER_HOST: host }, [
        loop(jobsOf(bench, 'docker'), 'docker run', () => argv),
      ]);
    }
    if (bench.wants('oci')) {
      oci = await measure(bench, 'oci', image, {}, await bareRuntimes(bench, image));
    }
    if (docker !== undefined && oci !== undefined) {
      const aim = (text: string, measured: number, wanted: number) =>
        bench.aim({ text, measured, wanted, bound: 'least', unit: 'x' });
      aim('oci / docker', oci.jobs / docker.jobs, 8);
      aim('oci / loop of docker run', oci.jobs / docker.bare, 20);
    }
    bench.note('The engine’s own processor time (dockerd, containerd) is in nobody’s figure.');
  } finally {
    for (const end of ends.reverse()) await end();
  }
});
