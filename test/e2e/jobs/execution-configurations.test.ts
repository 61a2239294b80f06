/** `execution.configuration` against what tasks really see: their arguments, their environment, their mounts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { needsPrograms, testRegistry } from '../../support/registry.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { type Pair, startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { jobIs } from '../harness/work/job-types.ts';

const CANARY = 'canary-91c4';

/** Prints what the task gets, a line each; of a secret only the length. */
const SCRIPT = [
  'for word in "$0" "$@"; do echo "arg=$word"; done',
  'env | grep -v PASSWORD | sed s/^/env=/',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
  'echo "secret=${#PASSWORD}"',
  'echo "input=$(cat "$IN")"',
  'if test -e /data/given; then echo "mount=$(cat /data/given)"; fi',
].join('; ');

/** Variables that a task has from its shell, its executor or its image. */
const OTHERS = /^(PATH|HOME|TMPDIR|LANG|PWD|OLDPWD|SHLVL|HOSTNAME|_)$/;

interface Task {
  readonly type: string;
  readonly args: string;
  readonly env_vars: Readonly<Record<string, string>>;
  readonly mounts: Readonly<Record<string, string | null>>;
  readonly settings: Readonly<Record<string, string | null>>;
  readonly volumes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly resources: Readonly<Record<string, number>>;
}

interface Execution {
  readonly id: number;
  readonly configuration: { readonly tasks: readonly Task[] };
}

async function ingestedFile({ world, client }: Pair): Promise<{ id: number; workspace: string }> {
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  writeFileSync(join(world.at.archive, 'a file.txt'), 'content');
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Archive',
    configuration: {
      workspace,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: 'a file', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const file = await until('the file', async () =>
    (await listed<{ id: number }>(client, '/v6/files/')).at(0),
  );
  return { id: file.id, workspace };
}

async function textOf({ client }: Pair, path: string): Promise<string> {
  const response = await fetch(new URL(path, client.base));
  return response.text();
}

function jobType(image: string | undefined, hostPath: string) {
  const program = image === undefined ? `sh -c '${SCRIPT}'` : `'${SCRIPT}'`;
  return {
    container_image: image ?? 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name: 'told', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'x', description: 'x' },
        ...{ maintainer: { name: 'A', email: 'a@example.com' }, timeout: 60 },
        resources: {
          scalar: [
            { name: 'cpus', value: 0.5 },
            { name: 'disk', value: 2 },
          ],
        },
        interface: {
          command: `${program} first $IN "\${LEVEL}" \${NONE/#/-n } \${OUTPUT_DIR/#/-o }`,
          inputs: { files: [{ name: 'IN' }], json: [{ name: 'LIMITS', type: 'object' }] },
          settings: [{ name: 'LEVEL' }, { name: 'NONE' }, { name: 'PASSWORD', secret: true }],
          ...(image === undefined ? {} : { mounts: [{ name: 'DATA', path: '/data', mode: 'ro' }] }),
        },
      },
    },
    configuration: {
      settings: { LEVEL: "it's high", PASSWORD: CANARY },
      ...(image === undefined ? {} : { mounts: { DATA: { type: 'host', host_path: hostPath } } }),
    },
  };
}

async function isTold(t: Test, image: string | undefined, env: Readonly<Record<string, string>>) {
  const pair = await startPair(t, { agent: env });
  const { client, world } = pair;
  const hostPath = join(world.seenByTasks, 'data');
  mkdirSync(hostPath);
  writeFileSync(join(hostPath, 'given'), 'of the host');
  const file = await ingestedFile(pair);
  const type = await client.post<{ id: number }>('/v6/job-types/', jobType(image, hostPath));
  const { id } = await client.post<{ id: number }>('/v6/jobs/', {
    job_type_id: type.id,
    input: { files: { IN: [file.id] }, json: { LIMITS: { least: 1 } } },
  });
  await jobIs(client, id, ['COMPLETED']);
  const execution = await client.get<Execution>(`/v6/jobs/${id}/executions/1/`);
  const log = await until('the log', async () => {
    const text = await textOf(pair, `/v6/job-executions/${execution.id}/logs/stdout/?format=txt`);
    return text.includes('input=') && (image === undefined || text.includes('mount=')) && text;
  });
  const seen = Map.groupBy(log.trim().split('\n'), (line) => line.slice(0, line.indexOf('=')));
  const values = (variable: string) =>
    (seen.get(variable) ?? []).map((line) => line.slice(variable.length + 1));

  const { tasks } = execution.configuration;
  const main = tasks.find((task) => task.type === 'main');
  if (main === undefined) throw new Error('no main task');
  t.strictSame(
    tasks.map((task) => task.type),
    image === undefined ? ['pre', 'main', 'post'] : ['pull', 'pre', 'main', 'post'],
  );
  if (image !== undefined) t.equal(tasks[0]?.args, image);

  // A shell takes the arguments apart again.
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${main.args}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const wordsOfTask = values('arg');
  t.equal(wordsOfTask.length, 5, log);
  t.strictSame(words.slice(-wordsOfTask.length), wordsOfTask, 'arguments as the task has them');
  t.equal(wordsOfTask[2], "it's high");
  t.strictSame(values('input'), ['content'], 'the told path is the one that it read');

  const environment = Object.fromEntries(
    values('env').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const { PASSWORD, ...others } = main.env_vars;
  t.strictSame(
    Object.fromEntries(Object.entries(environment).filter(([name]) => !OTHERS.test(name))),
    others,
    'the environment as the task has it',
  );
  t.equal(PASSWORD, '*****');
  t.strictSame(values('secret'), [`${CANARY.length}`], 'which has its secret');
  t.strictSame(main.settings, { LEVEL: "it's high", NONE: null, PASSWORD: '*****' });
  t.match(main.resources, { cpus: 0.5, disk: 2 });

  if (image !== undefined) {
    t.strictSame(values('mount'), ['of the host']);
    t.match(main.volumes[main.mounts.DATA ?? ''], {
      ...{ container_path: '/data', mode: 'ro', type: 'host', host_path: hostPath },
    });
  }
  for (const path of [`/v6/jobs/${id}/`, `/v6/jobs/${id}/executions/1/`, `/api/v6/jobs/${id}/`]) {
    const text = await textOf(pair, path);
    t.match(text, /\*{5}/, path);
    t.notMatch(text, CANARY, path);
  }
}

t.test('execution configurations: a task in an engine’s container has one', needs('docker'), async (t) => {
  const host = await serviceUrl('docker');
  await ensureBusyboxImage(engineAt(host));
  await isTold(t, BUSYBOX_IMAGE, { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: host });
});

const isRoot = process.getuid?.() === 0 ? {} : { skip: 'not run: mounts of a task need root' };
const oci = { ...isRoot, ...needsPrograms('runc', 'skopeo', 'umoci', 'docker-registry') };
t.test('execution configurations: a task in a container without an engine has one', oci, async (t) => {
  const registry = await testRegistry(t);
  await registry.push('team/tool', '1');
  await isTold(t, `${registry.address}/team/tool:1`, { MILLRACE_EXECUTORS: 'oci' });
});

t.test('execution configurations: a plain process has one', (t) => isTold(t, undefined, {}));
