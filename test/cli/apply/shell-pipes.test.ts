/** Files that a shell gives as pipes: `<(...)` becomes a path such as /dev/fd/63. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

t.test('shell pipes: <(...) is read as a file of the directory in which the line is typed', async (t) => {
  const folder = t.testdir({ in: {} });
  const typed = async (line: string) => {
    const child = spawn('bash', ['--norc', '-c', line, 'bash', process.execPath, BIN], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    });
    const code = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };
  const pipe = `<(printf 'set: s\nworkspaces: {texts: ./in}\n')`;
  for (const option of [`-f ${pipe}`, `--file=${pipe}`]) {
    const expanded = await typed(`"$1" "$2" apply --expand ${option}`);
    t.match(expanded, { code: 0, err: '' }, option);
    t.match(expanded.out, `host_path: ${join(folder, 'in')}`, option);
  }
  t.match(await typed(`"$1" "$2" lint -f <(echo 'set: [')`), {
    code: 1,
    err: /^\/dev\/fd\/\d+:\d+:\d+: error: /,
  });
  t.match(await typed('"$1" "$2" lint -f /dev/null'), { code: 1, err: /this is not a regular file/ });
});
