/** `millrace demo` is a service of its own, whatever the shell has set for others. */
import { spawn } from 'node:child_process';
import t from 'tap';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';
import { processesOf } from '../harness/folder-processes.ts';
import { until } from '../harness/until.ts';
import { createPlace, PROGRAM } from './watch-typed.ts';

t.test('demo: settings of the shell do not reach its service', async (t) => {
  const { cwd } = await createPlace(t);
  const { PATH, HOME } = process.env;
  const settings = {
    MILLRACE_AUTH: 'on',
    MILLRACE_HTTP: '192.0.2.1:1',
    MILLRACE_EXECUTORS: 'docker',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  };
  const child = spawn(process.execPath, [PROGRAM, 'demo'], {
    cwd,
    env: { PATH, HOME, ...compiledPrograms(), ...settings },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const exited = new Promise((resolve) => child.once('close', resolve));
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await until('its first products are there', async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${output}${errors}`);
    return /products [1-9]/.test(output);
  });
  t.equal(errors, '', 'and nothing is warned of');
  child.kill('SIGKILL');
  await exited;
  await until('its service has ended as well', () => Promise.resolve(processesOf(cwd).length === 0));
});
