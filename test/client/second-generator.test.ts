/**
 * A client that another generator (`@hey-api/openapi-ts`) makes of the document of a running service: it compiles
 * strictly, so do not the mistakes that its types are there for, and a program made with it does a round trip.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { createWorld } from '../e2e/harness/world.ts';
import { migratedDatabase } from '../support/db.ts';

const ROOT = join(import.meta.dirname, '../..');
const PASSWORD = 'a password of tests';

/** What `npm init` and `tsc --init` leave in a new project. */
const PROJECT = {
  'package.json': { type: 'module' },
  'tsconfig.json': {
    compilerOptions: {
      ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], types: ['node'] },
      ...{ module: 'nodenext', strict: true, noUncheckedIndexedAccess: true, noUnusedLocals: true },
      ...{ verbatimModuleSyntax: true, outDir: 'built' },
    },
    include: ['program.ts', 'client'],
  },
};

const PROGRAM = String.raw`
import { readFileSync } from 'node:fs';
import { client } from './client/client.gen.js';
import * as millrace from './client/index.js';

const [server = '', password = '', folder = ''] = process.argv.slice(2);
client.setConfig({ baseUrl: server });
const failing = { throwOnError: true } as const;

const login = await millrace.login({ ...failing, body: { username: 'admin', password } });
const cookies = login.response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
const csrf = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.split('=')[1] ?? '';
const token = await millrace.createToken({
  ...failing,
  body: { name: 'generated', scope: 'write' },
  headers: { cookie: cookies.join('; '), 'x-csrftoken': csrf },
});
client.setConfig({ auth: token.data.token });

for (const name of ['arrivals', 'products', 'more', 'spare', 'last']) {
  await millrace.createWorkspace({
    ...failing,
    body: {
      title: name,
      name,
      configuration: { broker: { type: 'host', host_path: folder + '/' + name }, http: 'write' },
    },
  });
}

const type = await millrace.createJobType({
  ...failing,
  body: {
    container_image: 'process:default',
    labels: { team: 'clients' },
    configuration: { output_workspaces: { default: 'products' } },
    manifest: JSON.parse(readFileSync('manifest.json', 'utf8')) as millrace.SeedManifest,
  },
});
const path = 'in/of the/a b.txt';
const stored = await millrace.putWorkspaceFile({
  ...failing,
  path: { name: 'arrivals', path },
  query: { record: true },
  body: new Blob(['b\na\n']),
});
const job = await millrace.createJob({
  ...failing,
  headers: { 'Idempotency-Key': 'one' },
  body: { job_type_id: type.data.id, input: { files: { TEXT: [stored.data.file_id ?? 0] } } },
});

let details = job.data;
while (!['COMPLETED', 'FAILED', 'CANCELED'].includes(details.status)) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  details = (await millrace.getJob({ ...failing, path: { id: job.data.id } })).data;
}
const log = await millrace.getJobExecutionLog({
  ...failing,
  path: { id: details.execution?.id ?? 0, stream: 'stdout' },
  query: { follow: true },
  parseAs: 'text',
});
const [product = 0] = details.output.files?.SORTED ?? [];
const content = await millrace.getFileContent({ ...failing, path: { id: product }, parseAs: 'blob' });

const names: string[] = [];
for (let page = 1, isLast = false; !isLast; page += 1) {
  const { data } = await millrace.listWorkspaces({ ...failing, query: { page, page_size: 2, order: ['name'] } });
  names.push(...data.results.map((one) => one.name));
  isLast = data.next === null;
}
const failed = await millrace.listJobs({ ...failing, query: { status: ['FAILED', 'COMPLETED'] } });
const refused = await millrace.createWorkspace({
  body: { title: '', configuration: { broker: { type: 'host', host_path: 'relative' } } },
});

const label: string | undefined = type.data.labels.team;
console.log(
  JSON.stringify({
    status: details.status,
    log: log.data,
    product: await (content.data as Blob).text(),
    names,
    counted: failed.data.count,
    label,
    refused: refused.error?.errors.map((problem) => problem.path),
  }),
);
`;

/** Each line is a mistake that does not compile; the last lines do, since types hold what the document says. */
const MISTAKES = `
import * as millrace from './client/index.js';
// @ts-expect-error: there is no such filter
void millrace.listJobs({ query: { statsu: ['FAILED'] } });
// @ts-expect-error: there is no such status
void millrace.listJobs({ query: { status: ['FINISHED'] } });
// @ts-expect-error: the configuration is missing
void millrace.createWorkspace({ body: { title: 'x' } });
// @ts-expect-error: a number is no title
void millrace.createWorkspace({ body: { title: 7, configuration: { broker: { type: 'host', host_path: '/' } } } });
// @ts-expect-error: ids are numbers
void millrace.getJob({ path: { id: 'x' } });
// @ts-expect-error: labels are texts
export const label = (one: millrace.JobType): number | undefined => one.labels.team;
// @ts-expect-error: counts are numbers
export const count = (one: millrace.BatchComparison): string | undefined => one.metrics.jobs_total[0];
`;

t.test('second generator: its client compiles in strict mode and completes a round trip', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
  });
  const project = join(world.folder, 'project');
  mkdirSync(project);
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  for (const [name, content] of Object.entries(PROJECT)) write(name, JSON.stringify(content));
  const run = async (program: string, ...args: string[]) => {
    const done = promisify(execFile)(process.execPath, [program, ...args], { cwd: project });
    // The compiler says on its standard output what is wrong.
    const { stdout } = await done.catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${program}: ${error.stdout}${error.stderr}`);
    });
    return stdout;
  };
  const generator = join(ROOT, 'scripts/interface-types/node_modules/@hey-api/openapi-ts/bin/run.js');
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');

  await run(generator, '-i', new URL('/v6/openapi.json', up.url).href, '-o', 'client', '--no-log-file');
  write('program.ts', PROGRAM);
  write('client/mistakes.ts', MISTAKES.replaceAll('./client/', './'));
  await run(compiler, '-p', '.');
  write('manifest.json', JSON.stringify(manifest()));
  for (const name of ['arrivals', 'products', 'more', 'spare', 'last'])
    mkdirSync(join(world.folder, name), { recursive: true });

  const said = await run('built/program.js', new URL(up.url).origin, PASSWORD, world.folder);
  t.strictSame(JSON.parse(said), {
    status: 'COMPLETED',
    log: 'sorting\n',
    product: 'a\nb\n',
    names: ['arrivals', 'last', 'more', 'products', 'spare'],
    counted: 1,
    label: 'clients',
    refused: ['title', 'configuration.broker.host_path'],
  });
});

function manifest() {
  const script = 'echo sorting; sort "$1" >"$2/sorted.txt"';
  return {
    seedVersion: '1.0.0',
    job: {
      ...{ name: 'sort-lines', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Sort lines' },
      ...{ description: 'Sort lines', maintainer: { name: 'You', email: 'you@example.com' }, timeout: 60 },
      interface: {
        command: `sh -c '${script}' job \${TEXT} \${OUTPUT_DIR}`,
        inputs: { files: [{ name: 'TEXT' }] },
        outputs: { files: [{ name: 'SORTED', pattern: '*.txt' }] },
      },
      resources: {
        scalar: [
          { name: 'cpus', value: 0.1 },
          { name: 'mem', value: 32 },
        ],
      },
    },
  };
}
