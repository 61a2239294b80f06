/** The commands as people type them: real processes against a real service. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { until } from '../../e2e/harness/until.ts';
import { createWorld, type World } from '../../e2e/harness/world.ts';
import { migratedDatabase } from '../../support/db.ts';
import { type Typed, typed } from './typed-process.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');
const PASSWORD = 'a password of tests';

type Run = (args: string[], input?: string) => Promise<Typed>;

async function checkJobs(t: Test, run: Run, queue: (code: number) => Promise<{ id: number }>): Promise<void> {
  const [good, bad] = [await queue(0), await queue(3)];
  t.match(await run(['job', 'wait', `${good.id}`]), { code: 0, out: /COMPLETED/ });
  t.match(await run(['job', 'wait', `${good.id}`, `id:${bad.id}`]), {
    code: 1,
    out: /FAILED/,
    err: /1 of 2 jobs/,
  });
  t.match(await run(['job', 'logs', '-f', `${bad.id}`]), {
    code: 0,
    out: '\u001b[31mred\n',
    err: 'late\n',
  });
  t.match(await run(['job', 'show', `${bad.id}`]), {
    code: 0,
    out: /status +FAILED\nreason +exit code 3/,
  });
  t.match(await run(['why', 'job', `${bad.id}`]), {
    code: 0,
    out: /^job \d+ is FAILED\n {2}[^\n]+\n {4}[^\n]+\n {4}late/,
  });
  const jobs = await run(['jobs', '--type', 'odd', '-o', 'json']);
  t.strictSame(
    JSON.parse(jobs.out).map(({ id }: { id: number }) => id),
    [bad.id, good.id],
  );
  t.equal((await run(['jobs', '--status', 'failed', '-o', 'name'])).out, `${bad.id}\n`);
  const table = await run(['jobs', '--type', 'odd']);
  t.notMatch(table.out, '\u001b', 'what a job has written is escaped');
  t.match(await run(['job', 'requeue', '--status', 'FAILED', '--dry-run']), {
    code: 0,
    out: 'requeues 1 job: 1 FAILED\n',
  });
  t.match(await run(['job', 'requeue', '--status', 'FAILED']), { code: 2, err: /Add --yes/ });
  t.match(await run(['job', 'requeue', '--status', 'FAILED', '--yes']), {
    code: 0,
    err: /requeues 1 job:/,
  });
  for (const name of ['show', 'wait', 'logs'])
    t.match(await run(['job', name, '999999']), { code: 5, err: 'millrace: there is no job 999999\n' });
  t.match(await run(['why', 'job', '999999']), { code: 5, err: 'millrace: there is no job 999999\n' });
  t.match(await run(['file', 'lineage', '999999']), { code: 5, err: 'millrace: there is no file 999999\n' });
  t.match(await run(['job', 'cancel', `${good.id}`, '999999']), { code: 5, err: /there is no job 999999/ });
  t.match(await run(['job', 'requeue', '--type', 'ood']), { code: 5, err: /did you mean 'odd'/ });
  t.match(await run(['jobs', '--type', 'ood']), { code: 5, out: '', err: /did you mean 'odd'/ });
  t.match(await run(['jobs', '--batch', '999999']), { code: 5, err: /there is no batch 999999/ });
  t.match(await run(['recipes', '--type', 'odd-text']), { code: 5, err: /did you mean 'odd-texts'/ });
  t.match(await run(['job', 'requeue', '--recipe', '999999']), { code: 5, err: /there is no / });
}

async function checkNames(t: Test, run: Run, strikeId: number): Promise<void> {
  t.match(await run(['strike', 'pause', 'texts']), { code: 0, err: /paused/ });
  t.match(await run(['strike', 'list']), { code: 0, out: /texts +paused/ });
  t.match(await run(['why', 'strike', 'texts', 'a.bin']), {
    code: 0,
    out: /^strike texts is paused[\s\S]*`millrace strike resume id:\d+`[\s\S]*\n {2}a\.bin {2}\S/,
  });
  t.match(await run(['why', 'strike', 'tetxs']), { code: 5, err: /no strike 'tetxs'; did you mean 'texts'/ });
  t.match(await run(['strike', 'resume', `id:${strikeId}`, '-q']), { code: 0, err: '' });
  t.match(await run(['strike', 'pause', 'tetxs']), {
    code: 5,
    err: /there is no strike 'tetxs'; did you mean 'texts'/,
  });
  t.match(await run(['strike', 'test', 'texts', 'a.txt', 'a.bin', '-o', 'name']), {
    code: 0,
    out: 'a.txt\na.bin\n',
  });
  t.match(await run(['why', 'strike', 'texts', 'a.bin']), { code: 0, out: /strike texts watches/ });
  t.match(await run(['why', 'strike', 'texts']), { code: 0, out: 'strike texts watches\n', err: '' });
  t.match(await run(['node', 'drain', 'host-1', '--wait']), { code: 0 });
  t.match(await run(['node', 'list']), { code: 0, out: /host-1 +paused +drained/ });
  t.match(await run(['node', 'resume', 'host-1']), { code: 0 });
}

async function checkFiles(t: Test, run: Run, world: World): Promise<void> {
  writeFileSync(join(world.folder, 'a.txt'), 'content\n');
  t.match(await run(['file', 'put', 'a.txt', 'place:in/b.bin', '--record']), {
    code: 0,
    out: 'place:in/b.bin\n',
  });
  t.match(await run(['file', 'put', 'a.txt', 'place:in/b.bin']), { code: 3, err: /CONFLICT/ });
  t.match(await run(['file', 'get', 'place:in/b.bin']), { code: 0, err: /b.bin: 8 bytes/ });
  t.equal(readFileSync(join(world.folder, 'b.bin'), 'utf8'), 'content\n');
  t.match(await run(['file', 'get', 'place:in/b.bin']), { code: 1, err: /b.bin exists/ });
  t.match(await run(['file', 'get', 'place:in/b.bin', '-']), { code: 0, out: 'content\n' });
  t.match(await run(['files', '--sources']), { code: 0, out: /SOURCE +8 +place +in\/b.bin/ });
  t.match(await run(['file', 'lineage', 'place:in/b.bin']), {
    code: 0,
    out: /^file \d+ {2}place:in\/b.bin {2}<-\n$/,
  });
  t.match(await run(['file', 'lineage', 'place:in/none']), { code: 5, err: /no file at place:in\/none/ });
  for (const verb of ['get', 'lineage'])
    t.same(await run(['complete', '--', 'file', verb, 'place:']), {
      code: 0,
      out: 'place:in/b.bin\n',
      err: '',
    });
  t.match(await run(['why', 'file', 'place', 'in/none']), { code: 0, out: /is not recorded/ });
  t.match(await run(['why', 'file', 'palce', 'in/none']), { code: 5, err: /did you mean 'place'/ });
}

async function checkService(t: Test, run: Run, strikeId: number): Promise<void> {
  t.match(await run(['pause']), { code: 0 });
  // The status may be two seconds old.
  await until('the status is of after the pause', async () => {
    const { code, out } = await run(['status']);
    return code === 0 && /scheduler PAUSED[\s\S]*NODE[\s\S]*host-1/.test(out);
  });
  t.match(await run(['resume']), { code: 0 });
  t.equal((await run(['status', '-o', 'name'])).out, 'host-1\n');
  t.match(await run(['queue']), { code: 0, out: /^TYPE/ });
  t.match(await run(['recipes', '-o', 'json']), { code: 0, out: '[]\n' });
  t.match(await run(['changes', '--kind', 'strike', '-o', 'name']), { code: 0, out: /^strike\/\d+\n/ });
  const [, cursor = ''] = /--after (\S+) shows/.exec((await run(['changes', '--limit', '1'])).err) ?? [];
  t.match(await run(['changes', '--after', cursor, '--limit', '1']), { code: 0, out: /\w/ });
  t.match(await run(['changes', '--follow', '--status', 'FALIED']), {
    code: 3,
    err: /status.*did you mean 'FAILED'/,
  });
  t.match(await run(['api', 'GET', '/v6/nothing/']), { code: 5, err: /`millrace api GET \/v6\/` lists/ });
  t.match(await run(['api', 'GET', '/v6/version/']), { code: 0, out: /"version"/ });
  t.match(await run(['api', 'GET', '/v6/version/', '-o', 'yaml']), { code: 0, out: /^version: / });
  const content = await run(['api', 'GET', '/v6/workspaces/place/files/in/b.bin']);
  t.strictSame(content, { code: 0, out: 'content\n', err: '' }, 'what is no JSON comes as it is');
  t.match(await run(['api', 'POST', '/v6/workspaces/']), {
    code: 3,
    err: /JSON object is required.*\n {2}no body was sent: -d FILE sends .*, -d - standard input\n$/,
  });
  const empty = await run(['api', 'POST', '/v6/workspaces/', '-d', '-'], '{}');
  t.match(empty, { code: 3 });
  t.notMatch(empty.err, /no body was sent/);
  const edit = JSON.stringify({ title: 'Other', nmae: 7 });
  t.match(await run(['api', 'PATCH', `/v6/strikes/${strikeId}/`, '-d', '-'], edit), {
    code: 3,
    err: /nmae/,
  });
  const yaml = await run(['strike', 'list', '-o', 'yaml']);
  t.match(yaml.out, /^- .*\n {2}[a-z_]+:/);
}

async function checkLogin(t: Test, run: Run, world: World, server: string): Promise<void> {
  const profiles = join(world.folder, 'config/millrace/profiles.json');
  const help = `log in with \`millrace login --server ${server}\`, or set MILLRACE_TOKEN`;
  const refused = new RegExp(`^millrace: you are not logged in at ${server}\n  ${help}\n$`);
  t.match(await run(['status']), { code: 4, err: refused });
  t.match(await run(['whoami']), { code: 4, err: refused });
  t.match(await run(['pause', '--dry-run']), { code: 4, err: refused });
  t.match(await run(['status', '--server', server.replace('127.0.0.1', '0.0.0.0')]), {
    code: 4,
    err: /does not answer under this name: .* '0\.0\.0\.0': add the name to MILLRACE_ALLOWED_HOSTS [^\n]*\n$/,
  });
  t.match(await run(['login', '-u', 'admin'], 'wrong password\n'), {
    code: 4,
    err: `millrace: the username or the password is wrong at ${server}\n`,
  });
  t.match(await run(['login'], 'admin\n'), { code: 2, err: /^millrace: --username: which account\?/ });
  t.match(await run(['login', '-u', 'admin']), { code: 2, err: /before an answer to 'Password:'\n$/ });
  const unknown = await typed(world, ['jobs'], { MILLRACE_SERVER: server, MILLRACE_TOKEN: 'unknown' });
  const variable =
    /does not accept your token: .*\n {2}the token comes from MILLRACE_TOKEN: correct it, or unset it and /;
  t.match(unknown, { code: 4, err: variable });
  writeFileSync(join(world.folder, 'token'), 'unknown', { mode: 0o600 });
  t.match(await run(['jobs', '--token-file', 'token']), {
    code: 4,
    err: /the token comes from --token-file token: correct it, or leave it out and log in with /,
  });
  mkdirSync(join(world.folder, 'in'));
  const watching = await run(['watch', 'in', '--run', 'cat "$in"', '--into', 'out']);
  t.match(watching, { code: 4, err: refused }, 'before what may be wrong with the script');
  t.notMatch(watching.out, /\$out/);
  t.notOk(existsSync(join(world.folder, 'out')), 'nothing is made');
  t.notOk(existsSync(profiles));
  const before = { MILLRACE_SERVER: server, MILLRACE_TOKEN: 'unknown' };
  const hidden = await typed(world, ['login', '-u', 'admin'], before, `${PASSWORD}\n`);
  t.match(hidden, { code: 0, err: /MILLRACE_TOKEN comes before the profile: unset it to use this login/ });
  const done = await run(['login', '-u', 'admin', '--scope', 'admin'], `${PASSWORD}\n`);
  t.match(done, { code: 0, out: '', err: /logged in at .* as admin; profile default/ });
  t.equal(statSync(profiles).mode & 0o777, 0o600);
  const { profiles: kept } = JSON.parse(readFileSync(profiles, 'utf8'));
  t.notMatch(done.err, kept.default.token);
  t.match(await run(['whoami']), { code: 0, out: /^admin \(staff, admin\) at http/ });
  t.match(await run(['profile', 'list']), { code: 0, out: /^NAME .*\ndefault .* admin +yes\n$/ });
  for (const path of ['/v6/', '/v6', '//v6/jobs/']) {
    const ofInterface = await typed(world, ['whoami', '--server', `${server.replace(/\/$/, '')}${path}`]);
    t.match(ofInterface, { code: 0, out: /^admin \(staff, admin\) at http[^ ]*:\d+\n/ }, path);
  }
  const ofConsole = await typed(world, ['whoami', '--server', new URL('/console/', server).href]);
  t.match(ofConsole, { err: /no Millrace service is at .*\n {2}its address may be http:\/\/[^/]+:\d+$/m });
  const other = await typed(world, ['whoami', '--server', `http://localhost:${new URL(server).port}`]);
  t.match(other, { code: 4 }, 'the token of a profile is for its server alone');
  const reads = ['login', '-u', 'admin', '--scope', 'read', '--profile', 'reads'];
  t.match(await run(reads, `${PASSWORD}\n`), { code: 0 });
  t.match(await run(['pause']), { code: 4, err: /does not permit this: .*\n {2}`millrace whoami` shows/ });
  const mayRead = await run(['watch', 'in', '--run', 'cat "$in"', '--into', 'out']);
  t.match(mayRead, { code: 4, err: /the token of admin may only read/ });
  t.notOk(existsSync(join(world.folder, 'out')), 'nothing is made');
  const unknownOfProfile = readFileSync(profiles, 'utf8').replaceAll(
    /"token": "[^"]*"/g,
    '"token": "unknown"',
  );
  writeFileSync(profiles, unknownOfProfile);
  t.match(await run(['jobs']), { code: 4, err: /log in with `millrace login --profile reads`/ });
  writeFileSync(profiles, JSON.stringify({ current: 'default', profiles: kept }));
}

t.test('commands: commands read, change and follow a service', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
  });
  const run = (args: string[], input = '') => typed(world, args, { MILLRACE_SERVER: up.url }, input);
  const profiles = join(world.folder, 'config/millrace/profiles.json');

  await t.test('login keeps a token that only its owner can read, and shows it nowhere', (t) =>
    checkLogin(t, run, world, up.url),
  );

  const { token } = JSON.parse(readFileSync(profiles, 'utf8')).profiles.default;
  const client = createNodeClient({ server: up.url, token: () => token });
  const place = join(world.folder, 'place');
  mkdirSync(place);
  await client.post('/v6/workspaces/', {
    body: { title: 'Place', configuration: { broker: { type: 'host', host_path: place }, http: 'write' } },
  });
  const type = await client.post('/v6/job-types/', {
    body: {
      container_image: 'process:default',
      configuration: { output_workspaces: { default: 'place' } },
      manifest: {
        seedVersion: '1.0.0',
        job: {
          ...{ name: 'odd', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Odd', description: 'x' },
          ...{ maintainer: { name: 'x', email: 'x@example.com' }, timeout: 60 },
          interface: {
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the contract's own form of values
            command: 'sh -c \'printf "\\033[31mred\\n"; echo late >&2; exit $1\' x ${CODE}',
            inputs: { json: [{ name: 'CODE', type: 'integer', required: false }] },
          },
        },
      },
    },
  });
  const recipeType = await client.post('/v6/recipe-types/', {
    body: {
      title: 'Odd texts',
      definition: {
        input: { files: [{ name: 'FILE' }], json: [{ name: 'CODE', type: 'integer', required: false }] },
        nodes: {
          odd: {
            dependencies: [],
            input: { CODE: { type: 'recipe', input: 'CODE' } },
            node_type: { node_type: 'job', job_type_name: 'odd', job_type_version: '1.0.0' },
          },
        },
      },
    },
  });
  const strike = await client.post('/v6/strikes/', {
    body: {
      title: 'Texts',
      configuration: {
        workspace: 'place',
        monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
        files_to_ingest: [{ filename_regex: '.*\\.txt$' }],
        recipe: { name: recipeType.name },
      },
    },
  });
  const queue = (code: number) =>
    client.post('/v6/jobs/', { body: { job_type_id: type.id, input: { files: {}, json: { CODE: code } } } });

  await t.test('jobs are awaited, shown and explained; many are requeued only with --yes', (t) =>
    checkJobs(t, run, queue),
  );

  await t.test('records are named by their names or ids', (t) => checkNames(t, run, strike.id));

  await t.test('files are uploaded and downloaded, never overwritten', (t) => checkFiles(t, run, world));

  await t.test('the service is paused, queried and called by paths', (t) => checkService(t, run, strike.id));

  await t.test('a pipe that its reader closes is no failure', async (t) => {
    const child = spawn(process.execPath, [BIN, 'changes', '--follow', '--after', '0'], {
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(world.folder, 'config'), MILLRACE_SERVER: up.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const code = new Promise((resolve) => child.on('exit', resolve));
    child.stdout.destroy();
    t.equal(await text(child.stderr), '');
    t.equal(await code, 0);
  });

  await t.test('a dry run says who may not make the change', async (t) => {
    const reader = await client.post('/v6/tokens/', { body: { name: 'reader', scope: 'read' } });
    const env = { MILLRACE_SERVER: up.url, MILLRACE_TOKEN: reader.token };
    t.match(await typed(world, ['pause', '--dry-run'], env), { code: 4, err: /admin may only read/ });
    t.match(await typed(world, ['strike', 'pause', 'texts', '--dry-run'], env), { code: 4 });
    t.match(await run(['pause', '--dry-run']), { code: 0, out: /pauses the service/ });
    t.match(await run(['file', 'put', 'a.txt', 'place:in/c.bin', '--dry-run']), {
      code: 0,
      out: 'stores a.txt (8 bytes) at place:in/c.bin\n',
    });
    t.match(await run(['file', 'put', 'a.txt', 'place:in/b.bin', '--dry-run']), { code: 3, err: /already/ });
    t.match(await run(['logout', '--dry-run']), { code: 0, out: /revokes its token/ });
    t.match(await run(['profile', 'delete', 'default', '--dry-run']), {
      code: 0,
      out: /forgets profile default/,
    });
    t.match(await run(['whoami']), { code: 0 }, 'the profile is still there');
  });

  await t.test('logout revokes the token of the profile, whatever its scope, and no other', async (t) => {
    const login = async (scope: 'read' | 'write') =>
      client.post('/v6/tokens/', { body: { name: 'millrace login', scope } });
    const [elsewhere, reader] = [await login('write'), await login('read')];
    const file = join(world.folder, 'reader');
    writeFileSync(file, reader.token, { mode: 0o600 });
    t.match(await run(['login', '--profile', 'reader', '--token-file', file]), { code: 0 });
    t.match(await run(['logout', '--profile', 'reader']), { code: 0, err: /logged out/ });
    const clientWith = (token: string) => createNodeClient({ server: up.url, token: () => token });
    await t.rejects(clientWith(reader.token).get('/v6/status/'), { name: 'RefusedError', status: 401 });

    t.match(await run(['profile', 'use', 'default']), { code: 0 });
    t.match(await run(['logout']), { code: 0, err: /logged out/ });
    await t.rejects(client.get('/v6/status/'), { name: 'RefusedError', status: 401 });
    t.match(await run(['whoami']), { code: 4 });
    t.match(await clientWith(elsewhere.token).get('/v6/accounts/profile/'), { username: 'admin' });
  });
});
