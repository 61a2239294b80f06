import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { addKey, openKeyFile, readKeyFile, retireKeys } from '../../../src/store/secret-key/key-file.ts';
import { secretKey } from '../../../src/store/secret-key/key-ring.ts';

const pathIn = (t: Test): string => join(t.testdir(), 'keys', 'secret.key');
const idsOf = async (path: string) => (await readKeyFile(path)).map(({ id }) => id);

t.test('key files: the first start creates one for its owner only, and the next reads it', async (t) => {
  const path = pathIn(t);
  const made = await openKeyFile(path);

  t.strictSame(await openKeyFile(path), made);
  t.equal(statSync(path).mode & 0o777, 0o600);
});

t.test('key files: a key is added as the newest, and the others stay', async (t) => {
  const path = pathIn(t);
  const [first] = await openKeyFile(path);
  const second = await addKey(path);
  const third = await addKey(path);

  t.strictSame(await idsOf(path), [first?.id, second, third]);
  t.strictSame((await readKeyFile(path))[0], first);
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.strictSame(readdirSync(dirname(path)), [basename(path)], 'no draft is left');
});

t.test('key files: older keys are appended to a file of retired keys', async (t) => {
  const path = pathIn(t);
  const [first] = await openKeyFile(path);
  t.strictSame(await retireKeys(path), [], 'the only key stays');
  const second = await addKey(path);
  t.strictSame(await retireKeys(path), [first?.id]);
  const third = await addKey(path);
  t.strictSame(await retireKeys(path), [second]);

  t.strictSame(await idsOf(path), [third]);
  t.strictSame(await idsOf(`${path}.retired`), [first?.id, second]);
  t.equal(statSync(`${path}.retired`).mode & 0o777, 0o600);
});

t.test('key files: a second writer is refused, and the message says what to do', async (t) => {
  const path = pathIn(t);
  await openKeyFile(path);
  writeFileSync(`${path}.next`, '');

  await t.rejects(addKey(path), { code: 'STATE_CONFLICT', message: /secret\.key\.next exists/ });
  await t.rejects(retireKeys(path), { code: 'STATE_CONFLICT' });
  t.equal((await readKeyFile(path)).length, 1);
});

t.test('key files: a broken file is refused by name and line, without its content', async (t) => {
  const path = pathIn(t);
  await openKeyFile(path);
  const key = secretKey(Buffer.alloc(32, 7));
  const text = key.key.toString('base64url');
  const refusals: [string, RegExp][] = [
    ['', /has no key/],
    ['# nothing\n\n', /has no key/],
    ['short', /secret\.key, line 1: it must hold 32 bytes \(it has 5\)/],
    [`${key.id} ${text}\n${text}\n`, /line 2/],
    [`${'0'.repeat(10)} ${text}\n`, /not the one of its id/],
    [`${key.id} ${text}x\n`, /line 1/],
    ['x'.repeat(70_000), /no file of keys/],
  ];
  for (const [content, message] of refusals) {
    writeFileSync(path, content);
    await t.rejects(readKeyFile(path), { code: 'INVALID_SETTINGS', message });
    await t.rejects(addKey(path), { code: 'INVALID_SETTINGS' });
    t.equal(readFileSync(path, 'utf8'), content, 'and left as they are');
    const told = await readKeyFile(path).catch(String);
    t.notMatch(told, text.slice(0, 12));
  }
  await t.rejects(readKeyFile(`${path}.none`), { code: 'INVALID_SETTINGS', message: /cannot be read/ });
  t.strictSame(readdirSync(dirname(path)), [basename(path)]);
});
