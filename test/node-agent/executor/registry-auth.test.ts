import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loginOf } from '../../../node-agent/executor/registry-auth.ts';

const encoded = (text: string) => Buffer.from(text).toString('base64');

t.test('registry credentials: those of a registry are found in every form of the file', async (t) => {
  const file = join(t.testdir(), 'config.json');
  writeFileSync(
    file,
    JSON.stringify({
      auths: {
        'https://index.docker.io/v1/': { auth: encoded('hub:a:b') },
        'registry.example.com:5000': { username: 'u', password: 'p' },
        'token.example.com': { auth: encoded('t:'), identitytoken: 'abc' },
        'empty.example.com': {},
        'null.example.com': null,
      },
    }),
  );
  t.same(await loginOf(file, 'docker.io'), { username: 'hub', password: 'a:b' });
  t.same(await loginOf(file, 'registry.example.com:5000'), { username: 'u', password: 'p' });
  t.same(await loginOf(file, 'token.example.com'), { username: 't', password: '', identityToken: 'abc' });
  for (const none of ['registry.example.com', 'empty.example.com', 'null.example.com', 'example.com'])
    t.equal(await loginOf(file, none), undefined, none);
});

t.test('registry credentials: a broken file is reported without its content', async (t) => {
  const folder = t.testdir();
  const broken = async (text: string) => {
    const file = join(folder, 'config.json');
    writeFileSync(file, text);
    return loginOf(file, 'r.example.com').then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  };
  t.match(await broken('{"auths": {"r.example.com": {"auth": "c2VjcmV0'), /not JSON$/);
  t.match(
    await broken(JSON.stringify({ auths: { 'r.example.com': { auth: encoded('secret') } } })),
    /not a name/,
  );
  t.match(await broken('{"auths": "secret"}'), /not an object$/);
  t.match(await broken(`"${'x'.repeat(2 * 1024 * 1024)}"`), /too large/);
  await t.rejects(loginOf(join(folder, 'missing.json'), 'r'), /cannot be read: ENOENT/);
});
